#include "sim/redis/master_side.hpp"

#include <algorithm>
#include <vector>

#include "sim/redis/append_only_file.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/link_messages.hpp"

namespace picklock {
namespace {

// The mistake of RedisFlaws::relative_expiry.
RedisCommand with_time_left(const RedisCommandView& command, std::int64_t now_ms) {
  RedisCommand changed;
  const bool pexpireat = is_redis_word(command.arg(0), "PEXPIREAT");
  bool deadline_next = false;
  for (std::size_t i = 0; i < command.argc(); ++i) {
    std::int64_t number = 0;
    if ((deadline_next || (pexpireat && i == 2)) && parse_redis_integer(command.arg(i), number)) {
      changed.add(std::max<std::int64_t>(number - now_ms, 1));
    } else if (pexpireat && i == 0) {
      changed.add("PEXPIRE");
    } else {
      deadline_next = is_redis_word(command.arg(i), "PXAT");
      changed.add(deadline_next ? "PX" : command.arg(i));
      continue;
    }
    deadline_next = false;
  }
  return changed;
}

RedisOutputs with_time_left(const RedisOutputs& out, std::int64_t now_ms) {
  RedisOutputs relative;
  for (std::size_t u = 0; u < out.unit_count(); ++u) {
    out.for_each_effect_of(u, [&](const RedisCommandView& command, RedisEffectKind kind) {
      const RedisCommand changed = with_time_left(command, now_ms);
      relative.add_effect(changed.bytes(), kind);
    });
    relative.end_unit();
  }
  return relative;
}

}  // namespace

void RedisMasterSide::boot() {
  ids_drawn_ = 0;
  stream_.reset({});  // ids are drawn when they are needed
  stream_.set_backlog_size(config_.options().repl_backlog_size);
  replicas_.all().clear();
  seconds_ = 0;
}

void RedisMasterSide::follow_config() {
  stream_.set_backlog_size(config_.options().repl_backlog_size);
  database_.set_role(database_.role(), !config_.options().replica_read_only);
  count_good_replicas();
}

// --- the stream ----------------------------------------------------------------------------------

void RedisMasterSide::feed_effects(const RedisOutputs& out, std::uint32_t hold) {
  if (config_.flaws().relative_expiry) return feed_units(with_time_left(out, process_.now_ms()), hold);
  feed_units(out, hold);
}

void RedisMasterSide::feed_units(const RedisOutputs& out, std::uint32_t hold) {
  for (std::size_t u = 0; u < out.unit_count(); ++u) {
    unit_.clear();
    encode_unit(out, u, hold, unit_);
    feed_unit(unit_);
  }
}

void RedisMasterSide::feed_word(const RedisCommand& command) {
  unit_.clear();
  encode_unit(command, unit_);
  feed_unit(unit_);
}

void RedisMasterSide::feed_unit(std::string_view unit) {
  const std::int64_t start = stream_.append(unit);
  for (const RedisReplica& r : replicas_.all()) {
    if (r.online) send_unit(r, start, unit);
  }
}

void RedisMasterSide::send_unit(const RedisReplica& to, std::int64_t start, std::string_view unit) {
  process_.push(to.connection, RedisLinkMessage{RedisLinkMessage::Kind::unit, {}, start, std::string(unit)});
}

// --- replicas ------------------------------------------------------------------------------------

// Keeps the order of replicationCron().
void RedisMasterSide::tick(bool is_master) {
  const std::int64_t now = process_.now_s();
  const std::int64_t timeout = whole_seconds(config_.options().repl_timeout);
  const std::int64_t ping_period = whole_seconds(config_.options().repl_ping_replica_period);
  if (is_master && !replicas_.all().empty() && seconds_ % ping_period == 0) feed_word(RedisCommand("PING"));
  std::vector<ConnectionId> silent;
  for (const RedisReplica& r : replicas_.all()) {
    if (!r.online) process_.push(r.connection, RedisLinkMessage{});
    if (r.online && now - r.acked_s > timeout) silent.push_back(r.connection);
  }
  for (const ConnectionId c : silent) end_replica(c);
  send_snapshots();
  count_good_replicas();
  ++seconds_;
}

// All that wait get the same, as soon as one has waited long enough.
void RedisMasterSide::send_snapshots() {
  const std::int64_t now = process_.now_s();
  const std::int64_t delay = whole_seconds(config_.options().repl_diskless_sync_delay);
  bool due = false;
  for (const RedisReplica& r : replicas_.all()) due |= !r.online && (r.at_once || now - r.attached_s >= delay);
  if (!due) return;
  RedisLinkMessage snapshot{RedisLinkMessage::Kind::snapshot, stream_.id(), stream_.offset(), {}};
  rewrite_log(database_.keys(), snapshot.data);
  for (RedisReplica& r : replicas_.all()) {
    if (r.online) continue;
    r.online = true;
    r.acked_s = now;
    process_.push(r.connection, snapshot);
  }
  count_good_replicas();
}

std::optional<RedisReply> RedisMasterSide::attach(const RedisCall& call, ConnectionId connection, bool has_data) {
  if (replicas_.of(connection) != nullptr) return std::nullopt;
  if (!has_data) return RedisReply::error("NOMASTERLINK Can't SYNC while not connected with my master");
  std::int64_t next = 0;
  if (!parse_redis_integer(call.arg(2), next)) return redis_error::not_an_integer();
  RedisReplica replica;
  replica.connection = connection;
  replica.node = process_.world().network.opener(connection).value_or(0);
  replica.attached_s = replica.acked_s = process_.now_s();
  replica.online = stream_.can_resume(ReplicationId::parse(call.arg(1)), next - 1);
  replica.at_once = is_redis_word(call.arg(3), "IN-PLACE") || config_.options().repl_diskless_sync_delay < seconds(1);
  if (!stream_.has_backlog()) {
    stream_.begin_new_history(new_id());
    stream_.open_backlog();
  }
  if (replica.online) {
    process_.push(connection, RedisLinkMessage{RedisLinkMessage::Kind::goes_on, stream_.id(), 0, {}});
    stream_.for_each_after(next - 1,
                           [&](std::int64_t start, std::string_view unit) { send_unit(replica, start, unit); });
  }
  replicas_.all().push_back(replica);
  send_snapshots();
  count_good_replicas();
  cron_.seconds_are_needed();
  return std::nullopt;
}

void RedisMasterSide::acknowledged(ConnectionId connection, std::int64_t offset) {
  RedisReplica* const replica = replicas_.of(connection);
  if (replica == nullptr) return;
  replica->ack_offset = std::max(replica->ack_offset, offset);
  replica->acked_s = process_.now_s();
}

void RedisMasterSide::end_replica(ConnectionId connection) {
  replicas_.remove(connection);
  sessions_.close(connection);
  count_good_replicas();
}

void RedisMasterSide::end_replicas() {
  while (!replicas_.all().empty()) end_replica(replicas_.all().back().connection);
}

void RedisMasterSide::count_good_replicas() {
  const RedisOptions& options = config_.options();
  good_ = replicas_.good(process_.now_s(), whole_seconds(options.min_replicas_max_lag));
  const bool matters = options.min_replicas_to_write != 0 && options.min_replicas_max_lag >= seconds(1);
  database_.set_enough_replicas(!matters || good_ >= options.min_replicas_to_write);
}

}  // namespace picklock
