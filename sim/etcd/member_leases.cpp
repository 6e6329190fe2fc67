// Leases: renewals and queries, which only the leader's memory can answer, and the ends of leases.

#include "sim/core/mix.hpp"
#include "sim/etcd/member.hpp"
#include "sim/task/check.hpp"
#include "sim/task/packing.hpp"

namespace picklock {
namespace {

// Between members, beside Raft's messages, whose first bytes are smaller.
constexpr std::uint8_t kForward = 0xc8, kForwardReply = 0xc9;
constexpr Duration kRetryForward = milliseconds(50);  // v3_server.go, LeaseRenew
constexpr Duration kLessorPeriod = milliseconds(500);
constexpr std::size_t kMostRevokedAtOnce = 500, kMostRevoking = 16, kMostCheckpoints = 1000;

EtcdLeaseId lease_of(const EtcdRequest& request) {
  if (const auto* renew = std::get_if<EtcdLeaseRenew>(&request)) return renew->id;
  return std::get<EtcdLeaseQuery>(request).id;
}

}  // namespace

// --- renewals and queries

void EtcdMember::try_lease(std::uint64_t id) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  Pending& pending = found->second;
  pending.parked = false;
  if (!leads_) return forward_lease(id, pending);
  if (must_confirm(pending)) {
    next_round_.push_back(id);
    if (round_.empty()) begin_round();
    pending.next_try = pending.asked + setup_.options.request_timeout();
    return;
  }
  std::optional<EtcdReply> reply = lease_from_memory(id, pending);
  if (!reply) return;
  answer(pending, with_header(std::move(*reply)));
  pending_.erase(id);
}

// Nothing: not yet.
std::optional<EtcdReply> EtcdMember::lease_from_memory(std::uint64_t id, Pending& pending) {
  EtcdLessor& lessor = state_->lessor();
  const MonoTime now = service_->host().monotonic_now();
  const EtcdLeaseId lease = lease_of(pending.request);
  pending.next_try = now;
  if (setup_.options.renews_after_applying && applied_ < raft_->committed()) return std::nullopt;
  EtcdReply reply;
  if (const auto* query = std::get_if<EtcdLeaseQuery>(&pending.request)) {
    if (!lessor.primary()) return std::nullopt;
    const auto left = lessor.remaining(lease, now);
    EtcdLeaseReply answer{{}, lease, left ? left->ns / seconds(1).ns : -1, lessor.ttl_s(lease).value_or(0), {}};
    if (left && query->keys) answer.keys = lessor.keys(lease);
    reply.body = std::move(answer);
    return reply;
  }
  switch (lessor.renew(lease, now)) {
    case EtcdRenewal::not_primary: return std::nullopt;  // elected, but not yet through its first entry
    case EtcdRenewal::expired: pending.parked = true; return std::nullopt;
    case EtcdRenewal::not_found: reply.body = EtcdLeaseReply{{}, lease, 0, 0, {}}; return reply;
    case EtcdRenewal::checkpointed: {  // what remained when it was checkpointed is to be forgotten everywhere first
      Pending clearing = std::move(pending);
      pending_.erase(id);
      clearing.errand = Errand::clearing;
      clearing.request = EtcdLeaseCheckpoint{{{lease, 0}}};
      const std::uint64_t again = await_answer(std::move(clearing));
      propose(again, 0);
      return std::nullopt;
    }
    case EtcdRenewal::renewed: break;
  }
  const std::int64_t ttl_s = *lessor.ttl_s(lease);
  world_->record(trace::etcd_lease_renewed, node_, pending.asker.operation.hold, static_cast<std::uint64_t>(lease),
                 static_cast<std::uint64_t>(ttl_s));
  reply.body = EtcdLeaseReply{{}, lease, ttl_s, ttl_s, {}};
  return reply;
}

void EtcdMember::forward_lease(std::uint64_t id, Pending& pending) {
  const MonoTime now = service_->host().monotonic_now();
  if (pending.origin != 0) {
    send_forward_reply(pending, nullptr);
    pending_.erase(id);
    return;
  }
  pending.next_try = now + kRetryForward;
  if (lead_ == 0 || lead_ == self_) return;
  scratch_.clear();
  Packer to(scratch_);
  to.byte(kForward);
  to.number(self_);
  to.number(id);
  to.number(pending.asker.operation.hold);
  encode(pending.request, scratch_);
  if (!peers_.send(lead_, scratch_)) return;
  // leasehttp waits for that member, stopped or deposed as it may be, until the request is over (RenewHTTP).
  pending.asked_of = lead_;
  pending.next_try = pending.asked + setup_.options.request_timeout();
}

// Nothing: this member does not lead.
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
    found->second.next_try = service_->host().monotonic_now() + kRetryForward;
    return;
  }
  std::optional<EtcdReply> reply = decode_etcd_reply(from.rest());
  PICKLOCK_CHECK(reply.has_value());
  answer(found->second, std::move(*reply));
  pending_.erase(found);
}

void EtcdMember::retry_leases() {
  const MonoTime now = service_->host().monotonic_now();
  std::vector<std::uint64_t> due;
  for (const auto& [id, p] : pending_) {
    if (p.errand == Errand::lease && !p.parked && p.next_try <= now) due.push_back(id);
  }
  for (const std::uint64_t id : due) try_lease(id);
}

// The connection has ended, and with it the wait.
void EtcdMember::retry_leases_of(RaftId member) {
  for (auto& [id, p] : pending_) {
    if (p.errand != Errand::lease || p.asked_of != member) continue;
    p.asked_of = 0;
    p.next_try = service_->host().monotonic_now() + kRetryForward;
  }
}

void EtcdMember::release_parked(EtcdLeaseId lease) {
  std::vector<std::uint64_t> freed;
  for (const auto& [id, p] : pending_) {
    if (p.parked && lease_of(p.request) == lease) freed.push_back(id);
  }
  for (const std::uint64_t id : freed) try_lease(id);
}

// --- the ends of leases

Task<void> EtcdMember::run_lessor(Service service) {
  const Host host = service.host();
  const Duration phase = host.draw_duration(Purpose::start, Law::uniform(Duration{}, kLessorPeriod));
  const MonoTime began = host.monotonic_now() + phase - kLessorPeriod;
  for (;;) {
    if (!state_->lessor().primary() || state_->lessor().size() == 0) {
      co_await leases_to_watch_->wait();
      continue;
    }
    const MonoTime now = host.monotonic_now();
    const MonoTime next = began + kLessorPeriod * ((now - began).ns / kLessorPeriod.ns + 1);
    co_await host.sleep_until(next);
    if (state_->lessor().primary()) look_for_ends();
    pump();
  }
}

void EtcdMember::look_for_ends() {
  const MonoTime now = service_->host().monotonic_now();
  for (const EtcdLeaseId id : state_->lessor().take_expired(now, kMostRevokedAtOnce)) to_revoke_.push_back(id);
  revoke_next();
  if (!setup_.options.checkpoints) return;
  Pending checkpoint;
  checkpoint.errand = Errand::checkpoint;
  EtcdLeaseCheckpoint leases{state_->lessor().take_checkpoints(now, kMostCheckpoints)};
  if (leases.leases.empty()) return;
  checkpoint.request = std::move(leases);
  const std::uint64_t id = await_answer(std::move(checkpoint));
  propose(id, 0);
}

void EtcdMember::revoke_next() {
  while (revoking_ < kMostRevoking && !to_revoke_.empty()) {
    Pending pending;
    pending.errand = Errand::revocation;
    pending.request = EtcdLeaseRevoke{to_revoke_.front()};
    to_revoke_.pop_front();
    ++revoking_;
    const bool asks_first = must_confirm(pending);
    const std::uint64_t id = await_answer(std::move(pending));
    if (!asks_first) {
      propose(id, 0);
      continue;
    }
    next_round_.push_back(id);
    if (round_.empty()) begin_round();
  }
}

bool EtcdMember::loop_is_alive() const {
  return service_->host().monotonic_now() - last_tick_ <= setup_.options.heartbeat * 3;
}

bool EtcdMember::must_confirm(const Pending& pending) const {
  return setup_.options.confirms_leadership && !pending.confirmed && !loop_is_alive();
}

}  // namespace picklock
