// What clients ask of a member, and when they are answered.

#include <algorithm>

#include "sim/etcd/member.hpp"

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
  std::optional<EtcdRequest> request = decode_etcd_request(message.body.view());
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
  if (const EtcdError e = check_etcd_request(*request); e != EtcdError::none) return reply_now(EtcdReply::failed(e));

  const std::uint32_t hold = message.operation.hold;
  const bool lease =
      std::holds_alternative<EtcdLeaseRenew>(*request) || std::holds_alternative<EtcdLeaseQuery>(*request);
  const bool read = std::holds_alternative<EtcdRange>(*request) || std::holds_alternative<EtcdTxn>(*request);
  Pending pending;
  pending.asker = std::move(message);
  pending.request = std::move(*request);
  if (lease) {
    pending.errand = Errand::lease;
    const std::uint64_t id = await_answer(std::move(pending));
    return try_lease(id);
  }
  if (goes_through_log(pending.request)) {
    if (auto* grant = std::get_if<EtcdLeaseGrant>(&pending.request); grant != nullptr && grant->id == 0) {
      grant->id = static_cast<EtcdLeaseId>(last_id_ + 1);  // as it is numbered here
    }
    const std::uint64_t id = await_answer(std::move(pending));
    return propose(id, hold);
  }
  pending.errand = Errand::read;
  if (!read) return answer(pending, EtcdReply::failed(EtcdError::malformed));
  if (is_serializable(pending.request)) return answer(pending, with_header(state_->read(pending.request)));
  const std::uint64_t id = await_answer(std::move(pending));
  next_round_.push_back(id);
  if (round_.empty()) begin_round();
}

EtcdLockService& EtcdMember::lock_service() {
  if (!loopback_) loopback_ = &world_->open_channel(node_, node_, etcd_channel({}));
  if (!locks_) locks_.emplace(*service_, *loopback_, EtcdLockServiceOptions{setup_.options.rechecks_locks});
  return *locks_;
}

void EtcdMember::create_watch(const Message& message, const EtcdWatchCreate& what) {
  EtcdReply reply = what.require_leader && lead_ == 0
                        ? EtcdReply::failed(EtcdError::no_leader)
                        : watches_.create(state_->store(), message.connection, what);
  service_->reply(message, encode(with_header(std::move(reply))));
  deliver_events();
}

void EtcdMember::answer(Pending& pending, EtcdReply reply) {
  if (pending.origin == 0) return service_->reply(pending.asker, encode(reply));
  send_forward_reply(pending, &reply);
}

void EtcdMember::fail(std::uint64_t id, EtcdError error) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  if (found->second.errand == Errand::lease && error == EtcdError::leader_changed) {
    if (found->second.asked_of == 0) found->second.next_try = service_->host().monotonic_now();
    return;  // it looks for the new one
  }
  Pending pending = std::move(found->second);
  pending_.erase(found);
  if (ends_own_errand(pending)) return;
  if (pending.origin == 0) answer(pending, EtcdReply::failed(error));  // another member gives up by itself
}

// --- linearizable reads: one round of confirmation at a time, for all that came before it (v3_server.go,
// linearizableReadLoop)

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
    } else if (pending.errand == Errand::lease) {
      pending.confirmed = true;
      try_lease(id);
    } else if (leads_) {
      propose(id, 0);
    } else {
      fail(id, EtcdError::leader_changed);
    }
  }
}

// --- timeouts

Task<void> EtcdMember::expire_requests(Service service) {
  const Host host = service.host();
  for (;;) {
    if (deadlines_.empty()) {
      co_await something_pending_->wait();
      continue;
    }
    const MonoTime due = deadlines_.front().first;
    co_await host.sleep_until(due);
    while (!deadlines_.empty() && deadlines_.front().first <= host.monotonic_now()) {
      const std::uint64_t id = deadlines_.front().second;
      deadlines_.pop_front();
      const auto found = pending_.find(id);
      if (found != pending_.end()) fail(id, why_timed_out(found->second));
    }
    while (!deadlines_.empty() && pending_.count(deadlines_.front().second) == 0) deadlines_.pop_front();
  }
}

// As parseProposeCtxErr tells them apart.
EtcdError EtcdMember::why_timed_out(const Pending& pending) const {
  if (lead_ == 0) return EtcdError::timeout_connection_lost;
  const MonoTime lost = leader_since_ - setup_.options.election * 2;
  if (pending.asked > lost && pending.asked < leader_since_) return EtcdError::timeout_leader_failure;
  return EtcdError::timeout;
}

}  // namespace picklock
