// Renewals and queries of leases, which only the leader's memory can answer.
//
// A member that takes itself for the leader answers from its own memory (v3_server.go, LeaseRenew); any other hands
// the request to the leader, at the address where members hear each other (leasehttp), as often as it takes.  A
// renewal that comes that way is asked fewer questions: whether this member still leads, nobody asks.

#include "base/check.hpp"
#include "base/packing.hpp"
#include "sim/etcd/member.hpp"
#include "sim/etcd/until_notified.hpp"

namespace picklock {
namespace {

// Between members, beside Raft's messages, whose first bytes are smaller.
constexpr std::uint8_t kForward = 0xc8, kForwardReply = 0xc9;
constexpr Duration kRetryForward = milliseconds(50);  // v3_server.go, LeaseRenew
// Formerly again at once, which takes no less than a refused connection does.
constexpr Duration kRefused = milliseconds(1);
constexpr Duration kApplyTimeout = seconds(1);  // v3_server.go, applyTimeout

EtcdLeaseId lease_of(const EtcdRequest& request) {
  if (const auto* renew = std::get_if<EtcdLeaseRenew>(&request)) return renew->id;
  return std::get<EtcdLeaseQuery>(request).id;
}

}  // namespace

void EtcdMember::begin_lease(Message message, EtcdRequest request, Duration left, std::uint64_t stream) {
  Pending pending;
  pending.errand = Errand::lease;
  pending.asker = std::move(message);
  pending.request = std::move(request);
  pending.stream = stream;
  try_lease(await_answer(std::move(pending), left));
}

void EtcdMember::try_lease(std::uint64_t id) {
  const auto found = pending_.find(id);
  if (found == pending_.end() || found->second.errand != Errand::lease) return;
  Pending& pending = found->second;
  pending.parked = false;
  pending.next_try.reset();
  pending.asked_of = 0;
  const bool renewal = std::holds_alternative<EtcdLeaseRenew>(pending.request);
  if (pending.origin == 0 && (pending.forwards || !leads_)) {
    pending.forwards = true;
    if (lead_ == 0) return try_again(pending, setup_.options.election);  // waitLeader
    if (lead_ != self_) return forward_lease(id, pending);
  } else if (pending.origin == 0 && renewal && must_confirm(pending)) {
    return join_round(id);
  }
  if (waits_for_applying(id, pending)) return;
  if (renewal) return renew_lease(id, pending);
  answer_lease(id, pending);
}

// An index that is known to be committed is waited for, for a second; then the answer is an error.
bool EtcdMember::waits_for_applying(std::uint64_t id, Pending& pending) {
  const bool handed_on = pending.origin != 0 || pending.forwards;
  if (applied_ >= noticed_ || (!handed_on && !setup_.options.renews_after_applying)) return false;
  const MonoTime now = service_->host().monotonic_now();
  if (!pending.applied_by) pending.applied_by = now + kApplyTimeout;
  if (now < *pending.applied_by) {
    try_again(pending, *pending.applied_by - now);
  } else if (pending.forwards) {
    pending.applied_by.reset();
    try_again(pending, forward_pause(pending));
  } else {
    fail(id, EtcdError::timeout);
  }
  return true;
}

void EtcdMember::retry_applied() {
  std::vector<std::uint64_t> waiting;
  for (const auto& [id, p] : pending_) {
    if (p.applied_by) waiting.push_back(id);
  }
  for (const std::uint64_t id : waiting) try_lease(id);
}

void EtcdMember::answer_lease(std::uint64_t id, Pending& pending) {
  const EtcdLessor& lessor = state_->lessor();
  if (!lessor.primary()) return not_primary(id, pending);
  const auto& query = std::get<EtcdLeaseQuery>(pending.request);
  const auto left = lessor.remaining(query.id, service_->host().monotonic_now());
  EtcdLeaseReply found{{}, query.id, left ? left->ns / seconds(1).ns : -1, lessor.ttl_s(query.id).value_or(0), {}};
  if (left && query.keys) found.keys = lessor.keys(query.id);
  EtcdReply reply;
  reply.body = std::move(found);
  Pending done = std::move(pending);
  pending_.erase(id);
  answer(done, with_header(std::move(reply)));
}

void EtcdMember::renew_lease(std::uint64_t id, Pending& pending) {
  EtcdLessor& lessor = state_->lessor();
  const EtcdLeaseId lease = lease_of(pending.request);
  const EtcdRenewal how = lessor.renew(lease, service_->host().monotonic_now());
  if (how == EtcdRenewal::not_primary) return not_primary(id, pending);  // elected, and not yet through its first entry
  if (how == EtcdRenewal::expired) {
    pending.parked = true;
    return;
  }
  const std::int64_t ttl_s = lessor.ttl_s(lease).value_or(0);
  Pending done = std::move(pending);
  pending_.erase(id);
  if (how == EtcdRenewal::checkpointed) {  // what remained when it was checkpointed is to be forgotten everywhere first
    done.errand = Errand::clearing;
    done.request = EtcdLeaseCheckpoint{{{lease, 0}}};
    done.ttl_s = ttl_s;
    done.confirmed = false;
    const bool asks_first = must_confirm(done);
    const std::uint64_t again = await_answer(std::move(done));
    if (asks_first) return join_round(again);
    return propose(again, 0);
  }
  if (how == EtcdRenewal::renewed) {
    world_->record(trace::etcd_lease_renewed, node_, done.asker.operation.hold, static_cast<std::uint64_t>(lease),
                   static_cast<std::uint64_t>(ttl_s));
  }
  EtcdReply reply;
  reply.body = EtcdLeaseReply{{}, lease, ttl_s, ttl_s, {}};
  answer(done, with_header(std::move(reply)));
}

// The lessor does not lead, whatever Raft says.
void EtcdMember::not_primary(std::uint64_t id, Pending& pending) {
  if (pending.origin != 0) {
    send_forward_reply(pending, nullptr);
    pending_.erase(id);
    return;
  }
  const bool tried = std::exchange(pending.forwards, true);
  try_again(pending, tried ? forward_pause(pending) : Duration{});
}

// --- between members

void EtcdMember::forward_lease(std::uint64_t id, Pending& pending) {
  scratch_.clear();
  Packer to(scratch_);
  to.byte(kForward);
  to.number(self_);
  to.number(id);
  to.number(pending.asker.operation.hold);
  encode(pending.request, scratch_);
  if (!peers_.send(lead_, scratch_)) return try_again(pending, forward_pause(pending));
  // leasehttp waits for that member, stopped or deposed as it may be, until the request is over (RenewHTTP).
  pending.asked_of = lead_;
}

// Nothing: this member has no answer.
void EtcdMember::send_forward_reply(const Pending& pending, const EtcdReply* reply) {
  scratch_.clear();
  Packer to(scratch_);
  to.byte(kForwardReply);
  to.number(self_);
  to.number(pending.there);
  to.byte(reply != nullptr ? 1 : 0);
  if (reply != nullptr) encode(*reply, scratch_);
  peers_.send(pending.origin, scratch_);
}

void EtcdMember::hear_forwarded(const Message& message) {
  Unpacker from(message.body.view());
  const std::uint8_t kind = from.byte();
  const auto member = static_cast<RaftId>(from.number());
  PICKLOCK_CHECK(member >= 1 && member <= setup_.members.size());
  peers_.heard(member);
  const std::uint64_t id = from.number();
  if (kind == kForward) {
    Pending pending;
    pending.errand = Errand::lease;
    pending.origin = member;
    pending.there = id;
    pending.asker.operation = message.operation;
    pending.asker.operation.hold = static_cast<std::uint32_t>(from.number());
    std::optional<EtcdRequest> request = decode_etcd_request(from.rest());
    PICKLOCK_CHECK(request.has_value());
    pending.request = std::move(*request);
    const std::uint64_t here = await_answer(std::move(pending));
    return try_lease(here);
  }
  const bool done = from.byte() != 0;
  const auto found = pending_.find(id);
  if (found == pending_.end() || found->second.errand != Errand::lease) return;
  if (!done) {
    found->second.asked_of = 0;
    return try_again(found->second, forward_pause(found->second));
  }
  std::optional<EtcdReply> reply = decode_etcd_reply(from.rest());
  PICKLOCK_CHECK(reply.has_value());
  Pending pending = std::move(found->second);
  pending_.erase(found);
  answer(pending, std::move(*reply));
}

// --- trying again

// LeaseTimeToLive never waited.
Duration EtcdMember::forward_pause(const Pending& pending) const {
  const bool renewal = std::holds_alternative<EtcdLeaseRenew>(pending.request);
  return setup_.options.throttles_forwards && renewal ? kRetryForward : kRefused;
}

void EtcdMember::try_again(Pending& pending, Duration wait) {
  pending.next_try = service_->host().monotonic_now() + wait;
  leases_to_try_->notify();
}

Task<void> EtcdMember::retry_leases(Service service) {
  const Host host = service.host();
  for (;;) {
    std::optional<MonoTime> next;
    std::vector<std::uint64_t> due;
    const MonoTime now = host.monotonic_now();
    for (const auto& [id, p] : pending_) {
      if (!p.next_try) continue;
      if (*p.next_try <= now) due.push_back(id);
      if (!next || *p.next_try < *next) next = p.next_try;
    }
    for (const std::uint64_t id : due) try_lease(id);
    if (!due.empty()) {
      pump();
    } else if (next) {
      (void)co_await with_timeout(host, until_notified(host, &*leases_to_try_), *next - now);
    } else {
      co_await leases_to_try_->wait();
    }
  }
}

// The connection has ended, and with it the wait.
void EtcdMember::retry_leases_of(RaftId member) {
  for (auto& [id, p] : pending_) {
    if (p.errand != Errand::lease || p.asked_of != member) continue;
    p.asked_of = 0;
    try_again(p, forward_pause(p));
  }
}

void EtcdMember::release_parked(EtcdLeaseId lease) {
  std::vector<std::uint64_t> freed;
  for (const auto& [id, p] : pending_) {
    if (p.parked && lease_of(p.request) == lease) freed.push_back(id);
  }
  for (const std::uint64_t id : freed) try_lease(id);
}

}  // namespace picklock
