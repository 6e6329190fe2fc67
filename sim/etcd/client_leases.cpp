#include <algorithm>

#include "sim/etcd/client.hpp"
#include "sim/task/combinators.hpp"

namespace picklock {
namespace {

// A loop that wakes every `period` since `began`; how long until it does so next.
Duration until_next(MonoTime began, Duration period, MonoTime now) {
  return period - Duration{(now - began).ns % period.ns};
}

// An event as a task, for with_timeout.  The event outlives it.
Task<Nothing> until_notified(Host, Event* event) {
  co_await event->wait();
  co_return Nothing{};
}

}  // namespace

std::shared_ptr<EtcdKeepAlive> EtcdClient::keep_alive(EtcdLeaseId lease) {
  const auto stream = std::make_shared<EtcdKeepAlive>(host_, lease);
  const auto [it, is_new] = renewed_.try_emplace(lease);
  Renewed& r = it->second;
  if (is_new) {
    r.next = host_.monotonic_now();
    r.deadline = r.next + options_.first_renewal;
  }
  stream->set_deadline(r.deadline);
  r.readers.push_back(stream);
  if (!std::exchange(renewing_, true)) {
    host_.spawn("keep-alive", send_renewals(host_, this));
    host_.spawn("lease-deadline", watch_deadlines(host_, this));
  }
  if (renewed_.size() == 1) {
    renewals_change_.notify();
    deadlines_change_.notify();
  }
  return stream;
}

std::vector<EtcdLeaseId> EtcdClient::due_renewals() {
  std::vector<EtcdLeaseId> due;
  const MonoTime now = host_.monotonic_now();
  for (auto it = renewed_.begin(); it != renewed_.end();) {
    auto& [lease, r] = *it;
    std::erase_if(r.readers, [](const auto& reader) { return reader->is_closed(); });
    if (r.readers.empty()) {
      it = renewed_.erase(it);
      continue;
    }
    if (r.next <= now) due.push_back(lease);
    ++it;
  }
  return due;
}

// One stream after the other.  At every scan it sends all renewals due, even if the former ones have not been
// answered (lease.go, sendKeepAliveLoop).
Task<void> EtcdClient::send_renewals(Host host, EtcdClient* self) {
  for (;;) {
    const MonoTime began = host.monotonic_now();
    const std::uint64_t stream = ++self->renewal_stream_;
    const std::optional<std::size_t> endpoint = self->pick();
    if (endpoint) host.spawn("keep-alive", hold_renewals(host, self, *endpoint, stream));
    while (endpoint && self->renewal_stream_ == stream) {
      for (const EtcdLeaseId lease : self->due_renewals()) {
        ++self->renewals_sent_;
        host.spawn("keep-alive", renew(host, self, lease, *endpoint, stream));
      }
      if (self->renewed_.empty()) co_await self->renewals_change_.wait();
      const Duration wait = until_next(began, kScanRenewals, host.monotonic_now());
      (void)co_await with_timeout(host, until_notified(host, &self->renewal_stream_ended_), wait);
    }
    co_await host.sleep(kRetryStream);
  }
}

// The stream itself: its answer is its end.
Task<void> EtcdClient::hold_renewals(Host, EtcdClient* self, std::size_t endpoint, std::uint64_t stream) {
  EtcdRequest request = EtcdLeaseStream{self->options_.requires_leader};
  const InUse use = self->use(endpoint);
  const auto end = co_await EtcdVerb(*self->endpoints_[endpoint].channel, mark::none, request);
  if (end.why() == Why::not_connected) self->went_down(endpoint);
  if (end.yes()) self->heard_from(endpoint);
  self->end_stream(stream);
}

void EtcdClient::end_stream(std::uint64_t stream) {
  if (renewal_stream_ != stream) return;
  ++renewal_stream_;
  renewal_stream_ended_.notify();
}

// Sends one message of the stream, and takes its answer, however late.
Task<void> EtcdClient::renew(Host host, EtcdClient* self, EtcdLeaseId lease, std::size_t endpoint,
                             std::uint64_t stream) {
  co_await host.pass(mark::renews);
  if (self->renewal_stream_ != stream) co_return;
  EtcdRequest request = EtcdLeaseRenew{lease, true};
  const auto answer = co_await EtcdVerb(*self->endpoints_[endpoint].channel, mark::etcd_keep_alive, request);
  if (answer.yes()) self->heard_from(endpoint);
  if (self->renewal_stream_ != stream) co_return;
  const auto* reply = answer.yes() ? std::get_if<EtcdLeaseReply>(&answer.value().body) : nullptr;
  if (reply == nullptr || answer.value().error != EtcdError::none) {
    self->end_stream(stream);
    co_return;
  }
  self->answered(*reply);
}

void EtcdClient::end_renewals(EtcdLeaseId lease) {
  const auto found = renewed_.find(lease);
  if (found == renewed_.end()) return;
  const auto readers = std::move(found->second.readers);
  renewed_.erase(found);
  for (const auto& reader : readers) reader->close();
}

void EtcdClient::answered(const EtcdLeaseReply& reply) {
  const auto found = renewed_.find(reply.id);
  if (found == renewed_.end()) return;
  if (reply.ttl_s <= 0) return end_renewals(reply.id);
  Renewed& r = found->second;
  const MonoTime now = host_.monotonic_now();
  r.deadline = now + seconds(reply.ttl_s);
  bool room = false;
  for (const auto& reader : r.readers) room = reader->offer(reply, r.deadline) || room;
  if (room || !options_.floods) r.next = now + seconds(reply.ttl_s) / 3;
  host_.announce_deadline(DeadlineKind::lease, r.deadline);
}

Task<void> EtcdClient::watch_deadlines(Host host, EtcdClient* self) {
  const MonoTime began = host.monotonic_now();
  for (;;) {
    if (self->renewed_.empty()) co_await self->deadlines_change_.wait();
    co_await host.sleep(until_next(began, kScanDeadlines, host.monotonic_now()));
    const MonoTime now = host.monotonic_now();
    std::vector<EtcdLeaseId> over;
    for (const auto& [lease, r] : self->renewed_) {
      if (r.deadline < now) over.push_back(lease);
    }
    for (const EtcdLeaseId lease : over) self->end_renewals(lease);
  }
}

}  // namespace picklock
