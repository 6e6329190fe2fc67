#include "sim/etcd/member_applier.hpp"

#include "base/check.hpp"
#include "sim/etcd/inspect.hpp"

namespace picklock {
namespace {

EtcdLessorOptions lessor_options(const EtcdOptions& options) {
  EtcdLessorOptions leases;
  leases.least_ttl_s = etcd_least_ttl_s(options.election);
  if (options.checkpoints) leases.checkpoint_every = seconds(300);
  leases.checkpoints_survive_restart = options.keeps_checkpoints;
  return leases;
}

}  // namespace

EtcdApplier::EtcdApplier(const EtcdMemberContext& me)
    : me_(me), state_(lessor_options(me.options()), me.options().checks_puts_first, me.setup.versions) {}

bool EtcdApplier::apply(const RaftEntry& entry, RaftTerm now, Done& done) {
  EtcdInvariants* const invariants = me_.invariants();
  if (invariants != nullptr && entry.index != applied_ + 1) invariants->breaks("an entry applied out of order");
  applied_ = entry.index;
  term_ = entry.term;
  if (invariants != nullptr) invariants->applied(me_.self, entry.index, entry.term, entry.data.hash(), now);
  if (entry.data.empty()) return false;

  done.entry = entry.data.get<EtcdEntry>();
  PICKLOCK_CHECK(done.entry != nullptr);
  const EtcdRevision before = state_.store().revision();
  const bool answers = done.entry->origin == me_.self;
  done.changes = state_.apply(done.entry->request, me_.now(), done.reply, answers);
  if (invariants != nullptr) invariants->revision(me_.self, before, state_.store().revision());
  record(done);
  return true;
}

void EtcdApplier::record(Done& done) {
  const auto& [origin, id, hold, request] = *done.entry;
  record_etcd_changes(me_.world(), me_.service.node(), hold, done.changes);
  if (done.reply.error != EtcdError::none) return;
  if (const auto* txn = std::get_if<EtcdTxn>(&request); txn && !std::get<EtcdTxnReply>(done.reply.body).succeeded) {
    record_etcd_findings(me_.world(), me_.service.node(), hold, *txn, state_.store());
  }
  if (const auto* grant = std::get_if<EtcdLeaseGrant>(&request)) {
    if (!state_.lessor().primary()) return;
    const auto ttl_s = static_cast<std::uint64_t>(*state_.lessor().ttl_s(grant->id));
    me_.record(trace::etcd_lease_granted, hold, static_cast<std::uint64_t>(grant->id), ttl_s);
    done.counts_down = true;
  } else if (const auto* revoke = std::get_if<EtcdLeaseRevoke>(&request)) {
    me_.record(trace::etcd_lease_revoked, hold, static_cast<std::uint64_t>(revoke->id),
               static_cast<std::uint64_t>(state_.store().revision()));
  }
}

void EtcdApplier::load(const RaftSnapshot& snapshot) {
  PICKLOCK_CHECK(state_.load(snapshot.data));
  applied_ = snapshot.index;
  term_ = snapshot.term;
}

}  // namespace picklock
