// A server and its ensemble: what a leader proposes, what every server applies, who tracks sessions.

#include <utility>

#include "base/packing.hpp"
#include "sim/zookeeper/server.hpp"

namespace picklock {
namespace {

constexpr ZabMs kContainerCheck = 60'000;  // ContainerManager

}  // namespace

// --- what a leader proposes

void ZooServer::submit(ZabSid origin, Owner owner, Ticket ticket, std::int64_t session, std::uint32_t hold,
                       const ZooRequest& request) {
  if (!zab_->leads()) return;
  const ZabZxid zxid = zab_->leading()->last_proposed() + 1;
  ZooTxn txn;
  switch (request.op) {
    case ZooOp::create_session:
      txn = ZooTreeChanges::prepare_session(session, request.timeout_ms, request.password);
      tracker_->track(session, request.timeout_ms, now_ms());
      tracker_->set_owner(session, owner);
      judge_->touched(session, zab_->epoch(), request.timeout_ms, world().now());
      break;
    case ZooOp::close_session:
      if (setup_.flaw != ZooFlaw::closing_may_create) tracker_->set_closing(session);
      txn = changes_.prepare_close(session, zxid);
      break;
    default: {
      ZooCode code = tracker_->check(session, owner);
      if (setup_.flaw == ZooFlaw::closing_may_create && code == ZooCode::session_expired) code = ZooCode::ok;
      if (code == ZooCode::ok) {
        txn = changes_.prepare(request, session, zxid);
      } else {
        txn.code = code;
      }
    }
  }
  txn.session = session;
  txn.hold = hold;
  if (request.op == ZooOp::create && request.mode == ZooMode::ephemeral && txn.code == ZooCode::node_exists) {
    judge_->asked_for_a_place(hold, world().now());
  }
  propose(origin, ticket, session, request.xid, txn);
}

// What is proposed: who waits for it, whose request it was, and the transaction.
void ZooServer::propose(ZabSid origin, Ticket ticket, std::int64_t session, std::int32_t xid, const ZooTxn& txn) {
  std::string body;
  Packer p(body);
  p.number(origin);
  p.number(ticket);
  p.integer(session);
  p.integer(xid);
  encode(txn, body);
  zab_->propose(std::move(body), now_ms());
}

bool ZooServer::reattach(Owner owner, std::int64_t session, std::int64_t timeout_ms) {
  if (timeout_ms == 0) {  // a follower may lag behind
    const ZooSessionEntry* const entry = tree_.find_session(session);
    if (entry == nullptr) return false;
    timeout_ms = entry->timeout_ms;
  }
  if (!tracker_->touch(session, timeout_ms, now_ms())) return false;
  tracker_->set_owner(session, owner);
  (void)note_touch(session, timeout_ms);
  return true;
}

bool ZooServer::note_touch(std::int64_t session, std::int64_t timeout_ms) {
  if (!tracker_->touch(session, timeout_ms, now_ms())) return false;
  judge_->touched(session, zab_->epoch(), timeout_ms, world().now());
  world().record(trace::zoo_session_touched, service_->node(), 0, static_cast<std::uint64_t>(session),
                 static_cast<std::uint64_t>(timeout_ms));
  return true;
}

void ZooServer::expire_sessions() {
  while (tracker_ && tracker_->next_look_ms() <= now_ms()) {
    for (const std::int64_t session : tracker_->expire(now_ms())) {
      world().record(trace::zoo_session_expires, service_->node(), 0, static_cast<std::uint64_t>(session));
      ZooRequest end;
      end.op = ZooOp::close_session;
      if (zab_->leads()) {
        submit(sid_, kSelf, 0, session, 0, end);
        continue;
      }
      std::string body;  // a broken twin
      Packer p(body);
      p.byte(0);
      p.number(0);
      p.integer(session);
      p.number(0);
      encode(end, body);
      zab_->request(std::move(body));
    }
  }
}

void ZooServer::remove_containers() {
  containers_at_ = now_ms() + kContainerCheck;
  if (!zab_->leads()) return;
  for (const std::string& path : tree_.containers_to_remove()) {
    const ZabZxid zxid = zab_->leading()->last_proposed() + 1;
    propose(sid_, 0, 0, 0, changes_.prepare_container_removal(path, zxid));
    if (!zab_->leads() || zab_->leading()->over()) return;
  }
}

// --- what every server applies

void ZooServer::apply(const ZabEntry& entry) {
  Unpacker u(entry.txn);
  const auto origin = static_cast<ZabSid>(u.number());
  const Ticket ticket = u.number();
  const std::int64_t session = u.integer();
  const auto xid = static_cast<std::int32_t>(u.integer());
  ZooTxn txn;
  PICKLOCK_CHECK(u.good() && decode(u.rest(), txn));
  effects_.clear();
  ZooReply reply = tree_.apply(txn, entry.zxid, effects_);
  changes_.applied(entry.zxid);
  zoo_record_applied(world(), service_->node(), txn, entry.zxid, effects_);
  judge_->applied(sid_, entry, txn, session, xid, effects_, world().now());
  std::vector<ZooWatches::Fired> fired;
  for (const ZooEffect& e : effects_) watches_.fire(e, fired);
  tell(fired);
  if (txn.kind == ZooTxn::Kind::create_session && txn.code == ZooCode::ok) {
    reply.session = txn.session;
    reply.timeout_ms = txn.timeout_ms;
    // Whoever sees a session begin reports it, not only the server that has its client: a second touch, up to half a
    // tick after the first (LearnerSessionTracker.commitSession).
    if (!zab_->leads()) touches_.touch(txn.session, txn.timeout_ms);
  }
  if (origin == sid_ && ticket != 0) complete(ticket, reply);
  if (txn.kind != ZooTxn::Kind::close_session) return;
  if (tracker_) tracker_->remove(txn.session);
  std::vector<ConnectionId> ended;
  for (const auto& [connection, client] : clients_) {
    if (client.session == txn.session) ended.push_back(connection);
  }
  for (const ConnectionId c : ended) drop(c);
}

// It stands in the snapshot that is loaded, and in no log.
void ZooServer::keep_truncated(const ZabEntry& entry) {
  Unpacker u(entry.txn);
  for (int i = 0; i < 2; ++i) (void)u.number();
  for (int i = 0; i < 2; ++i) (void)u.integer();
  ZooTxn txn;
  PICKLOCK_CHECK(u.good() && decode(u.rest(), txn));
  effects_.clear();
  (void)tree_.apply(txn, entry.zxid, effects_);
}

void ZooServer::restore(std::string_view snapshot, ZabZxid zxid) {
  tree_.clear();
  if (!snapshot.empty()) PICKLOCK_CHECK(tree_.load(snapshot));
  judge_->restored(sid_, zxid);
  world().record(trace::zoo_loaded, service_->node(), 0, static_cast<std::uint64_t>(zxid), tree_.size());
}

void ZooServer::truncates(ZabZxid last) {
  world().record(trace::zoo_truncated, service_->node(), 0, static_cast<std::uint64_t>(last));
}

// --- what it is

void ZooServer::record_role() {
  constexpr std::uint32_t kLooking = 0, kLeader = 1, kFollower = 2, kObserver = 3;
  std::uint32_t role = kLooking;
  if (zab_->role() == ZabRole::leading) role = kLeader;
  if (zab_->role() == ZabRole::following) role = kFollower;
  if (zab_->role() == ZabRole::observing) role = kObserver;
  world().record(trace::zoo_role, service_->node(), role, static_cast<std::uint64_t>(zab_->epoch()),
                 static_cast<std::uint64_t>(tree_.last_zxid()));
}

// Every session has its full timeout from here on.
void ZooServer::leads(ZabEpoch epoch) {
  judge_->leads(sid_, epoch);
  record_role();
  changes_.clear();
  tracker_.emplace(setup_.options.tick.ms(), now_ms(), tree_);
  for (const auto& [session, entry] : tree_.sessions()) (void)note_touch(session, entry.timeout_ms);
  containers_at_ = now_ms() + kContainerCheck;
}

void ZooServer::follows(ZabSid) {
  record_role();
  touches_.clear();
  if (setup_.flaw == ZooFlaw::follower_expires) tracker_.emplace(setup_.options.tick.ms(), now_ms(), tree_);
}

void ZooServer::steps_back() {
  record_role();
  for (const auto& [connection, client] : clients_) {
    service_->close(connection);
    judge_->disconnected(name_of(connection));
  }
  clients_.clear();
  tickets_.clear();
  watches_.clear();
  late_.clear();
  changes_.clear();
  touches_.clear();
  tracker_.reset();
  containers_at_ = kZabNever;
}

// --- between a learner and its leader

void ZooServer::from_learner(ZabSid sid, ZabLink link, std::string_view body) {
  Unpacker u(body);
  const std::uint8_t kind = u.byte();
  const Ticket ticket = u.number();
  const std::int64_t session = u.integer();
  if (kind == 0) {
    const auto hold = static_cast<std::uint32_t>(u.number());
    ZooRequest request;
    if (u.good() && decode(u.rest(), request)) submit(sid, link, ticket, session, hold, request);
    return;
  }
  const std::int64_t timeout = u.integer();
  if (!u.good()) return;
  const ZooSessionEntry* const entry = tree_.find_session(session);
  const bool valid = zab_->leads() && reattach(link, session, timeout);
  std::string answer;
  Packer p(answer);
  p.number(ticket);
  p.integer(session);
  p.integer(valid ? (timeout != 0 ? timeout : entry->timeout_ms) : 0);
  zab_->reply(link, std::move(answer));
}

void ZooServer::from_leader(std::string_view body) {
  Unpacker u(body);
  const Ticket ticket = u.number();
  ZooReply reply;
  reply.session = u.integer();
  reply.timeout_ms = u.integer();
  if (u.good()) complete(ticket, reply);
}

void ZooServer::synced(std::string_view body) {
  Unpacker u(body);
  const Ticket ticket = u.number();
  const auto waits = tickets_.find(ticket);
  if (waits == tickets_.end()) return;
  ZooReply reply;
  for (const Waiting& w : clients_.at(waits->second).queue) {
    if (w.ticket == ticket) reply.path = w.request.path;
  }
  complete(ticket, reply);
}

std::string ZooServer::touched() {
  if (touches_.empty()) return {};
  std::vector<std::pair<std::int64_t, std::int64_t>> sessions;
  touches_.take(sessions);
  std::string body;
  Packer p(body);
  for (const auto& [session, timeout] : sessions) {
    p.integer(session);
    p.integer(timeout);
  }
  return body;
}

void ZooServer::heard_touches(ZabSid, std::string_view body) {
  if (!tracker_ || !zab_->leads()) return;
  Unpacker u(body);
  while (u.good() && !u.rest().empty()) {
    const std::int64_t session = u.integer();
    const std::int64_t timeout = u.integer();
    if (u.good()) (void)note_touch(session, timeout);
  }
}

}  // namespace picklock
