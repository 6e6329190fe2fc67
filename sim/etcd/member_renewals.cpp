#include "sim/etcd/member_renewals.hpp"

#include <utility>

#include "base/check.hpp"
#include "sim/etcd/inspect.hpp"
#include "sim/etcd/member_renewal_streams.hpp"

namespace picklock {
namespace {

constexpr Duration kRetryForward = milliseconds(50);  // v3_server.go, LeaseRenew
// Formerly again at once, which takes no less than a refused connection does.
constexpr Duration kRefused = milliseconds(1);
constexpr Duration kApplyTimeout = seconds(1);  // v3_server.go, applyTimeout

EtcdLeaseId lease_of(const EtcdRequest& request) {
  if (const auto* renew = std::get_if<EtcdLeaseRenew>(&request)) return renew->id;
  return std::get<EtcdLeaseQuery>(request).id;
}

bool is_renewal(const EtcdRequest& request) { return std::holds_alternative<EtcdLeaseRenew>(request); }

}  // namespace

// --- requests come, and go

void EtcdRenewals::begin(Message message, EtcdRequest request, Duration left, std::uint64_t stream) {
  Call call;
  call.asker = std::move(message);
  call.request = std::move(request);
  call.stream = stream;
  attempt(add(std::move(call), left));
}

std::uint64_t EtcdRenewals::add(Call call, Duration left) {
  const std::uint64_t id = parts_.calls.begin(*this, left);
  calls_.emplace(id, std::move(call));
  return id;
}

EtcdRenewals::Call EtcdRenewals::take(std::uint64_t id) {
  parts_.calls.end(id);
  return std::move(calls_.extract(id).mapped());
}

EtcdRenewals::Clearing EtcdRenewals::take_clearing(std::uint64_t id) {
  parts_.calls.end(id);
  return std::move(clearings_.extract(id).mapped());
}

// Requests that clear a checkpoint go on: their renewal is decided.
void EtcdRenewals::drop(ConnectionId connection) {
  std::erase_if(calls_, [&](const auto& each) {
    const Call& call = each.second;
    const bool gone = call.origin == 0 && call.asker.connection == connection;
    if (gone) parts_.calls.end(each.first);
    return gone;
  });
}

void EtcdRenewals::end_stream(std::uint64_t number, const EtcdReply& last) {
  for (auto it = calls_.begin(); it != calls_.end();) {
    const bool of_stream = it->second.stream == number;
    if (of_stream) {
      parts_.replies.send(it->second.asker, last);
      parts_.calls.end(it->first);
    }
    it = of_stream ? calls_.erase(it) : std::next(it);
  }
}

void EtcdRenewals::reply(const Call& call, EtcdReply reply) {
  const bool failed = reply.error != EtcdError::none;
  if (call.origin != 0) return reply_to_member(call, failed ? std::nullopt : std::optional(std::move(reply)));
  parts_.replies.send(call.asker, std::move(reply));
  if (call.stream != 0) parts_.streams.served(call.asker.connection, call.stream, failed);
}

void EtcdRenewals::applied(std::uint64_t id, EtcdReply&&) { finish_clearing(take_clearing(id)); }

void EtcdRenewals::confirmed(std::uint64_t id) {
  if (!parts_.leader.is_self()) return failed(id, EtcdError::leader_changed);
  const auto clearing = clearings_.find(id);
  if (clearing != clearings_.end()) {
    return parts_.proposals.propose(id, 0, EtcdLeaseCheckpoint{{{clearing->second.lease, 0}}});
  }
  calls_.at(id).confirmed = true;
  attempt(id);
}

void EtcdRenewals::failed(std::uint64_t id, EtcdError why) {
  const bool deposed = why == EtcdError::leader_changed;
  if (clearings_.contains(id)) {
    Clearing clearing = take_clearing(id);
    // The renewal succeeds whether or not the log took the checkpoint (server.go, SetCheckpointer); but a leader that
    // is none has not tried.
    if (!deposed) return finish_clearing(clearing);
    clearing.call.request = EtcdLeaseRenew{clearing.lease};
    const std::uint64_t again = add(std::move(clearing.call));
    return not_primary(again, calls_.at(again));
  }
  // lease.ErrNotPrimary, which is no reason for a client to ask the same again (v3_server.go, LeaseRenew).
  reply(take(id), EtcdReply::failed(deposed ? EtcdError::not_leader : why));
}

void EtcdRenewals::timed_out(std::uint64_t id, MonoTime) {
  failed(id, parts_.leader.known() ? EtcdError::timeout : EtcdError::no_leader);
}

// --- one attempt

void EtcdRenewals::attempt(std::uint64_t id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  Call& call = found->second;
  call.parked = false;
  call.next_try.reset();
  call.asked_of = 0;
  const EtcdLeaderView& leader = parts_.leader;
  if (call.origin == 0 && (call.forwards || !leader.is_self())) {
    call.forwards = true;
    if (!leader.known()) return try_again(call, me_.options().election);  // waitLeader
    if (leader.id() != me_.self) return forward(id, call);
  } else if (call.origin == 0 && is_renewal(call.request) && !call.confirmed && parts_.raft.must_confirm_leadership()) {
    return parts_.rounds.join(id);
  }
  if (waits_for_applying(id, call)) return;
  if (is_renewal(call.request)) return renew(id, call);
  answer(id, call);
}

// An index that is known to be committed is waited for, for a second; then the answer is an error.
bool EtcdRenewals::waits_for_applying(std::uint64_t id, Call& call) {
  const bool handed_on = call.origin != 0 || call.forwards;
  const bool caught_up = parts_.applier.applied() >= parts_.raft.known_committed();
  if (caught_up || (!handed_on && !me_.options().renews_after_applying)) return false;
  const MonoTime now = me_.now();
  if (!call.applied_by) call.applied_by = now + kApplyTimeout;
  if (now < *call.applied_by) {
    try_again(call, *call.applied_by - now);
  } else if (call.forwards) {
    call.applied_by.reset();
    try_again(call, forward_pause(call));
  } else {
    failed(id, EtcdError::timeout);
  }
  return true;
}

void EtcdRenewals::answer(std::uint64_t id, Call& call) {
  if (!lessor().primary()) return not_primary(id, call);
  const auto& query = std::get<EtcdLeaseQuery>(call.request);
  const auto left = lessor().remaining(query.id, me_.now());
  EtcdLeaseReply found{{}, query.id, left ? left->ns / seconds(1).ns : -1, lessor().ttl_s(query.id).value_or(0), {}};
  if (left && query.keys) found.keys = lessor().keys(query.id);
  EtcdReply answer;
  answer.body = std::move(found);
  reply(take(id), parts_.replies.with_header(std::move(answer)));
}

void EtcdRenewals::renew(std::uint64_t id, Call& call) {
  const EtcdLeaseId lease = lease_of(call.request);
  const EtcdRenewal how = lessor().renew(lease, me_.now());
  if (how == EtcdRenewal::not_primary) return not_primary(id, call);  // elected, and not yet through its first entry
  if (how == EtcdRenewal::expired) {
    call.parked = true;
    return;
  }
  const std::int64_t ttl_s = lessor().ttl_s(lease).value_or(0);
  Call done = take(id);
  if (how == EtcdRenewal::checkpointed) return clear_checkpoint(std::move(done), lease, ttl_s);
  if (how == EtcdRenewal::renewed) record_renewed(done, lease, ttl_s);
  EtcdReply answer;
  answer.body = EtcdLeaseReply{{}, lease, ttl_s, ttl_s, {}};
  reply(done, parts_.replies.with_header(std::move(answer)));
}

// The TTL that was checkpointed is to be forgotten everywhere before the lease is renewed.
void EtcdRenewals::clear_checkpoint(Call call, EtcdLeaseId lease, std::int64_t ttl_s) {
  call.confirmed = false;
  const bool asks_first = parts_.raft.must_confirm_leadership();
  const std::uint64_t id = parts_.calls.begin(*this);
  clearings_.emplace(id, Clearing{std::move(call), lease, ttl_s});
  if (asks_first) return parts_.rounds.join(id);
  parts_.proposals.propose(id, 0, EtcdLeaseCheckpoint{{{lease, 0}}});
}

// The renewal goes on with the lease that it found before, whatever has become of it (lessor.go, Renew): it was
// renewed, even if it has been revoked in the meantime.
void EtcdRenewals::finish_clearing(const Clearing& clearing) {
  const EtcdLeaseId lease = clearing.lease;
  const bool gone = me_.options().rechecks_leases && !lessor().exists(lease);
  const std::int64_t ttl_s = gone ? 0 : clearing.ttl_s;
  if (lessor().refresh(lease, me_.now())) record_renewed(clearing.call, lease, ttl_s);
  EtcdReply answer;
  answer.body = EtcdLeaseReply{{}, lease, ttl_s, ttl_s, {}};
  reply(clearing.call, parts_.replies.with_header(std::move(answer)));
}

void EtcdRenewals::record_renewed(const Call& call, EtcdLeaseId lease, std::int64_t ttl_s) const {
  me_.record(trace::etcd_lease_renewed, call.asker.operation.hold, static_cast<std::uint64_t>(lease),
             static_cast<std::uint64_t>(ttl_s));
}

// The lessor does not lead, whatever Raft says.
void EtcdRenewals::not_primary(std::uint64_t id, Call& call) {
  if (call.origin != 0) {
    reply_to_member(call, std::nullopt);
    take(id);
    return;
  }
  const bool tried = std::exchange(call.forwards, true);
  try_again(call, tried ? forward_pause(call) : Duration{});
}

// --- between members

void EtcdRenewals::forward(std::uint64_t id, Call& call) {
  EtcdForwarded forwarded{me_.self, id, call.asker.operation.hold, call.request};
  if (!parts_.raft.send(parts_.leader.id(), std::move(forwarded))) return try_again(call, forward_pause(call));
  // leasehttp waits for that member, stopped or deposed as it may be, until the request is over (RenewHTTP).
  call.asked_of = parts_.leader.id();
}

void EtcdRenewals::reply_to_member(const Call& call, std::optional<EtcdReply> reply) {
  parts_.raft.send(call.origin, EtcdForwardedReply{me_.self, call.there, std::move(reply)});
}

void EtcdRenewals::hear_forwarded(EtcdForwarded&& forwarded, const Operation& operation) {
  parts_.raft.heard(forwarded.member);
  Call call;
  call.origin = forwarded.member;
  call.there = forwarded.id;
  call.asker.operation = operation;
  call.asker.operation.hold = forwarded.hold;
  call.request = std::move(forwarded.request);
  attempt(add(std::move(call)));
}

void EtcdRenewals::hear_forwarded(EtcdForwardedReply&& answer) {
  parts_.raft.heard(answer.member);
  const auto found = calls_.find(answer.id);
  if (found == calls_.end()) return;
  if (answer.reply) return reply(take(answer.id), std::move(*answer.reply));
  found->second.asked_of = 0;
  try_again(found->second, forward_pause(found->second));
}

// --- trying again

// LeaseTimeToLive never waited.
Duration EtcdRenewals::forward_pause(const Call& call) const {
  return me_.options().throttles_forwards && is_renewal(call.request) ? kRetryForward : kRefused;
}

void EtcdRenewals::try_again(Call& call, Duration wait) {
  call.next_try = me_.now() + wait;
  due_.ring();
}

Task<void> EtcdRenewals::retry(Service service) {
  const Host host = service.host();
  for (;;) {
    std::optional<MonoTime> next;
    std::vector<std::uint64_t> due;
    const MonoTime now = host.monotonic_now();
    for (const auto& [id, call] : calls_) {
      if (!call.next_try) continue;
      if (*call.next_try <= now) due.push_back(id);
      if (!next || *call.next_try < *next) next = call.next_try;
    }
    for (const std::uint64_t id : due) attempt(id);
    if (!due.empty()) {
      parts_.raft.pump();
    } else {
      co_await service.wait({.until = next, .bell = &due_, .messages = false, .what = "renewals"});
    }
  }
}

void EtcdRenewals::deposed() {
  for (auto& [id, call] : calls_) {
    if (std::exchange(call.parked, false)) call.next_try = me_.now();
    call.confirmed = false;
  }
  due_.ring();
}

void EtcdRenewals::caught_up() {
  std::vector<std::uint64_t> waiting;
  for (const auto& [id, call] : calls_) {
    if (call.applied_by) waiting.push_back(id);
  }
  for (const std::uint64_t id : waiting) attempt(id);
}

void EtcdRenewals::revoked(EtcdLeaseId lease) {
  std::vector<std::uint64_t> freed;
  for (const auto& [id, call] : calls_) {
    if (call.parked && lease_of(call.request) == lease) freed.push_back(id);
  }
  for (const std::uint64_t id : freed) attempt(id);
}

// leasehttp's request ends with its connection.
void EtcdRenewals::link_lost(RaftId member) {
  for (auto& [id, call] : calls_) {
    if (call.asked_of != member) continue;
    call.asked_of = 0;
    try_again(call, forward_pause(call));
  }
}

}  // namespace picklock
