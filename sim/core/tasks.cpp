#include "sim/core/tasks.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

// Tasks that are alive at once, in all; each takes a slot of the scheduler and more.
constexpr std::uint32_t kMostTasks = 1u << 22;

}  // namespace

void Tasks::reset() {
  arena_.reset();
  if (roots_.size() == 0) roots_.emplace_back();
  roots_[0] = {};
  const std::uint64_t world = world_.nodes[0].hash;
  roots_[0].entity = {world, 0};
  roots_[0].operation = {Operation::key_of(world, 0), 0, 0, 0};
  used_ = 1;
  free_.clear();
  current_ = 0;
}

// --- beginning and ending ------------------------------------------------------------------------

std::uint32_t Tasks::allocate() {
  if (!free_.empty()) {
    const std::uint32_t id = free_.back();
    free_.pop_back();
    return id;
  }
  const std::uint32_t id = used_++;
  if (used_ > kMostTasks) world_.run_out_of("tasks");
  if (roots_.size() < used_) roots_.emplace_back();
  return id;
}

void Tasks::spawn(NodeId node, std::string_view name, PromiseBase& promise) {
  Nodes::Node& n = world_.nodes[node];
  PICKLOCK_CHECK(n.process.alive);
  const std::uint32_t id = allocate();
  const Operation parent = roots_[current_].operation;
  Root& r = roots_[id];
  const std::uint32_t name_id = names.id_of(name);
  r.promise = &promise;
  r.name_hash = names.hash(name_id);
  r.entity.hash = full_hash(n, name_id);
  r.entity.id = static_cast<std::uint32_t>(node) << 16 | name_id;
  r.operation = {Operation::key_of(r.entity.hash, parent.ordinal), r.entity.id, parent.ordinal, parent.hold};
  // A process that was started again does not repeat the draws of the one before it.
  r.first_number = (n.process.incarnation & 63) << 16;
  r.draws.fill(r.first_number);
  r.node = node;
  r.state_declared = false;
  r.state = 0;
  const std::vector<std::uint64_t>& stopped = n.process.stopped_names;
  r.stops = static_cast<std::uint32_t>(std::count(stopped.begin(), stopped.end(), r.name_hash));
  r.place = static_cast<std::uint32_t>(n.process.roots.size());
  n.process.roots.push_back(id);
  promise.root = id;
  world_.record(trace::task_started, node, id, r.name_hash);
  const SlotId slot = world_.scheduler.open(SlotKind::wait, node, promise.self.address());
  Slot& s = world_.scheduler[slot];
  s.root = id;
  s.what = "its first step";
  r.first_step = slot;
  world_.scheduler.schedule(slot, world_.now());
}

std::uint64_t Tasks::full_hash(Nodes::Node& n, std::uint32_t name_id) {
  if (name_id == 0) return n.hash;
  if (n.task_hashes.size() <= name_id) n.task_hashes.resize(name_id + 1, 0);
  std::uint64_t& hash = n.task_hashes[name_id];
  if (hash == 0) hash = hash_more(hash_more(n.hash, "."), names.text(name_id));
  return hash;
}

void Tasks::reap() {
  PromiseBase* const promise = std::exchange(finished_, nullptr);
  const std::uint32_t id = promise->root;
  Root& r = roots_[id];
  std::vector<std::uint32_t>& others = world_.nodes[r.node].process.roots;
  world_.record(trace::task_ended, r.node, id);
  const std::uint32_t last = others.back();
  others[r.place] = last;
  roots_[last].place = r.place;
  others.pop_back();
  free_.push_back(id);
  promise->self.destroy();
}

void Tasks::destroy_all(Nodes::Process& process) {
  while (!process.roots.empty()) {
    const std::uint32_t id = process.roots.back();
    process.roots.pop_back();
    free_.push_back(id);
    if (roots_[id].first_step != 0) world_.scheduler.close(std::exchange(roots_[id].first_step, 0));
    roots_[id].promise->self.destroy();
  }
}

// --- running -------------------------------------------------------------------------------------

void Tasks::go_on(SlotId id) {
  const Slot& s = world_.scheduler[id];
  if (s.kind == SlotKind::exchange) {
    current_ = s.root;
    world_.channels.fired(s.argument, *static_cast<Exchange*>(s.target));
    current_ = 0;
    return;
  }
  if (world_.lives.are_kept()) world_.lives.go_on(id);
  const std::uint32_t root = s.root;
  const auto coroutine = std::coroutine_handle<>::from_address(s.target);
  if (s.kind == SlotKind::wait && roots_[root].first_step == id) {
    world_.scheduler.close(std::exchange(roots_[root].first_step, 0));
  }
  execute(root, coroutine);
}

// The reader goes on at once: nothing hinders its process, and no lives are kept.
void Tasks::hand_over(Mailbox& mailbox, Message&& message) {
  mailbox.inbox.push(std::move(message));
  if (mailbox.reader == 0) return;
  const Slot& s = world_.scheduler[std::exchange(mailbox.reader, 0)];
  execute(s.root, std::coroutine_handle<>::from_address(s.target));
}

bool Tasks::passes_seen(NodeId node, MarkSide side, Mark m) {
  world_.record(trace::mark_passed, node, m.id, static_cast<std::uint64_t>(side), current().operation.ordinal);
  if (world_.nodes[node].armed_marks >> (m.id % 64) & 1) world_.actions.passed(node, side, m);
  return !is_stopped(node, current_);
}

bool Tasks::passes_seen_for(std::uint32_t root, MarkSide side, Mark m) {
  PICKLOCK_CHECK(executing_ == 0);
  executing_ = current_ = root;
  const bool goes_on = passes_seen(roots_[root].node, side, m);
  executing_ = current_ = 0;
  return goes_on;
}

// --- operations and draws ------------------------------------------------------------------------

void Tasks::begin_operation(std::uint32_t ordinal, std::uint32_t hold) {
  Root& r = roots_[current_];
  r.operation = {Operation::key_of(r.entity.hash, ordinal), r.entity.id, ordinal, hold};
  r.draws.fill(r.first_number);
}

void Tasks::serve(const Message& request) {
  Root& r = roots_[current_];
  r.operation = request.operation;
  r.draws.fill(request.n * kNumbersPerSegment);
}

void Tasks::serve_background(std::uint32_t ordinal) { begin_operation(ordinal, 0); }

std::uint64_t Tasks::draw(NodeId, Purpose p) {
  Root& r = roots_[current_];
  const std::uint32_t n = ++r.draws[static_cast<std::size_t>(p)];
  return world_.draws.bits(world_.now(), r.entity, p, r.operation, n);
}

std::int64_t Tasks::draw(NodeId, Purpose p, const Law& law) {
  Root& r = roots_[current_];
  const std::uint32_t n = ++r.draws[static_cast<std::size_t>(p)];
  const std::uint64_t name = Draws::name_of(r.entity, p, r.operation, n);
  Draws& draws = world_.draws;
  if (draws.is_plain(name) && law.is_even()) [[likely]]
    return draws.draw_plainly(name, law);
  return draws.draw(world_.now(), r.entity, p, r.operation, n, law);
}

// --- what else a Host asks for -------------------------------------------------------------------

WaitId Tasks::work(NodeId n, std::coroutine_handle<> me, Duration amount) {
  const SlotId id = world_.timers.open(SlotKind::work, n, me.address(), "work");
  world_.timers.arm(id, monotonic_now(n) + amount);
  return id;
}

WaitId Tasks::wait_until_continued(NodeId n, std::coroutine_handle<> me) {
  const SlotId id = world_.timers.open(SlotKind::wait, n, me.address(), "to be continued");
  world_.timers.park(id);
  return id;
}

void Tasks::lasts_as_drawn(WaitId id, Purpose purpose, const Law& law, Duration drawn) {
  world_.drawn_waits.note(id, purpose, law, drawn);
}

void Tasks::panic(NodeId node, const char* why) { world_.faults.panic(node, why); }

void Tasks::announce_deadline(NodeId node, DeadlineKind kind, MonoTime due) {
  world_.record(trace::deadline_announced, node, static_cast<std::uint32_t>(kind), static_cast<std::uint64_t>(due.ns),
                current().operation.hold);
}

void Tasks::declare_state(NodeId, std::uint64_t state) {
  roots_[current_].state_declared = true;
  roots_[current_].state = state;
}

// --- reports -------------------------------------------------------------------------------------

std::string Tasks::entity_name(std::uint32_t id) const {
  if (id & 0x80000000u) {
    const auto from = static_cast<NodeId>(id >> 15 & 0x7fff), to = static_cast<NodeId>(id & 0x7fff);
    return world_.nodes.name(from) + ">" + world_.nodes.name(to);
  }
  const std::string& node = world_.nodes.name(static_cast<NodeId>(id >> 16));
  const std::uint32_t task = id & 0xffff;
  return task == 0 ? node : node + "." + names.text(task);
}

std::string Tasks::draw_name(const DrawRecord& r) const {
  std::string name = entity_name(r.entity);
  name += '/';
  name += name_of(r.purpose);
  name += '@' + entity_name(r.owner) + '#' + std::to_string(r.ordinal) + '.' + std::to_string(r.n);
  if (r.again != TrueTime{}) name += '|' + std::to_string(r.again.ns);
  return name;
}

std::vector<Waiting> Tasks::waiting() const {
  const Scheduler& scheduler = world_.scheduler;
  std::vector<Waiting> all;
  for (SlotId id = 1; id < scheduler.slot_count(); ++id) {
    const Slot& s = scheduler[id];
    if (s.kind == SlotKind::free || s.kind == SlotKind::wire || s.kind == SlotKind::action) continue;
    if (s.target == nullptr) continue;  // kept for the next wait
    Waiting w{entity_name(roots_[s.root].entity.id), s.what, std::nullopt};
    if (s.kind != SlotKind::wait && scheduler.is_scheduled(id)) w.until = scheduler.time_of(id);
    all.push_back(std::move(w));
  }
  return all;
}

std::size_t Tasks::alive() const {
  std::size_t n = 0;
  for (NodeId node = 0; node < world_.nodes.count(); ++node) n += world_.nodes[node].process.roots.size();
  return n;
}

}  // namespace picklock
