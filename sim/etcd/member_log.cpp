// What goes through the log: proposing it, and what a member does with each entry.

#include <algorithm>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "base/packing.hpp"
#include "sim/etcd/member.hpp"

namespace picklock {

// `left` of its caller's deadline.
std::uint64_t EtcdMember::await_answer(Pending pending, Duration left) {
  const std::uint64_t id = ++last_id_;
  pending.asker.body.reset();
  pending.asked = service_->host().monotonic_now();
  const auto [place, is_new] = deadlines_.emplace(pending.asked + std::min(left, setup_.options.request_timeout()), id);
  pending_.emplace(id, std::move(pending));
  if (place == deadlines_.begin()) something_pending_->notify();
  return id;
}

// An entry: who waits for it under which number, the hold on whose behalf it is, the request.
void EtcdMember::propose(std::uint64_t id, std::uint32_t hold) {
  std::string entry;
  Packer to(entry);
  to.number(self_);
  to.number(id);
  to.number(hold);
  encode(pending_.at(id).request, entry);
  // Nobody takes proposals while no leader is known; they wait until their timeout (raft/node.go, stepWithWaitOption).
  if (lead_ == 0 || !raft_->propose(entry)) unproposed_.emplace_back(id, std::move(entry));
}

void EtcdMember::propose_waiting() {
  for (; lead_ != 0 && !unproposed_.empty(); unproposed_.pop_front()) {
    const auto& [id, entry] = unproposed_.front();
    if (pending_.count(id) != 0 && !raft_->propose(entry)) return;
  }
}

void EtcdMember::apply(const RaftEntry& entry) {
  EtcdInvariants* const invariants = setup_.invariants;
  if (invariants != nullptr && entry.index != applied_ + 1) invariants->breaks("an entry applied out of order");
  applied_ = entry.index;
  applied_term_ = entry.term;
  if (invariants != nullptr) {
    invariants->applied(self_, entry.index, entry.term, hash_bytes(entry.data), raft_->term());
  }
  if (entry.data.empty()) return promote(entry.term);

  Unpacker from(entry.data);
  const auto origin = static_cast<RaftId>(from.number());
  const std::uint64_t id = from.number();
  const auto hold = static_cast<std::uint32_t>(from.number());
  const std::optional<EtcdRequest> request = decode_etcd_request(from.rest());
  PICKLOCK_CHECK(request.has_value());
  const EtcdRevision before = state_->store().revision();
  EtcdApplied done = state_->apply(*request, service_->host().monotonic_now());
  if (invariants != nullptr) invariants->revision(self_, before, state_->store().revision());
  record_applied(*request, hold, done);
  watches_.notify(state_->store(), done.changes);
  deliver_events();
  if (const auto* revoked = std::get_if<EtcdLeaseRevoke>(&*request)) release_parked(revoked->id);
  if (origin == self_) applied_own(id, with_header(std::move(done.reply)));
}

void EtcdMember::record_applied(const EtcdRequest& request, std::uint32_t hold, const EtcdApplied& done) {
  record_etcd_changes(*world_, node_, hold, done.changes);
  if (done.reply.error != EtcdError::none) return;
  if (const auto* txn = std::get_if<EtcdTxn>(&request); txn && !std::get<EtcdTxnReply>(done.reply.body).succeeded) {
    record_etcd_findings(*world_, node_, hold, *txn, state_->store());
  }
  if (const auto* grant = std::get_if<EtcdLeaseGrant>(&request)) {
    if (!state_->lessor().primary()) return;
    const auto ttl_s = static_cast<std::uint64_t>(*state_->lessor().ttl_s(grant->id));
    world_->record(trace::etcd_lease_granted, node_, hold, static_cast<std::uint64_t>(grant->id), ttl_s);
    leases_to_watch_->notify();
  } else if (const auto* revoke = std::get_if<EtcdLeaseRevoke>(&request)) {
    world_->record(trace::etcd_lease_revoked, node_, hold, static_cast<std::uint64_t>(revoke->id),
                   static_cast<std::uint64_t>(state_->store().revision()));
  }
}

// The first entry of its own term: from here on leases end by this member's clock, none of them sooner than an
// election timeout and its whole TTL from now.
void EtcdMember::promote(RaftTerm term) {
  if (!leads_ || term != led_term_) return;
  EtcdLessor& lessor = state_->lessor();
  lessor.promote(service_->host().monotonic_now(), setup_.options.election);
  for (const EtcdLeaseId id : lessor.ids()) {
    world_->record(trace::etcd_lease_renewed, node_, 0, static_cast<std::uint64_t>(id),
                   static_cast<std::uint64_t>(*lessor.ttl_s(id)));
  }
  leases_to_watch_->notify();
}

// What this member has proposed: whoever waits for it is answered.
void EtcdMember::applied_own(std::uint64_t id, EtcdReply reply) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;  // it waits no more
  Pending pending = std::move(found->second);
  pending_.erase(found);
  if (ends_own_errand(pending)) return;
  if (pending.errand == Errand::clearing) return finish_clearing(std::move(pending));
  answer(pending, std::move(reply));
}

// The renewal that it was for goes on with the lease that it found before, whatever has become of it (lessor.go,
// Renew): it was renewed, even if it has been revoked in the meantime.
void EtcdMember::finish_clearing(Pending pending) {
  const EtcdLeaseId lease = std::get<EtcdLeaseCheckpoint>(pending.request).leases.front().id;
  EtcdLessor& lessor = state_->lessor();
  const bool gone = setup_.options.rechecks_leases && !lessor.exists(lease);
  const std::int64_t ttl_s = gone ? 0 : pending.ttl_s;
  if (lessor.refresh(lease, service_->host().monotonic_now())) {
    world_->record(trace::etcd_lease_renewed, node_, pending.asker.operation.hold, static_cast<std::uint64_t>(lease),
                   static_cast<std::uint64_t>(ttl_s));
  }
  EtcdReply reply;
  reply.body = EtcdLeaseReply{{}, lease, ttl_s, ttl_s, {}};
  answer(pending, with_header(std::move(reply)));
}

// True: it was begun by the member itself, and there is nobody to be answered.
bool EtcdMember::ends_own_errand(const Pending& pending) {
  if (pending.errand == Errand::revocation) {
    --revoking_;
    revoke_next();
    return true;
  }
  return pending.errand == Errand::checkpoint;
}

// Events leave before any answer that tells of a later revision.
void EtcdMember::deliver_events() {
  for (EtcdWatchDelivery& d : watches_.deliveries()) {
    EtcdReply reply;
    reply.body = std::move(d.reply);
    reply = with_header(std::move(reply));
    service_->push(static_cast<ConnectionId>(d.stream), encode(reply));
  }
  watches_.deliveries().clear();
}

void EtcdMember::load_state(std::string_view snapshot) {
  PICKLOCK_CHECK(state_->load(snapshot));
  watches_.restored();
  watchers_behind_->notify();
}

}  // namespace picklock
