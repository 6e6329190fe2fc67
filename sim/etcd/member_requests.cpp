// What clients ask of a member, and when they are answered.

#include <algorithm>

#include "sim/etcd/member.hpp"
#include "sim/etcd/until_notified.hpp"

namespace picklock {
namespace {

bool is_serializable(const EtcdRequest& request) {
  if (const auto* range = std::get_if<EtcdRange>(&request)) return range->serializable;
  const auto* txn = std::get_if<EtcdTxn>(&request);
  if (txn == nullptr) return false;
  const auto local = [](const EtcdOp& op) {
    const auto* range = std::get_if<EtcdRange>(&op);
    return range != nullptr && range->serializable;
  };
  return std::all_of(txn->then.begin(), txn->then.end(), local) &&
         std::all_of(txn->otherwise.begin(), txn->otherwise.end(), local);
}

}  // namespace

EtcdReply EtcdMember::with_header(EtcdReply reply) const {
  EtcdHeader& header = reply.header();
  header.member = self_;
  header.term = raft_->term();
  if (header.revision == 0) header.revision = state_->store().revision();
  return reply;
}

void EtcdMember::hear_client(Message& message) {
  const auto reply_now = [&](EtcdReply reply) { service_->reply(message, encode(with_header(std::move(reply)))); };
  std::string_view bytes = message.body.view();
  const Duration left = take_etcd_timeout(bytes);
  std::optional<EtcdRequest> request = decode_etcd_request(bytes);
  if (!request) return reply_now(EtcdReply::failed(EtcdError::malformed));
  if (std::holds_alternative<EtcdPing>(*request)) return reply_now({});
  if (const auto* watch = std::get_if<EtcdWatchCreate>(&*request)) return create_watch(message, *watch);
  if (const auto* gone = std::get_if<EtcdWatchCancel>(&*request)) {
    watches_.cancel(message.connection, gone->id);
    return reply_now({});
  }
  if (std::holds_alternative<EtcdLockCall>(*request) || std::holds_alternative<EtcdUnlockCall>(*request)) {
    lock_service().handle(message, *request);
    return;
  }
  if (const auto* stream = std::get_if<EtcdLeaseStream>(&*request)) {
    return open_renewals(message, stream->require_leader);
  }
  const auto* renew = std::get_if<EtcdLeaseRenew>(&*request);
  if (renew != nullptr && renew->streamed) return hear_renewal(message, renew->id);
  if (renew != nullptr || std::holds_alternative<EtcdLeaseQuery>(*request)) {
    return begin_lease(std::move(message), std::move(*request), left, 0);
  }
  if (const EtcdError e = check_etcd_request(*request); e != EtcdError::none) return reply_now(EtcdReply::failed(e));

  const std::uint32_t hold = message.operation.hold;
  const bool read = std::holds_alternative<EtcdRange>(*request) || std::holds_alternative<EtcdTxn>(*request);
  Pending pending;
  pending.asker = std::move(message);
  pending.request = std::move(*request);
  if (goes_through_log(pending.request)) {
    if (auto* grant = std::get_if<EtcdLeaseGrant>(&pending.request); grant != nullptr && grant->id == 0) {
      grant->id = static_cast<EtcdLeaseId>(last_id_ + 1);  // as it is numbered here
    }
    const std::uint64_t id = await_answer(std::move(pending), left);
    return propose(id, hold);
  }
  pending.errand = Errand::read;
  if (!read) return answer(pending, EtcdReply::failed(EtcdError::malformed));
  if (is_serializable(pending.request)) return answer(pending, with_header(state_->read(pending.request)));
  join_round(await_answer(std::move(pending), left));
}

EtcdLockService& EtcdMember::lock_service() {
  if (!loopback_) loopback_ = &world_->open_channel(node_, node_, etcd_channel({}));
  if (!locks_) locks_.emplace(*service_, *loopback_, EtcdLockServiceOptions{setup_.options.rechecks_locks});
  return *locks_;
}

void EtcdMember::answer(Pending& pending, EtcdReply reply) {
  const bool failed = reply.error != EtcdError::none;
  if (pending.origin != 0) return send_forward_reply(pending, failed ? nullptr : &reply);
  service_->reply(pending.asker, encode(reply));
  if (pending.stream != 0) renewal_served(pending, failed);
}

void EtcdMember::fail(std::uint64_t id, EtcdError error) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  Pending pending = std::move(found->second);
  pending_.erase(found);
  if (ends_own_errand(pending)) return;
  const bool deposed = error == EtcdError::leader_changed;
  if (pending.errand == Errand::clearing) {
    // Whether the log took it nobody asks (server.go, SetCheckpointer); but a leader that is none has not tried.
    if (!deposed) return finish_clearing(std::move(pending));
    pending.errand = Errand::lease;
    pending.request = EtcdLeaseRenew{std::get<EtcdLeaseCheckpoint>(pending.request).leases.front().id};
    const std::uint64_t again = await_answer(std::move(pending));
    return not_primary(again, pending_.at(again));
  }
  // lease.ErrNotPrimary, which is no reason for a client to ask the same again (v3_server.go, LeaseRenew).
  if (pending.errand == Errand::lease && deposed) error = EtcdError::not_leader;
  answer(pending, EtcdReply::failed(error));
}

// The connection has ended, and with it the context of every call on it.
void EtcdMember::drop_calls(ConnectionId connection) {
  renewal_streams_.erase(connection);
  std::erase_if(pending_, [connection](const auto& each) {
    const Pending& p = each.second;
    const bool client = p.errand == Errand::write || p.errand == Errand::read || p.errand == Errand::lease;
    return client && p.origin == 0 && p.asker.connection == connection;
  });
}

// --- linearizable reads: one round of confirmation at a time, for all that came before it (v3_server.go,
// linearizableReadLoop)

void EtcdMember::join_round(std::uint64_t id) {
  next_round_.push_back(id);
  if (round_.empty()) begin_round();
}

void EtcdMember::begin_round() {
  round_ = std::exchange(next_round_, {});
  round_index_.reset();
  round_id_ = ++last_id_;
  round_sent_ = service_->host().monotonic_now();
  raft_->read(round_id_);  // again after 500 ms, whatever becomes of it
}

void EtcdMember::confirmed(const RaftRead& read) {
  if (read.context == round_id_ && !round_.empty()) round_index_ = read.index;
}

void EtcdMember::finish_round() {
  const std::vector<std::uint64_t> ids = std::exchange(round_, {});
  round_index_.reset();
  if (!next_round_.empty()) begin_round();
  for (const std::uint64_t id : ids) {
    const auto found = pending_.find(id);
    if (found == pending_.end()) continue;
    Pending& pending = found->second;
    if (pending.errand == Errand::read) {
      answer(pending, with_header(state_->read(pending.request)));
      pending_.erase(found);
    } else if (!leads_) {
      fail(id, EtcdError::leader_changed);
    } else if (pending.errand == Errand::lease) {
      pending.confirmed = true;
      try_lease(id);
    } else {
      propose(id, 0);
    }
  }
}

// --- timeouts

Task<void> EtcdMember::expire_requests(Service service) {
  const Host host = service.host();
  for (;;) {
    while (!deadlines_.empty() && pending_.count(deadlines_.begin()->second) == 0) deadlines_.erase(deadlines_.begin());
    if (deadlines_.empty()) {
      co_await something_pending_->wait();
      continue;
    }
    const Duration left = deadlines_.begin()->first - host.monotonic_now();
    if (left.ns > 0) {  // one with less time may come
      const auto sooner = co_await with_timeout(host, until_notified(host, &*something_pending_), left);
      if (sooner) continue;
    }
    while (!deadlines_.empty() && deadlines_.begin()->first <= host.monotonic_now()) {
      const std::uint64_t id = deadlines_.begin()->second;
      deadlines_.erase(deadlines_.begin());
      const auto found = pending_.find(id);
      if (found != pending_.end()) fail(id, why_timed_out(found->second));
    }
  }
}

// As parseProposeCtxErr tells them apart.
EtcdError EtcdMember::why_timed_out(const Pending& pending) const {
  if (pending.errand == Errand::lease) return lead_ == 0 ? EtcdError::no_leader : EtcdError::timeout;
  if (lead_ == 0) return EtcdError::timeout_connection_lost;
  const MonoTime lost = leader_since_ - setup_.options.election * 2;
  if (pending.asked > lost && pending.asked < leader_since_) return EtcdError::timeout_leader_failure;
  return EtcdError::timeout;
}

}  // namespace picklock
