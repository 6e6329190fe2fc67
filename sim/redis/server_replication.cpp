// Replication of the server: its cron, what a master does for its replicas, and WAIT.
//
// Follows redis 7.0's src/replication.c.  A unit of the stream is one message, so that it arrives, is
// applied and is acknowledged as a whole.
//
// Left out: repl-diskless-load, replica-announce-*, and the wait of a replica's stream for its first
// acknowledgement after a snapshot (the stream follows the snapshot at once, in order).
#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/redis/append_only_file.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/server_parts.hpp"

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

}  // namespace

std::int64_t RedisServer::now_s() const { return floor_div(wall_ms(world_->wall_now(node_)), 1000); }

// Ids of one process are named by its incarnation: "redis/start@redis#1.2" is its second.
ReplicationId RedisServer::new_id() {
  const std::uint64_t hash = hash_of(world_->node_name(node_));
  const std::uint32_t entity = static_cast<std::uint32_t>(node_) << 16;
  const std::uint32_t life = world_->incarnation(node_) + 1;
  const Operation op{Operation::key_of(hash, life), entity, life, 0};
  return {world_->draws.bits(world_->now(), {hash, entity}, Purpose::start, op, ++ids_drawn_) | 1};
}

std::uint64_t RedisServer::run_id() const {
  const std::uint64_t hash = hash_of(world_->node_name(node_));
  const std::uint32_t entity = static_cast<std::uint32_t>(node_) << 16;
  const std::uint32_t life = world_->incarnation(node_) + 1;
  const Operation op{Operation::key_of(hash, life), entity, life, 0};
  return world_->draws.bits(world_->now(), {hash, entity}, Purpose::start, op, 0);
}

void RedisServer::begin_replication() {
  ids_drawn_ = 0;
  stream_.reset({});  // ids are drawn when they are needed
  stream_.set_backlog_size(options_.repl_backlog_size);
  replicas_.all().clear();
  link_ = {};
  link_.master = stored_.master;
  link_.at_once = stored_.link_in_place && world_->incarnation(node_) == 0;
  waits_.clear();
  released_.clear();
  unapplied_.clear();
  seconds_ = last_second_ = 0;
  second_due_ = counted_seconds_ = answers_later_ = asks_for_acks_ = false;
  database_.set_role(link_.master != 0 ? RedisRole::replica : RedisRole::master, !options_.replica_read_only);
  count_good_replicas();
  if (had_a_role_ || link_.master != 0) follow_own_role();
}

void RedisServer::end_turn_of_replication(const Host& host) {
  if (waits_.empty()) return;
  end_waits(host);
  if (!std::exchange(asks_for_acks_, false) || waits_.empty()) return;
  unit_.clear();
  const RedisCommand getack("REPLCONF", "GETACK", "*");
  encode_unit(getack, unit_);
  if (stream_.has_backlog()) feed_unit(unit_);
}

// Once a second; in the order of replicationCron().
void RedisServer::replication_cron() {
  const std::int64_t now = now_s();
  const std::int64_t timeout = whole_seconds(options_.repl_timeout);
  if (link_.master != 0) {
    apply_received();
    if (link_.opening() && now - link_.heard_s > timeout) lose_master(true);
    if (link_.connected() && now - link_.heard_s > timeout) lose_master(true);
    if (link_.state == MasterLink::State::connect) connect_to_master();
    if (link_.connected()) acknowledge(stream_.offset());
  }
  const std::int64_t ping_period = whole_seconds(options_.repl_ping_replica_period);
  if (link_.master == 0 && !replicas_.all().empty() && seconds_ % ping_period == 0) {
    unit_.clear();
    const RedisCommand ping("PING");
    encode_unit(ping, unit_);
    feed_unit(unit_);
  }
  std::vector<ConnectionId> silent;
  for (const RedisReplica& r : replicas_.all()) {
    if (!r.online) outbox_->send(r.connection, 0, {&link_tag::nothing, 1});
    if (r.online && now - r.acked_s > timeout) silent.push_back(r.connection);
  }
  for (const ConnectionId c : silent) end_replica(c);
  send_snapshots();
  count_good_replicas();
  ++seconds_;
}

// --- a master ------------------------------------------------------------------------------------

void RedisServer::feed(std::uint32_t hold) {
  if (!stream_.has_backlog() || link_.master != 0) return;
  const RedisOutputs* out = &out_;
  RedisOutputs relative;
  if (flaws_.relative_expiry) {
    const std::int64_t now_ms = wall_ms(world_->wall_now(node_));
    for (std::size_t u = 0; u < out_.unit_count(); ++u) {
      out_.for_each_effect_of(u, [&](const RedisCommandView& command, RedisEffectKind kind) {
        const RedisCommand changed = with_time_left(command, now_ms);
        relative.add_effect(changed.bytes(), kind);
      });
      relative.end_unit();
    }
    out = &relative;
  }
  for (std::size_t u = 0; u < out->unit_count(); ++u) {
    unit_.clear();
    encode_unit(*out, u, hold, unit_);
    feed_unit(unit_);
  }
}

void RedisServer::feed_unit(std::string_view unit) {
  const std::int64_t start = stream_.append(unit);
  for (const RedisReplica& r : replicas_.all()) {
    if (r.online) send_unit(r, start, unit);
  }
}

void RedisServer::send_unit(const RedisReplica& to, std::int64_t start, std::string_view unit) {
  message_.assign(1, link_tag::unit);
  put_word(message_, static_cast<std::uint64_t>(start));
  message_ += unit;
  outbox_->send(to.connection, 0, message_);
}

// All that wait get the same, as soon as one has waited long enough.
void RedisServer::send_snapshots() {
  const std::int64_t now = now_s();
  const std::int64_t delay = whole_seconds(options_.repl_diskless_sync_delay);
  bool due = false;
  for (const RedisReplica& r : replicas_.all()) due |= !r.online && (r.at_once || now - r.attached_s >= delay);
  if (!due) return;
  message_.assign(1, link_tag::snapshot);
  put_word(message_, stream_.id().bits);
  put_word(message_, static_cast<std::uint64_t>(stream_.offset()));
  rewrite_log(database_.keys(), message_);
  for (RedisReplica& r : replicas_.all()) {
    if (r.online) continue;
    r.online = true;
    r.acked_s = now;
    outbox_->send(r.connection, 0, message_);
  }
  count_good_replicas();
}

RedisReply RedisServer::psync(RedisCall& call) {
  const ConnectionId connection = request_->connection;
  answers_later_ = true;
  if (replicas_.of(connection) != nullptr) return {};
  if (link_.master != 0 && !link_.connected()) {
    answers_later_ = false;
    return RedisReply::error("NOMASTERLINK Can't SYNC while not connected with my master");
  }
  std::int64_t next = 0;
  if (!parse_redis_integer(call.arg(2), next)) {
    answers_later_ = false;
    return redis_error::not_an_integer();
  }
  RedisReplica replica;
  replica.connection = connection;
  replica.node = world_->network.opener(connection).value_or(0);
  replica.attached_s = replica.acked_s = now_s();
  replica.online = stream_.can_resume(ReplicationId::parse(call.arg(1)), next - 1);
  replica.at_once = is_redis_word(call.arg(3), "IN-PLACE") || options_.repl_diskless_sync_delay < seconds(1);
  if (!stream_.has_backlog()) {
    stream_.begin_new_history(new_id());
    stream_.open_backlog();
  }
  if (replica.online) {
    message_.assign(1, link_tag::goes_on);
    put_word(message_, stream_.id().bits);
    outbox_->send(connection, 0, message_);
    stream_.for_each_after(next - 1,
                           [&](std::int64_t start, std::string_view unit) { send_unit(replica, start, unit); });
  }
  replicas_.all().push_back(replica);
  send_snapshots();
  count_good_replicas();
  if (cron_nap_ != nullptr && !counted_seconds_) cron_nap_->ring();
  return {};
}

void RedisServer::end_replica(ConnectionId connection) {
  replicas_.remove(connection);
  close(connection);
  count_good_replicas();
}

void RedisServer::end_replicas() {
  while (!replicas_.all().empty()) end_replica(replicas_.all().back().connection);
}

void RedisServer::count_good_replicas() {
  good_replicas_ = replicas_.good(now_s(), whole_seconds(options_.min_replicas_max_lag));
  const bool matters = options_.min_replicas_to_write != 0 && options_.min_replicas_max_lag >= seconds(1);
  database_.set_enough_replicas(!matters || good_replicas_ >= options_.min_replicas_to_write);
}

// --- WAIT ----------------------------------------------------------------------------------------

RedisReply RedisServer::wait(RedisCall& call) {
  if (link_.master != 0) {
    return RedisReply::error(
        "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is "
        "configured to be writable (which is not the default) writes to replicas are just local and are not "
        "propagated.");
  }
  std::int64_t replicas = 0, timeout_ms = 0;
  if (!parse_redis_integer(call.arg(1), replicas)) return redis_error::not_an_integer();
  if (!parse_redis_integer(call.arg(2), timeout_ms)) {
    return RedisReply::error("ERR timeout is not an integer or out of range");
  }
  if (timeout_ms < 0) return RedisReply::error("ERR timeout is negative");
  const std::int64_t offset = sessions_.written_up_to(request_->connection);
  const std::int64_t have = replicas_.that_have(offset);
  if (have >= replicas || call.nested) return RedisReply::integer(have);
  BlockedWait wait;
  wait.connection = request_->connection;
  wait.call = request_->call;
  wait.operation = request_->operation;
  // The last of the numbers that serving this request may use: its other messages go elsewhere.
  wait.n = request_->n * World::kNumbersPerSegment + World::kNumbersPerSegment - 1;
  wait.offset = offset;
  wait.replicas = replicas;
  if (timeout_ms != 0) wait.until_ms = std::min(call.now_ms + timeout_ms, kHorizon_ms);
  waits_.push_back(std::move(wait));
  asks_for_acks_ = answers_later_ = true;
  return {};
}

std::optional<MonoTime> RedisServer::next_wait_deadline(const Host& host) const {
  std::optional<MonoTime> next;
  for (const BlockedWait& w : waits_) {
    if (!w.until_ms) continue;
    const MonoTime due = host.monotonic_now() + (WallTime{(*w.until_ms + 1) * 1'000'000} - host.wall_now());
    if (!next || due < *next) next = due;
  }
  return next;
}

void RedisServer::end_waits(const Host& host) {
  for (std::size_t i = 0; i < waits_.size();) {
    const std::int64_t have = replicas_.that_have(waits_[i].offset);
    const bool over = waits_[i].until_ms && *waits_[i].until_ms < wall_ms(host);
    if (have < waits_[i].replicas && !over) {
      ++i;
    } else {
      end_wait(i, RedisReply::integer(have));
    }
  }
}

void RedisServer::end_wait(std::size_t index, const RedisReply& reply) {
  BlockedWait wait = std::move(waits_[index]);
  waits_.erase(waits_.begin() + static_cast<std::ptrdiff_t>(index));
  outbox_->send(wait.connection, wait.call, EncodedReply(reply).view(), 1, wait.operation, wait.n);
  for (Message& m : wait.queue) released_.push_back(std::move(m));
}

BlockedWait* RedisServer::blocked(ConnectionId connection) {
  const auto found =
      std::find_if(waits_.begin(), waits_.end(), [=](const BlockedWait& w) { return w.connection == connection; });
  return found != waits_.end() ? &*found : nullptr;
}

}  // namespace picklock
