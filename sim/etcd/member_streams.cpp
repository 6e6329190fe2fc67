// Streams: watches and renewals, which end when there is no leader for long (api/v3rpc/interceptor.go).

#include "sim/etcd/member.hpp"

namespace picklock {
namespace {

constexpr std::uint32_t kMostLeaderless = 3;  // looks, an election timeout apart

}  // namespace

// --- watches

void EtcdMember::create_watch(const Message& message, const EtcdWatchCreate& what) {
  EtcdReply reply = what.require_leader && lead_ == 0 ? EtcdReply::failed(EtcdError::no_leader)
                                                      : watches_.create(state_->store(), message.connection, what);
  service_->reply(message, encode(with_header(std::move(reply))));
  deliver_events();
  if (watches_.unsynced()) watchers_behind_->notify();
}

// mvcc/watchable_store.go, syncWatchersLoop: of no concern to Raft's loop, and as little delayed by the disk.
Task<void> EtcdMember::catch_up_watches(Service service) {
  const Host host = service.host();
  constexpr Duration kEvery = EtcdWatchHub::kCatchUpEvery;
  const Duration phase = host.draw_duration(Purpose::start, Law::uniform(Duration{}, kEvery));
  const MonoTime began = host.monotonic_now() + phase - kEvery;
  for (;;) {
    while (!watches_.unsynced()) co_await watchers_behind_->wait();
    const MonoTime now = host.monotonic_now();
    const MonoTime next = began + kEvery * ((now - began).ns / kEvery.ns + 1);
    co_await host.sleep_until(next);
    watches_.catch_up(state_->store());
    deliver_events();
  }
}

// --- those that require a leader

// interceptor.go, monitorLeader: it looks every election timeout since the boot, and knows what Raft's loop knows.
Task<void> EtcdMember::monitor_leader(Service service) {
  const Host host = service.host();
  const Duration every = setup_.options.election;
  const MonoTime booted = host.monotonic_now();
  std::uint32_t leaderless = 0;
  for (;;) {
    if (lead_ != 0) {
      leaderless = 0;
      co_await leader_lost_->wait();
    }
    const MonoTime now = host.monotonic_now();
    const MonoTime next = booted + every * ((now - booted).ns / every.ns + 1);
    co_await host.sleep_until(next);
    if (lead_ != 0 || ++leaderless < kMostLeaderless) continue;
    watches_.lose_leader(state_->store());
    deliver_events();
    std::vector<ConnectionId> ended;
    for (const auto& [connection, stream] : renewal_streams_) {
      if (stream.requires_leader) ended.push_back(connection);
    }
    for (const ConnectionId connection : ended) end_renewals(connection, EtcdError::no_leader);
  }
}

void EtcdMember::open_renewals(Message& message, bool require_leader) {
  end_renewals(message.connection, EtcdError::stopped);  // its client has one at a time
  if (require_leader && lead_ == 0) {
    return service_->reply(message, encode(with_header(EtcdReply::failed(EtcdError::no_leader))));
  }
  RenewalStream& stream = renewal_streams_[message.connection];
  stream.number = ++last_id_;
  stream.requires_leader = require_leader;
  stream.opened = std::move(message);
  stream.opened.body.reset();
}

void EtcdMember::hear_renewal(Message& message, EtcdLeaseId lease) {
  const ConnectionId connection = message.connection;
  const auto stream = renewal_streams_.find(connection);
  if (stream == renewal_streams_.end()) {  // it has ended, or was never let in
    return service_->reply(message, encode(with_header(EtcdReply::failed(EtcdError::no_leader))));
  }
  message.body.reset();
  stream->second.waiting.emplace_back(std::move(message), lease);
  if (!stream->second.busy) serve_renewals(connection);
}

void EtcdMember::renewal_served(const Pending& pending, bool failed) {
  const ConnectionId connection = pending.asker.connection;
  const auto served = renewal_streams_.find(connection);
  if (served == renewal_streams_.end() || served->second.number != pending.stream) return;  // an older one's
  if (failed) return end_renewals(connection, EtcdError::stopped);
  served->second.busy = false;
  serve_renewals(connection);
}

// Its next message, if it has one; and of the streams which come free while that is done, theirs.
void EtcdMember::serve_renewals(ConnectionId connection) {
  freed_streams_.push_back(connection);
  if (freed_streams_.size() > 1) return;
  for (; !freed_streams_.empty(); freed_streams_.pop_front()) {
    const auto stream = renewal_streams_.find(freed_streams_.front());
    if (stream == renewal_streams_.end() || stream->second.waiting.empty()) continue;
    auto [message, lease] = std::move(stream->second.waiting.front());
    stream->second.waiting.pop_front();
    stream->second.busy = true;
    begin_lease(std::move(message), EtcdLeaseRenew{lease, true}, kForever, stream->second.number);
  }
}

void EtcdMember::end_renewals(ConnectionId connection, EtcdError error) {
  const auto found = renewal_streams_.find(connection);
  if (found == renewal_streams_.end()) return;
  RenewalStream stream = std::move(found->second);
  renewal_streams_.erase(found);
  const std::string end = encode(with_header(EtcdReply::failed(error)));
  service_->reply(stream.opened, end);
  for (const auto& [message, lease] : stream.waiting) service_->reply(message, end);
  for (auto it = pending_.begin(); it != pending_.end();) {
    const Pending& p = it->second;
    const bool of_stream = p.stream == stream.number && p.errand == Errand::lease;
    if (of_stream) service_->reply(p.asker, end);
    it = of_stream ? pending_.erase(it) : std::next(it);
  }
}

}  // namespace picklock
