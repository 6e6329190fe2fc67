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
Task<Outcome<Reply>> Etcd::reply_of(Task<Outcome<EtcdReply>> asked) {
  Outcome<EtcdReply> answer = co_await asked;
  if (answer.unknown()) co_return Outcome<Reply>::unknown_because(answer.why());
  if (answer.refused()) co_return Outcome<Reply>::refusal(answer.why(), answer.error());
  const EtcdError error = answer.value().error;
  if (leaves_unknown(error)) co_return Outcome<Reply>::unknown_because(Why::timed_out);
  if (error != EtcdError::none) co_return Outcome<Reply>::refusal(Why::error, std::string(to_string(error)));
  Reply* const body = std::get_if<Reply>(&answer.value().body);
  if (body == nullptr) co_return Outcome<Reply>::refusal(Why::error, std::string(to_string(EtcdError::malformed)));
  co_return Outcome<Reply>::of(std::move(*body));
}

Task<Outcome<EtcdRangeReply>> Etcd::range(EtcdRange request, Duration timeout) {
  return reply_of<EtcdRangeReply>(call(EtcdCall(std::move(request)), timeout));
}
Task<Outcome<EtcdPutReply>> Etcd::put(EtcdPut request, Duration timeout) {
  return reply_of<EtcdPutReply>(call(EtcdCall(std::move(request)), timeout));
}
Task<Outcome<EtcdDeleteReply>> Etcd::del(EtcdDelete request, Duration timeout) {
  return reply_of<EtcdDeleteReply>(call(EtcdCall(std::move(request)), timeout));
}
Task<Outcome<EtcdTxnReply>> Etcd::txn(EtcdTxn request, Duration timeout) {
  return reply_of<EtcdTxnReply>(call(EtcdCall(std::move(request)), timeout));
}
Task<Outcome<EtcdDone>> Etcd::compact(EtcdRevision revision, Duration timeout) {
  return reply_of<EtcdDone>(call(EtcdCall(EtcdCompaction{revision}), timeout));
}
Task<Outcome<EtcdLeaseReply>> Etcd::grant(Duration ttl, Duration timeout) {
  const std::int64_t ttl_s = (ttl.ns + seconds(1).ns - 1) / seconds(1).ns;
  return reply_of<EtcdLeaseReply>(call(EtcdCall(EtcdLeaseGrant{0, ttl_s}), timeout));
}
Task<Outcome<EtcdLeaseReply>> Etcd::revoke(EtcdLeaseId lease, Duration timeout) {
  return reply_of<EtcdLeaseReply>(call(EtcdCall(EtcdLeaseRevoke{lease}), timeout));
}
Task<Outcome<EtcdLeaseReply>> Etcd::time_to_live(EtcdLeaseId lease, bool keys, Duration timeout) {
  return reply_of<EtcdLeaseReply>(call(EtcdCall(EtcdLeaseQuery{lease, keys}), timeout));
}
Task<Outcome<EtcdLeaseReply>> Etcd::keep_alive_once(EtcdLeaseId lease, Duration timeout) {
  const auto asked = reply_of<EtcdLeaseReply>(call(EtcdCall(EtcdLeaseRenew{lease}), timeout));
  Outcome<EtcdLeaseReply> answer = co_await asked;
  if (answer.yes() && answer.value().ttl_s <= 0) {
    co_return Outcome<EtcdLeaseReply>::refusal(Why::error, std::string(to_string(EtcdError::lease_not_found)));
  }
  co_return answer;
}
Task<Outcome<EtcdLockReply>> Etcd::lock(std::string name, EtcdLeaseId lease, Duration timeout) {
  const bool limited = timeout.ns != 0 && timeout < kForever;
  EtcdLockCall request{std::move(name), lease, limited ? timeout.ns : 0};
  return reply_of<EtcdLockReply>(call(EtcdCall(std::move(request)), limited ? timeout : kForever));
}
Task<Outcome<EtcdLockReply>> Etcd::unlock(std::string key, Duration timeout) {
  return reply_of<EtcdLockReply>(call(EtcdCall(EtcdUnlockCall{std::move(key)}), timeout));
}

}  // namespace picklock
