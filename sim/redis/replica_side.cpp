#include "sim/redis/replica_side.hpp"

#include "base/check.hpp"
#include "sim/redis/inspect.hpp"

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
    master_side_.stream().open_backlog();  // the stream may be able to go on where it is
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
  process_.send(link_.peer.end(), command, call);
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
  if (const auto* const reply = message.body.get<RedisReply>()) {
    if (message.call == kAnswered) hear_reply(*reply);
    return;
  }
  const auto* const told = message.body.get<RedisLinkMessage>();
  if (told == nullptr) return;
  switch (told->kind) {
    case RedisLinkMessage::Kind::nothing:
      return;
    case RedisLinkMessage::Kind::goes_on:
      if (told->id != master_side_.stream().id()) {
        master_side_.stream().shift_to(told->id);
        master_side_.end_replicas();
      }
      link_.state = MasterLink::State::connected;
      link_.down_since_s.reset();
      return;
    case RedisLinkMessage::Kind::snapshot:
      return load_snapshot(*told);
    case RedisLinkMessage::Kind::unit:
      return take_unit(*told);
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
void RedisReplicaSide::load_snapshot(const RedisLinkMessage& snapshot) {
  master_side_.end_replicas();
  unapplied_.clear();
  store_.load_snapshot(snapshot.data, config_.flaws().keeps_data_on_resync);
  master_side_.stream().follow(snapshot.id, snapshot.offset);
  link_.state = MasterLink::State::connected;
  link_.at_once = false;
  link_.down_since_s.reset();
  store_.log().rewrite(store_.keys());
  process_.record(trace::redis_resynced, static_cast<std::uint32_t>(store_.keys().size()), snapshot.id.bits,
                  static_cast<std::uint64_t>(snapshot.offset));
  store_.journal().loaded(store_.keys());
  acknowledge(snapshot.offset);
}

void RedisReplicaSide::take_unit(const RedisLinkMessage& unit) {
  if (!link_.connected()) return;
  if (config_.flaws().acks_before_applying) {
    unapplied_.push_back(unit.data);
    std::int64_t received = master_side_.stream().offset();
    for (const std::string& u : unapplied_) received += ReplicationUnitView(u).size();
    return acknowledge(received);
  }
  PICKLOCK_CHECK(unit.offset == master_side_.stream().offset());
  apply(unit.data);
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
