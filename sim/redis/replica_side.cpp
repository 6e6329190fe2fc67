#include "sim/redis/replica_side.hpp"

#include "base/check.hpp"
#include "sim/redis/inspect.hpp"
#include "sim/redis/link_messages.hpp"

namespace picklock {
namespace {

constexpr std::uint64_t kAnswered = 1;  // a request of the link's handshake, to which there is a reply

}  // namespace

void RedisReplicaSide::boot() {
  link_ = {};
  link_.master = config_.file().master;
  link_.at_once = config_.file().link_in_place && process_.world().nodes.incarnation(process_.node()) == 0;
  unapplied_.clear();
  if (had_a_role_ || !is_master()) return announce_role();
  store_.database().set_role(RedisRole::master, !config_.options().replica_read_only);
  master_side_.count_good_replicas();
}

// --- roles ---------------------------------------------------------------------------------------

void RedisReplicaSide::follow(NodeId master) {
  if (!is_master()) {
    lose_link(false);
  } else if (master_side_.stream().id().bits != 0) {
    master_side_.stream().open_backlog();  // it may be able to go on where it is
  }
  link_ = {};
  link_.master = master;
  connect();
  announce_role();
}

// The replicas must hear of the new history: they come back and ask.
void RedisReplicaSide::promote() {
  apply_received();
  lose_link(false);
  master_side_.end_replicas();
  link_ = {};
  master_side_.stream().shift_to(master_side_.new_id());
  announce_role();
}

void RedisReplicaSide::announce_role() {
  store_.database().set_role(is_master() ? RedisRole::master : RedisRole::replica,
                             !config_.options().replica_read_only);
  master_side_.count_good_replicas();
  had_a_role_ = true;
  process_.record(trace::redis_role, is_master() ? 1 : 2, link_.master,
                  static_cast<std::uint64_t>(master_side_.stream().offset()));
  cron_.look_again();
}

// --- the link ------------------------------------------------------------------------------------

void RedisReplicaSide::connect() {
  link_.peer.open(process_.service(), link_.master);
  link_.state = MasterLink::State::connecting;
  link_.heard_s = process_.now_s();
}

void RedisReplicaSide::lose_link(bool reconnect) {
  if (link_.connected()) link_.down_since_s = process_.now_s();
  link_.peer.close(process_.service());
  link_.state = MasterLink::State::connect;
  if (reconnect) connect();
}

void RedisReplicaSide::say(const RedisCommand& command, std::uint64_t call) {
  process_.send(link_.peer.end(), command.bytes(), call);
}

// A link that was up is opened again at once; one that could not be opened waits for the cron.
void RedisReplicaSide::hear_news(const Message& message) {
  if (!is_of_link(message)) return;
  process_.world().tasks.serve(message);
  if (message.kind != SegmentKind::opened) return lose_link(link_.connected());
  link_.peer.hear(message);
  link_.heard_s = process_.now_s();
  link_.state = MasterLink::State::ping;
  say(RedisCommand("PING"), kAnswered);
}

void RedisReplicaSide::tick() {
  if (is_master()) return;
  const std::int64_t now = process_.now_s();
  const std::int64_t timeout = whole_seconds(config_.options().repl_timeout);
  apply_received();
  if (link_.opening() && now - link_.heard_s > timeout) lose_link(true);
  if (link_.connected() && now - link_.heard_s > timeout) lose_link(true);
  if (link_.state == MasterLink::State::connect) connect();
  if (link_.connected()) acknowledge(master_side_.stream().offset());
}

void RedisReplicaSide::hear(const Message& message) {
  if (!is_of_link(message)) return;
  link_.heard_s = process_.now_s();
  const std::string_view body = message.body.view();
  if (message.call == kAnswered) return hear_reply(decode_redis_reply(body));
  switch (body.empty() ? link_message::nothing : body[0]) {
    case link_message::goes_on: {
      const ReplicationId id{link_message::word_at(body, 1)};
      if (id != master_side_.stream().id()) {
        master_side_.stream().shift_to(id);
        master_side_.end_replicas();
      }
      link_.state = MasterLink::State::connected;
      link_.down_since_s.reset();
      return;
    }
    case link_message::snapshot:
      return load_snapshot(body);
    case link_message::unit:
      return take_unit(body);
    default:
      return;
  }
}

void RedisReplicaSide::hear_reply(const RedisReply& reply) {
  if (link_.state == MasterLink::State::ping && !reply.is_error()) {
    link_.state = MasterLink::State::configure;
    return say(RedisCommand("REPLCONF", "listening-port", 6379, "capa", "psync2"), kAnswered);
  }
  if (link_.state != MasterLink::State::configure) return lose_link(false);  // refused
  link_.state = MasterLink::State::psync;
  const ReplicationStream& stream = master_side_.stream();
  const bool known = stream.id().bits != 0 && stream.has_backlog();
  RedisCommand psync("PSYNC", known ? stream.id().to_string() : std::string("?"), known ? stream.offset() + 1 : -1);
  if (link_.at_once) psync.add("IN-PLACE");
  say(psync, kAnswered);
}

// --- the data ------------------------------------------------------------------------------------

// All own data goes, and so do the replicas that followed it.
void RedisReplicaSide::load_snapshot(std::string_view body) {
  const ReplicationId id{link_message::word_at(body, 1)};
  const auto offset = static_cast<std::int64_t>(link_message::word_at(body, 9));
  master_side_.end_replicas();
  unapplied_.clear();
  store_.load_snapshot(body.substr(17), config_.flaws().keeps_data_on_resync);
  master_side_.stream().follow(id, offset);
  link_.state = MasterLink::State::connected;
  link_.at_once = false;
  link_.down_since_s.reset();
  store_.log().rewrite(store_.keys());
  process_.record(trace::redis_resynced, static_cast<std::uint32_t>(store_.keys().size()), id.bits,
                  static_cast<std::uint64_t>(offset));
  store_.journal().loaded(store_.keys());
  acknowledge(offset);
}

void RedisReplicaSide::take_unit(std::string_view body) {
  if (!link_.connected()) return;
  const std::string_view unit = body.substr(9);
  if (config_.flaws().acks_before_applying) {
    unapplied_.emplace_back(unit);
    std::int64_t received = master_side_.stream().offset();
    for (const std::string& u : unapplied_) received += ReplicationUnitView(u).size();
    return acknowledge(received);
  }
  PICKLOCK_CHECK(static_cast<std::int64_t>(link_message::word_at(body, 1)) == master_side_.stream().offset());
  apply(unit);
}

void RedisReplicaSide::apply_received() {
  for (; !unapplied_.empty(); unapplied_.pop_front()) apply(unapplied_.front());
}

void RedisReplicaSide::apply(std::string_view bytes) {
  const ReplicationUnitView unit(bytes);
  const std::int64_t now_ms = process_.now_ms();
  const bool asked = store_.apply(unit, now_ms);
  if (asked) acknowledge(master_side_.stream().offset());
  store_.settle(now_ms, unit.hold());
  sessions_.deliver(store_.out());
  master_side_.feed_unit(bytes);
}

}  // namespace picklock
