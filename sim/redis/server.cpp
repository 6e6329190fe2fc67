#include "sim/redis/server.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "sim/redis/append_only_file.hpp"
#include "sim/redis/server_parts.hpp"

namespace picklock {
namespace {

constexpr std::string_view kLogName = "appendonly.aof";
std::int64_t ttl_ms(std::int64_t expires_at_ms, std::int64_t now_ms) {
  return expires_at_ms == kNoExpiry ? -1 : std::max<std::int64_t>(expires_at_ms - now_ms, 0);
}

}  // namespace

// --- the process ---------------------------------------------------------------------------------

void RedisServer::boot(World& world, NodeId node) {
  world_ = &world;
  node_ = node;
  if (world.incarnation(node) == 0) {
    stored_ = given_;
    had_a_role_ = false;
  }
  if (bus_ != nullptr) boot_bus();
  options_ = stored_.options;
  sessions_.end_all();
  database_.clear();
  database_.set_watch_sees_expiry(options_.watch_sees_expiry);
  log_.reset();
  main_nap_ = cron_nap_ = sync_nap_ = nullptr;
  outbox_ = nullptr;
  in_turn_ = cron_due_ = cron_watches_log_ = out_of_service_ = false;
  cron_deadline_ms_ = kNever_ms;
  cron_period_ = seconds(1) / options_.hz;
  begin_replication();
  load(world, node);
  const Service service(world, node);
  world.start(node, "main", serve(service));
  world.start(node, "cron", cron(service));
  if (bus_ != nullptr) world.start(node, "cluster", keep_time_of_bus(service));
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
  record_keys();
}

void RedisServer::record_keys() {
  const std::int64_t now_ms = wall_ms(world_->wall_now(node_));
  const RedisKeyspace& keys = database_.keys();
  world_->record(trace::redis_loaded, node_, static_cast<std::uint32_t>(keys.size()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const RedisEntry& entry = keys.at(i);
    world_->record(trace::redis_key_loaded, node_, 0, hash_of(entry.key.view()),
                   trace::redis_change(static_cast<std::uint8_t>(KeyChange::set), ttl_ms(entry.expires_at_ms, now_ms)));
  }
}

Task<void> RedisServer::stay_out_of_service(Service service) {
  const Host& host = service.host();
  const bool by_wall = options_.restart_delay_clock == RestartClock::wall;
  const MonoTime until = host.monotonic_now() + options_.restart_delay;
  const WallTime wall_until = host.wall_now() + options_.restart_delay;
  out_of_service_ = true;
  for (;;) {
    const Duration left = by_wall ? wall_until - host.wall_now() : until - host.monotonic_now();
    if (left <= Duration{}) break;
    co_await Nap(service, main_nap_, "restart delay", host.monotonic_now() + left, true);
    Ring<Message>& inbox = service.world().inbox(service.node());
    while (!inbox.empty()) {
      const Message message = inbox.pop();
      if (message.kind == SegmentKind::data) service.close(message.connection);
    }
  }
  out_of_service_ = false;
}

Task<void> RedisServer::serve(Service service) {
  World& world = service.world();
  const NodeId node = service.node();
  const bool again = world.incarnation(node) > 0;
  if (again && options_.restart_delay > Duration{}) co_await stay_out_of_service(service);
  Outbox outbox(world);
  outbox_ = &outbox;
  service.host().declare_state(0);  // in a nap nothing matters but what fingerprint() covers
  if (link_.master != 0) {
    world.serve_background(kBootOrdinal);
    connect_to_master();
  }
  for (;;) {
    const bool nothing = world.inbox(node).empty() && !cron_due_ && !bus_due_ && released_.empty();
    if (nothing) {
      const std::optional<MonoTime> until = waits_.empty() ? std::nullopt : next_wait_deadline(service.host());
      co_await Nap(service, main_nap_, "requests", until, true);
    }
    in_turn_ = true;
    std::size_t received = world.inbox(node).size() + released_.size();
    outbox.hold(received > 1 || log_.has_value());
    for (; received > 0; --received) {
      Message request = next_message(world);
      if (request.kind != SegmentKind::data) {
        connection_news(request);
        continue;
      }
      if (cannot_be_served(request)) continue;
      world.serve(request);
      co_await service.compute();
      if (bus_ != nullptr && request.call == kBusCall) {
        bus_->receive(request);
        follow_bus();
      } else if (request.direction == 1) {
        hear_from_master(request);
      } else {
        execute(service, request, outbox);
      }
    }
    if (std::exchange(cron_due_, false)) do_cron_work(service);
    end_turn_of_replication(service.host());
    if (bus_ != nullptr && std::exchange(bus_due_, false)) tick_bus();
    if (log_) co_await flush(service);
    if (bus_ != nullptr) {
      if (bus_->must_store()) co_await store_bus(service);
      bus_->let_go();
    }
    outbox.let_go();
    in_turn_ = false;
  }
}

Message RedisServer::next_message(World& world) {
  if (released_.empty()) return world.inbox(node_).pop();
  Message message = std::move(released_.front());
  released_.pop_front();
  return message;
}

void RedisServer::connection_news(const Message& message) {
  if (message.direction == 1) {
    if (bus_ == nullptr || message.connection == link_.connection) return link_news(message);
    world_->serve(message);
    return bus_->receive(message);
  }
  sessions_.end(message.connection);
  if (replicas_.remove(message.connection)) count_good_replicas();
  std::erase_if(waits_, [&](const BlockedWait& w) { return w.connection == message.connection; });
}

// Its connection has been closed here, or waits for replicas: then the message is kept.
bool RedisServer::cannot_be_served(Message& message) {
  if (message.direction == 1) return false;
  if (sessions_.is_shut(message.connection)) return true;
  BlockedWait* const wait = waits_.empty() ? nullptr : blocked(message.connection);
  if (wait != nullptr) wait->queue.push_back(std::move(message));
  return wait != nullptr;
}

void RedisServer::execute(const Service& service, const Message& request, Outbox& outbox) {
  World& world = service.world();
  const std::int64_t now_ms = wall_ms(service.host());
  RedisSession& session = sessions_.of(request.connection);
  const RedisCommandView command(request.body.view());
  out_.clear();
  request_ = &request;
  std::optional<RedisReply> instead = bus_ != nullptr ? bus_says(session, command, now_ms) : std::nullopt;
  const RedisReply reply = instead ? std::move(*instead) : database_.execute(session, command, now_ms, out_);
  take_notes(now_ms, request.operation.hold);
  if (request.operation.hold != 0) first_heard_.note(request.operation.hold, world_->now());
  feed(request.operation.hold);
  send_deliveries();
  if (stream_.has_backlog()) sessions_.written_up_to(request.connection) = stream_.offset();
  const bool silent = std::exchange(answers_later_, false);
  world.record(trace::redis_command, service.node(), session.id(), request.call,
               static_cast<std::uint64_t>(reply.kind()));
  if (silent) return;
  const EncodedReply bytes(reply);
  outbox.send(request.connection, request.call, bytes.view());
}

void RedisServer::send_deliveries() {
  for (std::size_t i = 0; i < out_.delivery_count(); ++i) {
    const RedisOutputs::Delivery d = out_.delivery(i);
    const RedisReply push =
        RedisReply::array({RedisReply::bulk("message"), RedisReply::bulk(d.channel), RedisReply::bulk(d.message)});
    outbox_->send(sessions_.connection_of(d.session), 0, EncodedReply(push).view());
  }
}

// What the judge is told, what the log is given, and what the cron must know.
void RedisServer::take_notes(std::int64_t now_ms, std::uint32_t hold) {
  if (log_) log_->append(out_);
  if (out_.note_count() == 0) return;
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
        world_->record(trace::redis_key_value, node_, by, key, static_cast<std::uint64_t>(number));
      }
    }
    out_.for_each_field_of(i, [&](std::string_view field) { record_field(note.key, field, by); });
    world_->record(trace::redis_key_changed, node_, by, key,
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
  } else if (lost_a_deadline && !cron_watches_log_ && !counted_seconds_ && cron_nap_->has_timer() &&
             database_.next_deadline() == kNoExpiry) {
    cron_nap_->drop_timer();
    cron_deadline_ms_ = kNever_ms;
  }
}

void RedisServer::record_field(std::string_view key, std::string_view name, std::uint32_t by) {
  const RedisEntry* const entry = database_.keys().find(key);
  const RedisField* const field = entry != nullptr && entry->type == RedisType::hash ? entry->field(name) : nullptr;
  std::int64_t number = 0;
  if (field == nullptr) {
    world_->record(trace::redis_field_removed, node_, by, hash_of(name));
  } else if (parse_redis_integer(field->value.view(), number)) {
    world_->record(trace::redis_field_number, node_, by, hash_of(name), static_cast<std::uint64_t>(number));
  } else {
    world_->record(trace::redis_field_text, node_, by, hash_of(name), hash_of(field->value.view()));
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
    if (!tick || host.monotonic_now() < *tick) continue;
    const std::int64_t second = floor_div(cycle_at(host.monotonic_now()), options_.hz);
    const bool new_second = counted_seconds_ && second > last_second_;
    if (!new_second && !cron_has_work(host)) continue;
    if (new_second) {
      last_second_ = second;
      second_due_ = true;
    }
    cron_due_ = true;
    if (main_nap_ != nullptr) main_nap_->ring();
  }
}

std::int64_t RedisServer::first_instant_ms(std::int64_t deadline_ms) const {
  return options_.expire_at_deadline ? deadline_ms : deadline_ms + 1;
}

std::optional<MonoTime> RedisServer::next_tick(const Host& host) {
  const std::int64_t deadline_ms = own_next_deadline();
  const bool some = deadline_ms != kNoExpiry && deadline_ms < kHorizon_ms;
  cron_deadline_ms_ = some ? deadline_ms : kNever_ms;
  cron_watches_log_ = log_ && !log_->idle();
  const MonoTime now = host.monotonic_now();
  if (!counts_seconds()) {
    counted_seconds_ = false;
    if (!some && !cron_watches_log_) return std::nullopt;
  } else if (!std::exchange(counted_seconds_, true)) {
    last_second_ = floor_div(cycle_at(now), options_.hz);
  }
  MonoTime wanted = now + nanoseconds(1);  // the next tick, whatever happens now
  if (!cron_watches_log_) {
    MonoTime work = cron_phase_ + cron_period_ * ((last_second_ + 1) * options_.hz);
    if (some) {
      const MonoTime due = now + (WallTime{first_instant_ms(deadline_ms) * 1'000'000} - host.wall_now());
      work = counted_seconds_ ? std::min(work, due) : due;
    }
    wanted = std::max(wanted, work);
  }
  const std::int64_t ticks = -floor_div(-(wanted - cron_phase_).ns, cron_period_.ns);
  return cron_phase_ + cron_period_ * ticks;
}

bool RedisServer::cron_has_work(const Host& host) const {
  if (log_ && !log_->idle()) return true;
  const std::int64_t deadline_ms = own_next_deadline();
  return deadline_ms != kNoExpiry && first_instant_ms(deadline_ms) <= wall_ms(host);
}

std::int64_t RedisServer::cycle_at(MonoTime now) const { return floor_div((now - cron_phase_).ns, cron_period_.ns); }

// Of the keys that this server deletes itself: a replica waits for its master.
std::int64_t RedisServer::own_next_deadline() const {
  return link_.master == 0 ? database_.next_deadline() : kNoExpiry;
}

void RedisServer::do_cron_work(const Service& service) {
  service.world().serve_background(static_cast<std::uint32_t>(cycle_at(service.host().monotonic_now())) + 1);
  expire_actively(service);
  if (std::exchange(second_due_, false)) replication_cron();
}

void RedisServer::expire_actively(const Service& service) {
  const Host& host = service.host();
  const std::int64_t now_ms = wall_ms(host);
  const auto draw = [&host](std::uint32_t n) {
    return host.draw(Purpose::expire_sample, Law::uniform(std::int64_t{0}, std::int64_t{n} - 1));
  };
  out_.clear();
  database_.active_expire_cycle(now_ms, draw, out_,
                                options_.expire_at_deadline ? ActiveExpiry::at_deadline : ActiveExpiry::after_deadline);
  take_notes(now_ms, 0);
  feed(0);
}

// --- for others ------------------------------------------------------------------------------------

// Deadlines are of the wall clock, the cron's sleep is of the other one.
void RedisServer::clock_stepped(World& world, NodeId node) {
  if (!world.alive(node)) return;
  if (cron_nap_ != nullptr) cron_nap_->ring();
  if (main_nap_ != nullptr && (out_of_service_ || !waits_.empty())) main_nap_->ring();
}

std::uint64_t RedisServer::fingerprint(const World& world, NodeId node) const {
  const bool alive = world.alive(node);
  if (!alive) return 0;
  const bool plain = !in_turn_ && !cron_due_ && sessions_.all_plain() && !log_ && !stream_.has_backlog() &&
                     link_.master == 0 && bus_ == nullptr;
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
