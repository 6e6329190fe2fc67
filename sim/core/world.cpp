#include "sim/core/world.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "sim/core/rpc_channel.hpp"

namespace picklock {
namespace {

constexpr std::uint32_t kLivelock = 1'000'000;
// Tasks that are alive at once, in all; each takes a slot of the scheduler and more.
constexpr std::uint32_t kMostTasks = 1u << 22;

}  // namespace

World::World() : network(*this) { reset(0); }

World::~World() { clear(); }

void World::clear() {
  for (std::size_t i = 0; i < used_nodes_; ++i) {
    Node& n = nodes_[i];
    destroy_roots(n);
    n.mailbox.inbox.clear();
    n.parked.clear();
  }
  for (std::size_t i = 0; i < used_channels_; ++i) channels_[i]->process_died();
  network.reset();
}

void World::reset(std::uint64_t seed) {
  clear();
  scheduler_.reset();
  trace.reset();
  draws.reset(seed);
  arena_.reset();
  used_nodes_ = used_channels_ = 0;
  if (roots_.size() == 0) roots_.emplace_back();
  roots_[0] = {};
  used_roots_ = 1;
  free_roots_.clear();
  triggers_.clear();
  actions_.clear();
  free_actions_.clear();
  last_words_.clear();
  drawn_waits_.clear();
  reveals_ = keeps_lives_ = false;
  now_ = {};
  current_root_ = 0;
  events_ = parked_count_ = calls_ = 0;
  same_instant_ = 0;
  stop_ = false;
  exhausted_ = nullptr;
  unanswered_.clear();
  add_node("world");
  roots_[0].entity = {nodes_[0].hash, 0};
  roots_[0].operation = {Operation::key_of(nodes_[0].hash, 0), 0, 0, 0};
}

// --- building ------------------------------------------------------------------------------------

NodeId World::add_node(std::string_view name) {
  PICKLOCK_CHECK(used_nodes_ < kMostNodes);
  const auto id = static_cast<NodeId>(used_nodes_++);
  if (nodes_.size() < used_nodes_) nodes_.emplace_back();
  Node& n = nodes_[id];
  if (n.name != name || n.hash == 0) {
    n.name.assign(name);
    n.hash = hash_of(name);
    n.task_hashes.clear();
  }
  n.clock = {};
  n.disk->reset();
  n.cpu_cost = {};
  n.armed_marks = n.life = 0;
  n.pauses = n.freezes = n.continuations = n.incarnation = n.boots = 0;
  n.alive = n.powered = true;
  n.doomed = false;
  n.mailbox.reader = 0;
  n.stopped_names.clear();
  n.note_obstacles();
  n.program = nullptr;
  return id;
}

std::optional<NodeId> World::find_node(std::string_view name) const {
  for (std::size_t i = 1; i < used_nodes_; ++i) {
    if (nodes_[i].name == name) return static_cast<NodeId>(i);
  }
  return std::nullopt;
}

void World::install(NodeId n, Program& program) {
  nodes_[n].program = &program;
  program.boot(*this, n);
}

RpcChannel& World::open_channel(NodeId from, NodeId to, const ChannelOptions& options) {
  const std::size_t index = used_channels_++;
  if (channels_.size() < used_channels_) channels_.push_back(std::make_unique<RpcChannel>(*this, index));
  channels_[index]->reset(from, to, options);
  return *channels_[index];
}

void World::spawn(NodeId node, std::string_view name, PromiseBase& promise) {
  PICKLOCK_CHECK(nodes_[node].alive);
  std::uint32_t id;
  if (!free_roots_.empty()) {
    id = free_roots_.back();
    free_roots_.pop_back();
  } else {
    id = used_roots_++;
    if (used_roots_ > kMostTasks) run_out_of("tasks");
    if (roots_.size() < used_roots_) roots_.emplace_back();
  }
  Node& n = nodes_[node];
  const Operation parent = roots_[current_root_].operation;
  Root& r = roots_[id];
  const std::uint32_t name_id = task_name_id(name);
  r.promise = &promise;
  r.name_hash = task_names_[name_id].hash;
  r.entity.hash = task_hash(n, name_id);
  r.entity.id = static_cast<std::uint32_t>(node) << 16 | name_id;
  r.operation = {Operation::key_of(r.entity.hash, parent.ordinal), r.entity.id, parent.ordinal, parent.hold};
  // A process that was started again does not repeat the draws of the one before it.
  r.first_number = (n.incarnation & 63) << 16;
  r.draws.fill(r.first_number);
  r.node = node;
  r.state_declared = false;
  r.state = 0;
  r.stops = static_cast<std::uint32_t>(std::count(n.stopped_names.begin(), n.stopped_names.end(), r.name_hash));
  r.place = static_cast<std::uint32_t>(n.roots.size());
  n.roots.push_back(id);
  promise.root = id;
  record(trace::task_started, node, id, r.name_hash);
  const SlotId slot = scheduler_.open(SlotKind::wait, node, promise.self.address());
  Slot& s = scheduler_[slot];
  s.root = id;
  s.what = "its first step";
  r.first_step = slot;
  scheduler_.schedule(slot, now_);
}

std::uint32_t World::task_name_id(std::string_view name) {
  const auto id_of = [&](const TaskName& t) { return static_cast<std::uint32_t>(&t - task_names_.data()); };
  for (const TaskName& t : task_names_) {  // mostly the same literal as the last time
    if (t.last_seen_at == name.data() && t.name == name) return id_of(t);
  }
  for (TaskName& t : task_names_) {
    if (t.name != name) continue;
    t.last_seen_at = name.data();
    return id_of(t);
  }
  task_names_.push_back({hash_of(name), std::string(name), name.data()});
  return static_cast<std::uint32_t>(task_names_.size() - 1);
}

std::uint64_t World::task_hash(Node& n, std::uint32_t name_id) {
  if (name_id == 0) return n.hash;
  if (n.task_hashes.size() <= name_id) n.task_hashes.resize(name_id + 1, 0);
  std::uint64_t& hash = n.task_hashes[name_id];
  if (hash == 0) hash = hash_more(hash_more(n.hash, "."), task_names_[name_id].name);
  return hash;
}

// --- running -------------------------------------------------------------------------------------

[[gnu::always_inline]] inline void World::fire(SlotId id) {
  Slot& s = scheduler_[id];
  switch (s.kind) {
    case SlotKind::timer:
      if (s.target == nullptr) return;  // its task does something else
      [[fallthrough]];
    case SlotKind::wait:
    case SlotKind::work:
    case SlotKind::exchange:
      return ready(id);
    case SlotKind::action: {
      const std::uint32_t index = s.argument;
      const Action action = actions_[index];
      scheduler_.close(id);
      free_actions_.push_back(index);
      current_root_ = 0;
      return action.act(*this, action.subject, action.argument);
    }
    case SlotKind::wire:  // run() has seen to it
    case SlotKind::free:
      PICKLOCK_CHECK(false);
  }
}

RunEnd World::run(const RunLimits& limits) {
  if (exhausted_ != nullptr) return RunEnd::exhausted;
  while (events_ < limits.events) {
    const Scheduler::Due due = scheduler_.pop_by(limits.until);
    if (due.slot == 0) [[unlikely]]
      break;
    ++events_;
    if (due.at != now_) {
      same_instant_ = 0;
      now_ = due.at;
    } else if (++same_instant_ > kLivelock) {
      scheduler_.schedule(due.slot, due.at);  // it has not fired
      return RunEnd::livelock;
    }
    if (const Slot& s = scheduler_[due.slot]; s.kind == SlotKind::wire) {
      network.fire(s.argument);
    } else {
      fire(due.slot);
    }
    if (stop_) [[unlikely]] {
      stop_ = false;
      return exhausted_ == nullptr ? RunEnd::stopped : RunEnd::exhausted;
    }
  }
  return end_of_run(limits);
}

RunEnd World::end_of_run(const RunLimits& limits) {
  const bool quiescent = scheduler_.empty();
  if (!quiescent && scheduler_.next_time() <= limits.until) return RunEnd::budget;
  if (limits.until != kNever) now_ = std::max(now_, limits.until);
  return quiescent ? RunEnd::quiescent : RunEnd::time;
}

void World::go_on(SlotId id) {
  const Slot& s = scheduler_[id];
  if (s.kind == SlotKind::exchange) {
    current_root_ = s.root;
    channels_[s.argument]->fired(*static_cast<Exchange*>(s.target));
    current_root_ = 0;
    return;
  }
  if (keeps_lives_) live_on(id);
  const std::uint32_t root = s.root;
  const auto coroutine = std::coroutine_handle<>::from_address(s.target);
  if (s.kind == SlotKind::wait && roots_[root].first_step == id) {
    scheduler_.close(std::exchange(roots_[root].first_step, 0));
  }
  execute(root, coroutine);
}

// Its reader goes on at once: nothing hinders its process, and nobody keeps its life.
void World::put_in_mailbox(Node& n, Message&& message) {
  n.mailbox.inbox.push(std::move(message));
  if (n.mailbox.reader == 0) return;
  const Slot& s = scheduler_[std::exchange(n.mailbox.reader, 0)];
  execute(s.root, std::coroutine_handle<>::from_address(s.target));
}

void World::reap() {
  PromiseBase* const promise = std::exchange(finished_, nullptr);
  const std::uint32_t id = promise->root;
  Root& r = roots_[id];
  Node& n = nodes_[r.node];
  record(trace::task_ended, r.node, id);
  const std::uint32_t last = n.roots.back();
  n.roots[r.place] = last;
  roots_[last].place = r.place;
  n.roots.pop_back();
  free_roots_.push_back(id);
  promise->self.destroy();
}

void World::at(TrueTime when, Action action) {
  std::uint32_t index;
  if (!free_actions_.empty()) {
    index = free_actions_.back();
    free_actions_.pop_back();
    actions_[index] = action;
  } else {
    index = static_cast<std::uint32_t>(actions_.size());
    actions_.push_back(action);
  }
  const SlotId slot = scheduler_.open(SlotKind::action, 0, nullptr);
  scheduler_[slot].argument = index;
  scheduler_.schedule(slot, std::max(when, now_));
}

// --- draws ---------------------------------------------------------------------------------------

std::uint64_t World::draw(NodeId, Purpose p) {
  Root& r = roots_[current_root_];
  const std::uint32_t n = ++r.draws[static_cast<std::size_t>(p)];
  return draws.bits(now_, r.entity, p, r.operation, n);
}

std::int64_t World::draw(NodeId, Purpose p, const Law& law) {
  Root& r = roots_[current_root_];
  const std::uint32_t n = ++r.draws[static_cast<std::size_t>(p)];
  const std::uint64_t name = Draws::name_of(r.entity, p, r.operation, n);
  if (draws.is_plain(name) && law.is_even()) [[likely]]
    return draws.draw_plainly(name, law);
  return draws.draw(now_, r.entity, p, r.operation, n, law);
}

std::int64_t World::draw_for_fault(std::uint32_t n, const Law& law) {
  const Entity world{nodes_[0].hash, 0};
  return draws.draw(now_, world, Purpose::fault, {Operation::key_of(world.hash, 0), 0, 0, 0}, n, law);
}

std::int64_t World::redraw_for_fault(std::uint32_t n, const Law& law, Duration over, Duration drawn) {
  const Entity world{nodes_[0].hash, 0};
  return draws.redraw(now_, world, Purpose::fault, {Operation::key_of(world.hash, 0), 0, 0, 0}, n, law, over.ns,
                      drawn.ns);
}

void World::reseed(std::uint64_t seed) {
  draws.reseed(seed);
  if (!reveals_) return;
  network.redraw_latencies();
  redraw_waits();
}

// The awaiter has just drawn it, and opens its wait in the same step.
void World::lasts_as_drawn(WaitId id, Purpose purpose, const Law& law, Duration drawn) {
  if (!reveals_ || law.kind() == Law::Kind::constant) return;
  const Root& r = roots_[current_root_];
  drawn_waits_.push_back({id, r.entity, r.operation, purpose, r.draws[static_cast<std::size_t>(purpose)], &law, drawn});
  scheduler_[id].argument = static_cast<std::uint32_t>(drawn_waits_.size());
}

// What has fired, or waits for a stopped process to hear of it, is over.
void World::redraw_waits() {
  for (std::size_t i = 0; i < drawn_waits_.size(); ++i) {
    const DrawnWait& w = drawn_waits_[i];
    Slot& s = scheduler_[w.slot];
    if ((s.kind != SlotKind::work && s.kind != SlotKind::timer) || s.argument != i + 1) continue;
    const bool suspended = s.key == Scheduler::kSuspended;
    if (!suspended && !scheduler_.is_scheduled(w.slot) && s.key != Scheduler::kFrozen) continue;
    const MonoTime now = monotonic_now(s.node);
    const std::int64_t left = suspended ? s.due : s.due - now.ns;
    if (left <= 0) continue;
    const std::int64_t over = w.drawn.ns - left;
    const std::int64_t drawn = draws.redraw(now_, w.entity, w.purpose, w.operation, w.n, *w.law, over, w.drawn.ns);
    drawn_waits_[i].drawn = {drawn};
    if (suspended) {
      s.due = drawn - over;
      continue;
    }
    scheduler_.cancel(w.slot);
    arm(w.slot, now + Duration{drawn - over});
  }
}

void World::begin_operation(NodeId, std::uint32_t ordinal, std::uint32_t hold) {
  Root& r = roots_[current_root_];
  r.operation = {Operation::key_of(r.entity.hash, ordinal), r.entity.id, ordinal, hold};
  r.draws.fill(r.first_number);
}

void World::serve(const Message& request) {
  Root& r = roots_[current_root_];
  r.operation = request.operation;
  r.draws.fill(request.n * kNumbersPerSegment);
}

void World::serve_background(std::uint32_t ordinal) { begin_operation(0, ordinal, 0); }

std::string World::entity_name(std::uint32_t id) const {
  if (id & 0x80000000u) {
    const std::size_t from = id >> 15 & 0x7fff, to = id & 0x7fff;
    return nodes_[from].name + ">" + nodes_[to].name;
  }
  const std::size_t node = id >> 16, task = id & 0xffff;
  return task == 0 ? nodes_[node].name : nodes_[node].name + "." + task_names_[task].name;
}

std::string World::draw_name(const DrawRecord& r) const {
  std::string name = entity_name(r.entity);
  name += '/';
  name += name_of(r.purpose);
  name += '@' + entity_name(r.owner) + '#' + std::to_string(r.ordinal) + '.' + std::to_string(r.n);
  if (r.again != TrueTime{}) name += '|' + std::to_string(r.again.ns);
  return name;
}

// --- waits ---------------------------------------------------------------------------------------

WaitId World::work(NodeId n, std::coroutine_handle<> me, Duration amount) {
  const SlotId id = open_slot(SlotKind::work, n, me.address(), "work");
  arm(id, monotonic_now(n) + amount);
  return id;
}

WaitId World::wait_until_continued(NodeId n, std::coroutine_handle<> me) {
  const SlotId id = open_slot(SlotKind::wait, n, me.address(), "to be continued");
  park(id);
  return id;
}

bool World::passes_seen(NodeId node, MarkSide side, Mark m) {
  record(trace::mark_passed, node, m.id, static_cast<std::uint64_t>(side), roots_[current_root_].operation.ordinal);
  if (nodes_[node].armed_marks >> (m.id % 64) & 1) act_on_triggers(node, side, m);
  return !task_stopped(node, current_root_);
}

void World::act_on_triggers(NodeId node, MarkSide side, Mark m) {
  const std::uint32_t root = current_root_;
  const std::size_t installed = triggers_.size();
  for (std::size_t i = 0; i < installed; ++i) {
    Trigger& t = triggers_[i];
    if (t.point.node != node || t.point.mark != m || t.point.side != side) continue;
    if (t.point.task != 0 && t.point.task != roots_[current_root_].name_hash) continue;
    if (t.point.count == 0 || --t.point.count != 0) continue;
    const Action action = t.action;
    if (t.point.offset.ns > 0) {
      at(now_ + t.point.offset, action);
    } else {
      current_root_ = 0;  // the world acts
      action.act(*this, action.subject, action.argument);
      current_root_ = root;
    }
  }
}

bool World::passes_seen_for(std::uint32_t root, MarkSide side, Mark m) {
  PICKLOCK_CHECK(executing_ == 0);
  executing_ = current_root_ = root;
  const bool goes_on = passes_seen(roots_[root].node, side, m);
  executing_ = current_root_ = 0;
  return goes_on;
}

void World::on(const TriggerPoint& point, Action action) {
  PICKLOCK_CHECK(point.count > 0);
  triggers_.push_back({point, action});
  nodes_[point.node].armed_marks |= std::uint64_t{1} << (point.mark.id % 64);
}

void World::announce_deadline(NodeId node, DeadlineKind kind, MonoTime due) {
  record(trace::deadline_announced, node, static_cast<std::uint32_t>(kind), static_cast<std::uint64_t>(due.ns),
         roots_[current_root_].operation.hold);
}

void World::declare_state(NodeId, std::uint64_t state) {
  roots_[current_root_].state_declared = true;
  roots_[current_root_].state = state;
}

std::vector<Waiting> World::waiting() const {
  std::vector<Waiting> all;
  for (SlotId id = 1; id < scheduler_.slot_count(); ++id) {
    const Slot& s = scheduler_[id];
    if (s.kind == SlotKind::free || s.kind == SlotKind::wire || s.kind == SlotKind::action) continue;
    if (s.target == nullptr) continue;  // kept for the next wait
    Waiting w{entity_name(roots_[s.root].entity.id), s.what, std::nullopt};
    if (s.kind != SlotKind::wait && scheduler_.is_scheduled(id)) w.until = scheduler_.time_of(id);
    all.push_back(std::move(w));
  }
  return all;
}

std::size_t World::tasks_alive() const {
  std::size_t n = 0;
  for (std::size_t i = 0; i < used_nodes_; ++i) n += nodes_[i].roots.size();
  return n;
}

std::size_t World::bytes_reserved() const {
  return sizeof *this + arena_.bytes_reserved() + scheduler_.bytes_reserved() + nodes_.bytes_reserved() +
         roots_.bytes_reserved();
}

}  // namespace picklock
