// The server as a replica, and how it becomes one or ceases to be: after redis 7.0's src/replication.c.
#include "base/check.hpp"
#include "sim/redis/append_only_file.hpp"
#include "sim/redis/server_parts.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {
namespace {

constexpr std::uint64_t kAnswered = 1;  // a request of the link's handshake, to which there is a reply

std::uint64_t word_at(std::string_view from, std::size_t at) {
  std::uint64_t word = 0;
  PICKLOCK_CHECK(at + sizeof word <= from.size());
  std::memcpy(&word, from.data() + at, sizeof word);
  return word;
}

}  // namespace

// --- roles ---------------------------------------------------------------------------------------

void RedisServer::become_replica(NodeId master) {
  if (link_.master == 0) {
    while (!waits_.empty()) {
      const ConnectionId waiting = waits_.back().connection;
      waits_.back().queue.clear();
      end_wait(waits_.size() - 1, RedisReply::error("UNBLOCKED force unblock from blocking operation, instance state "
                                                    "changed (master -> replica?)"));
      close(waiting);
    }
    if (stream_.id().bits != 0) stream_.open_backlog();  // it may be able to go on where it is
  } else {
    lose_master(false);
  }
  link_ = {};
  link_.master = master;
  connect_to_master();
  follow_own_role();
}

// The replicas must hear of the new history: they come back and ask.
void RedisServer::become_master() {
  apply_received();
  lose_master(false);
  end_replicas();
  link_ = {};
  stream_.shift_to(new_id());
  follow_own_role();
}

void RedisServer::follow_own_role() {
  const bool replica = link_.master != 0;
  database_.set_role(replica ? RedisRole::replica : RedisRole::master, !options_.replica_read_only);
  count_good_replicas();
  had_a_role_ = true;
  world_->record(trace::redis_role, node_, replica ? 2 : 1, link_.master, static_cast<std::uint64_t>(stream_.offset()));
  if (cron_nap_ != nullptr) cron_nap_->ring();
}

// --- a replica -----------------------------------------------------------------------------------

void RedisServer::connect_to_master() {
  link_.connection = world_->network.open(node_, link_.master, world_->current_operation(), world_->next_segment());
  link_.state = MasterLink::State::connecting;
  link_.heard_s = now_s();
}

void RedisServer::lose_master(bool reconnect) {
  if (link_.connected()) link_.down_since_s = now_s();
  if (link_.connection != kNoConnection) world_->network.close(std::exchange(link_.connection, kNoConnection), 0);
  link_.state = MasterLink::State::connect;
  if (reconnect) connect_to_master();
}

void RedisServer::say_to_master(const RedisCommand& command, std::uint64_t call) {
  outbox_->send(link_.connection, call, command.bytes(), 0);
}

// A link that was up is opened again at once; one that could not be opened waits for the cron.
void RedisServer::link_news(const Message& message) {
  if (message.connection != link_.connection) return;
  world_->serve(message);
  if (message.kind != SegmentKind::opened) return lose_master(link_.connected());
  link_.heard_s = now_s();
  link_.state = MasterLink::State::ping;
  say_to_master(RedisCommand("PING"), kAnswered);
}

void RedisServer::hear_from_master(const Message& message) {
  if (message.connection != link_.connection) return;
  link_.heard_s = now_s();
  const std::string_view body = message.body.view();
  if (message.call == kAnswered) {
    const RedisReply reply = decode_redis_reply(body);
    if (link_.state == MasterLink::State::ping && !reply.is_error()) {
      link_.state = MasterLink::State::configure;
      return say_to_master(RedisCommand("REPLCONF", "listening-port", 6379, "capa", "psync2"), kAnswered);
    }
    if (link_.state == MasterLink::State::configure) {
      link_.state = MasterLink::State::psync;
      const bool known = stream_.id().bits != 0 && stream_.has_backlog();
      RedisCommand psync("PSYNC", known ? stream_.id().to_string() : std::string("?"),
                         known ? stream_.offset() + 1 : -1);
      if (link_.at_once) psync.add("IN-PLACE");
      return say_to_master(psync, kAnswered);
    }
    return lose_master(false);  // refused
  }
  switch (body.empty() ? link_tag::nothing : body[0]) {
    case link_tag::goes_on: {
      const ReplicationId id{word_at(body, 1)};
      if (id != stream_.id()) {
        stream_.shift_to(id);
        end_replicas();
      }
      link_.state = MasterLink::State::connected;
      link_.down_since_s.reset();
      return;
    }
    case link_tag::snapshot:
      return load_snapshot(body);
    case link_tag::unit:
      return take_from_stream(body);
    default:
      return;
  }
}

// All own data goes, and so do those who followed it.
void RedisServer::load_snapshot(std::string_view body) {
  const ReplicationId id{word_at(body, 1)};
  const auto offset = static_cast<std::int64_t>(word_at(body, 9));
  end_replicas();
  unapplied_.clear();
  if (!flaws_.keeps_data_on_resync) database_.drop_keys();
  const LogLoad found = load_log(body.substr(17), database_);
  PICKLOCK_CHECK(found.end == LogLoad::End::complete || flaws_.keeps_data_on_resync);
  stream_.follow(id, offset);
  link_.state = MasterLink::State::connected;
  link_.at_once = false;
  link_.down_since_s.reset();
  if (log_) {
    std::string rewritten;
    rewrite_log(database_.keys(), rewritten);
    world_->disk(node_).replace(file_, rewritten);
    log_->restart();
  }
  world_->record(trace::redis_resynced, node_, static_cast<std::uint32_t>(database_.keys().size()), id.bits,
                 static_cast<std::uint64_t>(offset));
  record_keys();
  acknowledge(offset);
}

void RedisServer::take_from_stream(std::string_view body) {
  if (!link_.connected()) return;
  const std::string_view unit = body.substr(9);
  if (flaws_.acks_before_applying) {
    unapplied_.emplace_back(unit);
    std::int64_t received = stream_.offset();
    for (const std::string& u : unapplied_) received += ReplicationUnitView(u).size();
    return acknowledge(received);
  }
  PICKLOCK_CHECK(static_cast<std::int64_t>(word_at(body, 1)) == stream_.offset());
  apply_unit(unit);
}

void RedisServer::apply_received() {
  for (; !unapplied_.empty(); unapplied_.pop_front()) apply_unit(unapplied_.front());
}

void RedisServer::apply_unit(std::string_view bytes) {
  const ReplicationUnitView unit(bytes);
  const std::int64_t now_ms = wall_ms(world_->wall_now(node_));
  bool asked = false;
  out_.clear();
  unit.for_each([&](const RedisCommandView& command, RedisEffectKind kind) {
    if (unit.of_link()) {
      asked |= is_redis_word(command.arg(0), "REPLCONF");
      return;
    }
    const RedisReply result = database_.apply(command, now_ms, out_, kind);
    if (result.is_error()) PICKLOCK_CHECK(!options_.replica_read_only || flaws_ != RedisFlaws());
    if (log_) out_.add_effect(command.bytes(), kind);
  });
  out_.end_unit();
  if (asked) acknowledge(stream_.offset());
  take_notes(now_ms, unit.hold());
  send_deliveries();
  feed_unit(bytes);
}

}  // namespace picklock
