#include "sim/redis/server.hpp"

#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"

namespace picklock {
namespace {

constexpr std::uint32_t kBootOrdinal = 0x80000000;  // operation number of main at a boot

}  // namespace

RedisServer::RedisServer(std::span<const RedisScript* const> scripts, const RedisOptions& options)
    : config_(options),
      cron_(process_, config_, *this),
      store_(scripts, process_, config_, cron_),
      sessions_(process_, store_.database()),
      master_side_(process_, config_, cron_, store_.database(), sessions_),
      replica_side_(process_, config_, cron_, store_, sessions_, master_side_),
      waits_(process_, sessions_, master_side_),
      bus_(process_, config_) {
  store_.database().set_control(this);
}

// --- the process ---------------------------------------------------------------------------------

void RedisServer::boot(World& world, NodeId node) {
  process_.boot(world, node);
  if (world.nodes.incarnation(node) == 0) {
    config_.begin_run();
    replica_side_.begin_run();
  }
  bus_.boot();
  config_.boot();
  sessions_.end_all();
  store_.boot();
  cron_.boot();
  packets_ = nullptr;
  phase_ = Phase::between_turns;
  answers_later_ = false;
  master_side_.boot();
  waits_.boot();
  replica_side_.boot();
  store_.load();
  const Service service(world, node);
  world.tasks.start(node, "main", serve(service));
  world.tasks.start(node, "cron", cron_.keep_time(service));
  if (bus_.is_taken()) world.tasks.start(node, "cluster", bus_.keep_time(service));
}

Task<void> RedisServer::stay_out_of_service(Service service) {
  const Host& host = service.host();
  const RedisOptions& options = config_.options();
  const bool by_wall = options.restart_delay_clock == RestartClock::wall;
  const MonoTime until = host.monotonic_now() + options.restart_delay;
  const WallTime wall_until = host.wall_now() + options.restart_delay;
  phase_ = Phase::out_of_service;
  for (;;) {
    const Duration left = by_wall ? wall_until - host.wall_now() : until - host.monotonic_now();
    if (left <= Duration{}) break;
    co_await service.wait({.until = host.monotonic_now() + left, .bell = &process_.main(), .what = "restart delay"});
    while (const std::optional<Message> message = service.take_message()) {
      if (message->kind == SegmentKind::data) service.close(message->connection);
    }
  }
  phase_ = Phase::between_turns;
}

Task<void> RedisServer::serve(Service service) {
  World& world = service.world();
  const NodeId node = service.node();
  const bool again = world.nodes.incarnation(node) > 0;
  if (again && config_.options().restart_delay > Duration{}) co_await stay_out_of_service(service);
  Outbox outbox(world), packets(world);
  RedisWaits::Kept kept;
  waits_.keep_in(kept);
  process_.send_through(outbox);
  packets.hold(true);
  packets_ = &packets;
  service.host().declare_state(0);  // between turns only the state in fingerprint() matters
  if (!replica_side_.is_master()) {
    world.tasks.serve_background(kBootOrdinal);
    replica_side_.connect();
  }
  StandingWait wait = service.standing_wait({.bell = &process_.main(), .what = "requests"});
  for (;;) {
    const bool nothing = world.nodes.inbox(node).empty() && !cron_.is_due() && !bus_.is_due() && waits_.released() == 0;
    if (nothing) {
      const std::optional<MonoTime> until = waits_.any() ? waits_.next_deadline(service.host()) : std::nullopt;
      co_await wait.until(until);
    }
    phase_ = Phase::in_turn;
    std::size_t received = world.nodes.inbox(node).size() + waits_.released();
    const bool holds = received > 1 || store_.log().is_on();  // otherwise there is no fsync to wait for
    outbox.hold(holds);
    for (; received > 0; --received) {
      Message request = waits_.released() != 0 ? waits_.take_released() : world.nodes.inbox(node).pop();
      if (request.kind != SegmentKind::data) {
        hear_news(request);
        continue;
      }
      if (cannot_be_served(request)) continue;
      world.tasks.serve(request);
      co_await service.compute();
      handle(request);
    }
    if (!holds && !cron_.is_due() && !waits_.any() && !bus_.is_taken()) {  // mostly: its answer has left
      phase_ = Phase::between_turns;
      continue;
    }
    if (cron_.take_due()) do_cron_work(service);
    waits_.end_turn();
    if (bus_.take_due()) tick_bus();
    if (store_.log().is_on()) {
      co_await store_.log().flush(service);
      if (store_.log().is_busy()) cron_.log_has_work();
    }
    if (bus_.is_taken() && bus_.must_store()) co_await bus_.store(service);
    packets.release();
    outbox.release();
    phase_ = Phase::between_turns;
  }
}

void RedisServer::hear_news(const Message& message) {
  if (message.direction == 1) {
    if (!bus_.is_taken() || replica_side_.is_of_link(message)) return replica_side_.hear_news(message);
    process_.world().tasks.serve(message);
    return bus_.receive(message, *packets_);
  }
  sessions_.end(message.connection);
  master_side_.forget(message.connection);
  waits_.forget(message.connection);
}

void RedisServer::handle(const Message& request) {
  if (bus_.is_taken() && request.call == kBusCall) {
    bus_.receive(request, *packets_);
    follow_bus();
  } else if (request.direction == 1) {
    replica_side_.hear(request);
  } else {
    execute(request);
  }
}

void RedisServer::execute(const Message& request) {
  const std::int64_t now_ms = process_.now_ms();
  const std::uint32_t hold = request.operation.hold;
  RedisSession& session = sessions_.of(request.connection);
  request_ = &request;
  const RedisCommandView command(request.body);
  store_.clear_outputs(stream().has_backlog());
  RedisReply reply =
      bus_.is_taken() ? reply_in_cluster(session, command, now_ms) : store_.execute(session, command, now_ms);
  store_.journal().served(hold);
  if (!store_.out().empty()) {
    store_.settle(now_ms, hold);
    if (replica_side_.is_master()) master_side_.feed(store_.out(), hold);
    sessions_.deliver(store_.out());
  }
  if (stream().has_backlog()) sessions_.written_up_to(request.connection) = stream().offset();
  const bool silent = std::exchange(answers_later_, false);
  process_.record(trace::redis_command, session.id(), request.call, static_cast<std::uint64_t>(reply.kind()));
  if (!silent) process_.answer(request, std::move(reply));
}

RedisReply RedisServer::reply_in_cluster(RedisSession& session, const RedisCommandView& command, std::int64_t now_ms) {
  const bool exec = session.in_transaction() && is_redis_word(command.arg(0), "EXEC");
  std::optional<RedisReply> instead = bus_.answer(session, command);
  if (!instead) return store_.execute(session, command, now_ms);
  if (exec) (void)store_.execute(session, command, now_ms);  // ends the transaction, and runs nothing
  return std::move(*instead);
}

// --- background work -----------------------------------------------------------------------------

// A replica waits for its master to delete a key.
std::int64_t RedisServer::next_deadline_ms() const {
  return replica_side_.is_master() ? store_.next_deadline_ms() : kNoExpiry;
}

void RedisServer::do_cron_work(const Service& service) {
  const std::int64_t tick = cron_.ticks_at(service.host().monotonic_now());
  service.world().tasks.serve_background(static_cast<std::uint32_t>(tick) + 1);
  store_.clear_outputs(stream().has_backlog());
  store_.expire_actively(service.host());
  if (replica_side_.is_master()) master_side_.feed(store_.out(), 0);
  if (!cron_.take_second()) return;
  replica_side_.tick();
  master_side_.tick(replica_side_.is_master());
}

void RedisServer::tick_bus() {
  RedisBus::Replication replication{stream().offset(), {}};
  if (link().connected()) {
    replication.age_ms = (process_.now_s() - link().heard_s) * 1000;
  } else if (link().down_since_s) {
    replication.age_ms = (process_.now_s() - *link().down_since_s) * 1000;
  }
  bus_.tick(replication, *packets_);
  follow_bus();
}

// A role that was lost to another is given up, and one that was won is taken.
void RedisServer::follow_bus() {
  if (bus_.master() != replica_side_.master()) {
    if (bus_.master() == 0) {
      replica_side_.promote();
    } else {
      become_replica(bus_.master());
    }
  }
  bus_.record_serving();
}

// --- for others ----------------------------------------------------------------------------------

// Deadlines are of the wall clock, the cron's sleep is of the other one.
void RedisServer::clock_stepped(World& world, NodeId node) {
  if (!world.nodes.alive(node)) return;
  cron_.look_again();
  if (phase_ == Phase::out_of_service || waits_.any()) process_.main().ring();
}

std::uint64_t RedisServer::fingerprint(const World& world, NodeId node) const {
  if (!world.nodes.alive(node)) return 0;
  const bool plain = phase_ != Phase::in_turn && !cron_.is_due() && sessions_.all_plain() && !store_.log().is_on() &&
                     !stream().has_backlog() && replica_side_.is_master() && !bus_.is_taken();
  std::uint64_t h = plain ? 1 : world.lives.of(node);
  constexpr std::int64_t kShift = std::int64_t{1} << 50;  // no result looks like kNoExpiry
  const WallTime now = world.tasks.wall_now(node);
  RedisKeyspace keys = store_.keys();
  bool deadlines = false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::int64_t& deadline_ms = keys.at(i).expires_at_ms;
    if (deadline_ms == kNoExpiry) continue;
    deadlines = true;
    deadline_ms += kShift - wall_ms(now);
  }
  h = mix(mix(h, keys.fingerprint()), store_.database().texts().fingerprint());
  if (deadlines) h = mix(h, static_cast<std::uint64_t>(now.ns - wall_ms(now) * 1'000'000));
  return mix(h, static_cast<std::uint64_t>(cron_.ns_since_tick(world.tasks.monotonic_now(node))));
}

RedisInspect RedisServer::inspect(const World& world, NodeId node) const {
  return world.nodes.alive(node) ? RedisInspect(store_.keys(), wall_ms(world.tasks.wall_now(node))) : RedisInspect();
}

}  // namespace picklock
