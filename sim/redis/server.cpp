#include "sim/redis/server.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "sim/redis/append_only_file.hpp"
#include "sim/task/check.hpp"

namespace picklock {
namespace {

constexpr std::string_view kLogName = "appendonly.aof";
constexpr std::int64_t kNever_ms = std::numeric_limits<std::int64_t>::max();
// Deadlines beyond are as good as none: in nanoseconds they would overflow.
constexpr std::int64_t kHorizon_ms = kNever_ms / 2'000'000;

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
std::int64_t wall_ms(WallTime t) { return floor_div(t.ns, 1'000'000); }
std::int64_t wall_ms(const Host& host) { return wall_ms(host.wall_now()); }

std::int64_t ttl_ms(std::int64_t expires_at_ms, std::int64_t now_ms) {
  return expires_at_ms == kNoExpiry ? -1 : std::max<std::int64_t>(expires_at_ms - now_ms, 0);
}

// A reply in its bytes: on the stack, unless it is long.
class Encoded {
 public:
  explicit Encoded(const RedisReply& reply) : size_(reply.encoded_size()) {
    if (size_ > small_.size()) large_.resize(size_);
    reply.encode(size_ > small_.size() ? large_.data() : small_.data());
  }
  std::string_view view() const {
    return {size_ > small_.size() ? large_.data() : small_.data(), size_};
  }

 private:
  std::size_t size_;
  std::string large_;
  std::array<char, 256> small_;
};

}  // namespace

// co_await Nap(…): until somebody rings, or `until` has come.
class [[nodiscard]] RedisServer::Nap {
 public:
  Nap(const Service& service, Nap*& place, const char* what, std::optional<MonoTime> until = {},
      bool receives = false)
      : world_(service.world()), place_(place), what_(what), until_(until), node_(service.node()), receives_(receives) {}
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> me) {
    wait_.set(world_, world_.wait(node_, me, what_));
    if (until_) timer_.set(world_, world_.wait_until(node_, me, *until_, what_));
    if (receives_) world_.set_receiver(node_, wait_.id());
    place_ = this;
  }
  void await_resume() {
    place_ = nullptr;
    if (receives_) world_.set_receiver(node_, 0);
    timer_.reset();
    wait_.reset();
  }
  void ring() {
    if (!std::exchange(rung_, true)) world_.wake(wait_.id());
  }
  bool has_timer() const { return timer_.id() != 0; }
  void drop_timer() { timer_.reset(); }

 private:
  World& world_;
  Nap*& place_;  // where the others find it
  const char* what_;
  std::optional<MonoTime> until_;
  NodeId node_;
  bool receives_, rung_ = false;
  OwnedWait wait_, timer_;
};

// What a turn sends leaves at its end.  Lives in the frame of main: what has not left dies with it.
class RedisServer::Outbox {
 public:
  explicit Outbox(World& world) : world_(world) {}

  void hold(bool on) { holding_ = on; }  // else there is nothing to wait for
  void send(ConnectionId to, std::uint64_t call, std::string_view bytes) {
    Message m;
    m.body = Bytes(world_.arena(), bytes);
    m.call = call;
    m.operation = world_.current_operation();
    m.n = world_.next_segment();
    m.connection = to;
    m.direction = 1;
    if (holding_) {
      held_.push_back(std::move(m));
    } else {
      world_.network.send(std::move(m));
    }
  }
  void let_go() {
    for (Message& m : held_) world_.network.send(std::move(m));
    held_.clear();
  }

 private:
  World& world_;
  bool holding_ = false;
  std::vector<Message> held_;
};

// --- the process ---------------------------------------------------------------------------------

void RedisServer::boot(World& world, NodeId node) {
  sessions_.end_all();
  database_.clear();
  log_.reset();
  main_nap_ = cron_nap_ = sync_nap_ = nullptr;
  in_turn_ = cron_due_ = cron_watches_log_ = false;
  cron_deadline_ms_ = kNever_ms;
  cron_period_ = seconds(1) / options_.hz;
  load(world, node);
  const Service service(world, node);
  world.start(node, "main", serve(service));
  world.start(node, "cron", cron(service));
}

// Keys whose deadline has passed are loaded as well, and expire like others.
void RedisServer::load(World& world, NodeId node) {
  const std::int64_t now_ms = wall_ms(world.wall_now(node));
  if (options_.appendonly != AppendOnly::no) {
    Disk& disk = world.disk(node);
    file_ = disk.open(kLogName);
    log_.emplace(options_.appendonly == AppendOnly::always ? AppendFsync::always : AppendFsync::everysec, now_ms);
    const std::string& bytes = disk.contents(file_);
    if (options_.auto_aof_load && !bytes.empty()) {
      const LogLoad found = load_log(bytes, database_);
      PICKLOCK_CHECK(found.end != LogLoad::End::corrupt);
      if (found.valid_bytes < bytes.size()) {
        const std::string valid = bytes.substr(0, found.valid_bytes);
        disk.replace(file_, valid);
      }
    }
  }
  const RedisKeyspace& keys = database_.keys();
  world.record(trace::redis_loaded, node, static_cast<std::uint32_t>(keys.size()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const RedisEntry& entry = keys.at(i);
    world.record(trace::redis_key_loaded, node, 0, hash_of(entry.key.view()),
                 trace::redis_change(static_cast<std::uint8_t>(KeyChange::set), ttl_ms(entry.expires_at_ms, now_ms)));
  }
}

Task<void> RedisServer::serve(Service service) {
  World& world = service.world();
  const NodeId node = service.node();
  Outbox outbox(world);
  service.host().declare_state(0);  // in a nap nothing matters but what fingerprint() covers
  for (;;) {
    const bool nothing = world.inbox(node).empty() && !cron_due_;
    if (nothing) co_await Nap(service, main_nap_, "requests", std::nullopt, true);
    in_turn_ = true;
    std::size_t received = world.inbox(node).size();
    outbox.hold(received > 1 || log_.has_value());
    for (; received > 0; --received) {
      const Message request = world.inbox(node).pop();
      if (request.kind != SegmentKind::data) {  // closed or reset
        sessions_.end(request.connection);
        continue;
      }
      world.serve(request);
      co_await service.compute();
      execute(service, request, outbox);
    }
    if (std::exchange(cron_due_, false)) expire_actively(service);
    if (log_) co_await flush(service);
    outbox.let_go();
    in_turn_ = false;
  }
}

void RedisServer::execute(const Service& service, const Message& request, Outbox& outbox) {
  World& world = service.world();
  const std::int64_t now_ms = wall_ms(service.host());
  RedisSession& session = sessions_.of(request.connection);
  const RedisCommandView command(request.body.view());
  out_.clear();
  const RedisReply reply = database_.execute(session, command, now_ms, out_);
  take_notes(service, now_ms, request.operation.hold);
  for (std::size_t i = 0; i < out_.delivery_count(); ++i) {
    const RedisOutputs::Delivery d = out_.delivery(i);
    const RedisReply push = RedisReply::array(
        {RedisReply::bulk("message"), RedisReply::bulk(d.channel), RedisReply::bulk(d.message)});
    outbox.send(sessions_.connection_of(d.session), 0, Encoded(push).view());
  }
  const Encoded bytes(reply);
  world.record(trace::redis_command, service.node(), session.id(), request.call,
               static_cast<std::uint64_t>(reply.kind()));
  outbox.send(request.connection, request.call, bytes.view());
}

// What the judge is told, what the log is given, and what the cron must know.
void RedisServer::take_notes(const Service& service, std::int64_t now_ms, std::uint32_t hold) {
  if (log_) log_->append(out_);
  if (out_.note_count() == 0) return;
  World& world = service.world();
  std::int64_t earliest_ms = kNever_ms;
  bool lost_a_deadline = false;
  for (std::size_t i = 0; i < out_.note_count(); ++i) {
    const RedisOutputs::Note note = out_.note(i);
    const std::uint64_t key = hash_of(note.key);
    const std::uint32_t by = note.what == KeyChange::expired ? 0 : hold;
    if (note.what <= KeyChange::decremented) {
      const RedisEntry* const entry = database_.keys().find(note.key);
      std::int64_t number = 0;
      if (entry != nullptr && entry->type == RedisType::string && parse_redis_integer(entry->text.view(), number)) {
        world.record(trace::redis_key_value, service.node(), by, key, static_cast<std::uint64_t>(number));
      }
    }
    world.record(trace::redis_key_changed, service.node(), by, key,
                 trace::redis_change(static_cast<std::uint8_t>(note.what), ttl_ms(note.expires_at_ms, now_ms)));
    if (note.expires_at_ms == kNoExpiry) {
      lost_a_deadline = true;
    } else {
      earliest_ms = std::min(earliest_ms, note.expires_at_ms);
    }
  }
  if (cron_nap_ == nullptr) return;
  if (earliest_ms < cron_deadline_ms_) {
    cron_nap_->ring();
  } else if (lost_a_deadline && !cron_watches_log_ && cron_nap_->has_timer() &&
             database_.next_deadline() == kNoExpiry) {
    cron_nap_->drop_timer();
    cron_deadline_ms_ = kNever_ms;
  }
}

// --- the disk ------------------------------------------------------------------------------------

Task<void> RedisServer::flush(Service service) {
  World& world = service.world();
  const Host host = service.host();
  const LogWriter::Actions todo = log_->turn(wall_ms(host));
  if (!todo.write.empty()) {
    if (todo.write_blocks && log_->syncing()) co_await Nap(service, sync_nap_, "the fsync before the write");
    co_await DiskWrite(world, host, file_, todo.write);
  }
  if (todo.sync_before_replies) {
    co_await DiskSync(world, host, file_);
    log_->fsync_finished();
  }
  if (todo.start_sync) host.spawn("fsync", sync_in_background(service));
  if (!log_->idle() && !cron_watches_log_ && cron_nap_ != nullptr) cron_nap_->ring();
}

Task<void> RedisServer::sync_in_background(Service service) {
  World& world = service.world();
  const Host host = service.host();
  world.serve_background(static_cast<std::uint32_t>(host.monotonic_now().ns / seconds(1).ns) + 1);
  host.declare_state(0);
  co_await DiskSync(world, host, file_);
  log_->fsync_finished();
  if (sync_nap_ != nullptr) sync_nap_->ring();
}

// --- the background cycle --------------------------------------------------------------------------

// Ticks hz times a second on a grid of its own.  Ticks at which nothing could happen are left out,
// which nobody can tell: they would delete nothing and draw nothing.
Task<void> RedisServer::cron(Service service) {
  const Host host = service.host();
  const Law phases = Law::uniform(std::int64_t{0}, cron_period_.ns - 1);
  cron_phase_ = MonoTime{host.draw(Purpose::start, phases)};
  host.declare_state(0);
  for (;;) {
    const std::optional<MonoTime> tick = next_tick(host);
    co_await Nap(service, cron_nap_, "a deadline", tick);
    if (!tick || host.monotonic_now() < *tick || !cron_has_work(host)) continue;
    cron_due_ = true;
    if (main_nap_ != nullptr) main_nap_->ring();
  }
}

std::int64_t RedisServer::first_instant_ms(std::int64_t deadline_ms) const {
  return options_.expire_at_deadline ? deadline_ms : deadline_ms + 1;
}

std::optional<MonoTime> RedisServer::next_tick(const Host& host) {
  const std::int64_t deadline_ms = database_.next_deadline();
  const bool some = deadline_ms != kNoExpiry && deadline_ms < kHorizon_ms;
  cron_deadline_ms_ = some ? deadline_ms : kNever_ms;
  cron_watches_log_ = log_ && !log_->idle();
  if (!some && !cron_watches_log_) return std::nullopt;
  const MonoTime now = host.monotonic_now();
  MonoTime wanted = now + nanoseconds(1);  // the next tick, whatever happens now
  if (!cron_watches_log_) {
    const WallTime due{first_instant_ms(deadline_ms) * 1'000'000};
    wanted = std::max(wanted, now + (due - host.wall_now()));
  }
  const std::int64_t ticks = -floor_div(-(wanted - cron_phase_).ns, cron_period_.ns);
  return cron_phase_ + cron_period_ * ticks;
}

bool RedisServer::cron_has_work(const Host& host) const {
  if (log_ && !log_->idle()) return true;
  const std::int64_t deadline_ms = database_.next_deadline();
  return deadline_ms != kNoExpiry && first_instant_ms(deadline_ms) <= wall_ms(host);
}

void RedisServer::expire_actively(const Service& service) {
  const Host& host = service.host();
  const std::int64_t cycle = floor_div((host.monotonic_now() - cron_phase_).ns, cron_period_.ns);
  service.world().serve_background(static_cast<std::uint32_t>(cycle) + 1);
  const std::int64_t now_ms = wall_ms(host);
  const auto draw = [&host](std::uint32_t n) {
    return host.draw(Purpose::expire_sample, Law::uniform(std::int64_t{0}, std::int64_t{n} - 1));
  };
  out_.clear();
  database_.active_expire_cycle(
      now_ms, draw, out_, options_.expire_at_deadline ? ActiveExpiry::at_deadline : ActiveExpiry::after_deadline);
  take_notes(service, now_ms, 0);
}

// --- for others ------------------------------------------------------------------------------------

// Deadlines are of the wall clock, the cron's sleep is of the other one.
void RedisServer::clock_stepped(World& world, NodeId node) {
  if (world.alive(node) && cron_nap_ != nullptr) cron_nap_->ring();
}

std::uint64_t RedisServer::fingerprint(const World& world, NodeId node) const {
  const bool alive = world.alive(node);
  if (!alive) return 0;
  const bool plain = !in_turn_ && !cron_due_ && sessions_.all_plain() && !log_;
  std::uint64_t h = plain ? 1 : mix(world.events(), static_cast<std::uint64_t>(world.now().ns));
  constexpr std::int64_t kShift = std::int64_t{1} << 50;  // so that none looks like kNoExpiry
  const WallTime now = world.wall_now(node);
  RedisKeyspace keys = database_.keys();
  bool deadlines = false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::int64_t& deadline_ms = keys.at(i).expires_at_ms;
    if (deadline_ms == kNoExpiry) continue;
    deadlines = true;
    deadline_ms += kShift - wall_ms(now);
  }
  h = mix(h, keys.fingerprint());
  if (deadlines) h = mix(h, static_cast<std::uint64_t>(now.ns - wall_ms(now) * 1'000'000));
  const std::int64_t since_tick = (world.monotonic_now(node) - cron_phase_).ns % cron_period_.ns;
  return mix(h, static_cast<std::uint64_t>(since_tick));
}

RedisInspect RedisServer::inspect(const World& world, NodeId node) const {
  return world.alive(node) ? RedisInspect(database_.keys(), wall_ms(world.wall_now(node))) : RedisInspect();
}

}  // namespace picklock
