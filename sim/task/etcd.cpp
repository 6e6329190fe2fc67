#include "sim/task/etcd.hpp"

#include <utility>

namespace picklock {

// --- renewals

Task<std::optional<EtcdLeaseReply>> EtcdKeepAlive::next() {
  while (answers_.empty() && !is_closed()) co_await changed_.wait();
  co_return take();
}

std::optional<EtcdLeaseReply> EtcdKeepAlive::take() {
  if (answers_.empty()) return std::nullopt;
  EtcdLeaseReply first = std::move(answers_.front());
  answers_.pop_front();
  return first;
}

bool EtcdKeepAlive::offer(EtcdLeaseReply reply, MonoTime deadline) {
  if (is_closed()) return true;
  deadline_ = deadline;
  if (answers_.size() >= kRoom) return false;
  answers_.push_back(std::move(reply));
  changed_.notify();
  return true;
}

void EtcdKeepAlive::close() {
  if (is_closed()) return;
  closed_.set();
  changed_.notify();
}

// --- watches

Task<std::optional<EtcdWatchReply>> EtcdWatch::next() {
  while (replies_.empty() && !closed_) co_await changed_.wait();
  if (replies_.empty()) co_return std::nullopt;
  EtcdWatchReply first = std::move(replies_.front());
  replies_.pop_front();
  co_return first;
}

void EtcdWatch::offer(EtcdWatchReply reply) {
  if (closed_) return;
  replies_.push_back(std::move(reply));
  changed_.notify();
}

void EtcdWatch::cancel() {
  close();
  if (cancelled_ != nullptr) cancelled_->notify();
}

void EtcdWatch::close() {
  if (std::exchange(closed_, true)) return;
  changed_.notify();
}

// --- verbs

template <class Reply>
Outcome<Reply> etcd_outcome(Outcome<EtcdReply>&& answer) {
  if (answer.unknown()) return Outcome<Reply>::unknown_because(answer.why());
  if (answer.refused()) return Outcome<Reply>::refusal(answer.why(), answer.error());
  const EtcdError error = answer.value().error;
  if (leaves_unknown(error)) return Outcome<Reply>::unknown_because(Why::timed_out);
  if (error != EtcdError::none) return Outcome<Reply>::refusal(Why::error, std::string(to_string(error)));
  Reply* const body = std::get_if<Reply>(&answer.value().body);
  if (body == nullptr) return Outcome<Reply>::refusal(Why::error, std::string(to_string(EtcdError::malformed)));
  return Outcome<Reply>::of(std::move(*body));
}

template Outcome<EtcdRangeReply> etcd_outcome(Outcome<EtcdReply>&& answer);
template Outcome<EtcdPutReply> etcd_outcome(Outcome<EtcdReply>&& answer);
template Outcome<EtcdDeleteReply> etcd_outcome(Outcome<EtcdReply>&& answer);
template Outcome<EtcdTxnReply> etcd_outcome(Outcome<EtcdReply>&& answer);
template Outcome<EtcdDone> etcd_outcome(Outcome<EtcdReply>&& answer);
template Outcome<EtcdLeaseReply> etcd_outcome(Outcome<EtcdReply>&& answer);
template Outcome<EtcdLockReply> etcd_outcome(Outcome<EtcdReply>&& answer);

EtcdAnswer<EtcdRangeReply> Etcd::range(EtcdRange request, Duration timeout) {
  return EtcdAnswer<EtcdRangeReply>(call(EtcdCall(std::move(request)), timeout));
}
EtcdAnswer<EtcdPutReply> Etcd::put(EtcdPut request, Duration timeout) {
  return EtcdAnswer<EtcdPutReply>(call(EtcdCall(std::move(request)), timeout));
}
EtcdAnswer<EtcdDeleteReply> Etcd::del(EtcdDelete request, Duration timeout) {
  return EtcdAnswer<EtcdDeleteReply>(call(EtcdCall(std::move(request)), timeout));
}
EtcdAnswer<EtcdTxnReply> Etcd::txn(EtcdTxn request, Duration timeout) {
  return EtcdAnswer<EtcdTxnReply>(call(EtcdCall(std::move(request)), timeout));
}
EtcdAnswer<EtcdDone> Etcd::compact(EtcdRevision revision, Duration timeout) {
  return EtcdAnswer<EtcdDone>(call(EtcdCall(EtcdCompaction{revision}), timeout));
}
EtcdAnswer<EtcdLeaseReply> Etcd::grant(Duration ttl, Duration timeout) {
  const std::int64_t ttl_s = (ttl.ns + seconds(1).ns - 1) / seconds(1).ns;
  return EtcdAnswer<EtcdLeaseReply>(call(EtcdCall(EtcdLeaseGrant{0, ttl_s}), timeout));
}
EtcdAnswer<EtcdLeaseReply> Etcd::revoke(EtcdLeaseId lease, Duration timeout) {
  return EtcdAnswer<EtcdLeaseReply>(call(EtcdCall(EtcdLeaseRevoke{lease}), timeout));
}
EtcdAnswer<EtcdLeaseReply> Etcd::time_to_live(EtcdLeaseId lease, bool keys, Duration timeout) {
  return EtcdAnswer<EtcdLeaseReply>(call(EtcdCall(EtcdLeaseQuery{lease, keys}), timeout));
}
Task<Outcome<EtcdLeaseReply>> Etcd::keep_alive_once(EtcdLeaseId lease, Duration timeout) {
  const EtcdAnswer<EtcdLeaseReply> asked(call(EtcdCall(EtcdLeaseRenew{lease}), timeout));
  Outcome<EtcdLeaseReply> answer = co_await asked;
  if (answer.yes() && answer.value().ttl_s <= 0) {
    co_return Outcome<EtcdLeaseReply>::refusal(Why::error, std::string(to_string(EtcdError::lease_not_found)));
  }
  co_return answer;
}
Task<Outcome<EtcdLockReply>> Etcd::lock(std::string name, EtcdLeaseId lease, Duration timeout) {
  const bool limited = timeout.ns != 0 && timeout < kForever;
  EtcdLockCall request{std::move(name), lease, limited ? timeout.ns : 0};
  const EtcdAnswer<EtcdLockReply> asked(call(EtcdCall(std::move(request)), limited ? timeout : kForever));
  Outcome<EtcdLockReply> answer = co_await asked;
  co_return answer;
}
EtcdAnswer<EtcdLockReply> Etcd::unlock(std::string key, Duration timeout) {
  return EtcdAnswer<EtcdLockReply>(call(EtcdCall(EtcdUnlockCall{std::move(key)}), timeout));
}

}  // namespace picklock
