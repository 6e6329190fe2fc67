#include "sim/etcd/member_applier.hpp"

#include "base/check.hpp"
#include "base/hash.hpp"
#include "base/packing.hpp"
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

std::string etcd_entry(RaftId origin, std::uint64_t id, std::uint32_t hold, const EtcdRequest& request) {
  std::string entry;
  Packer to(entry);
  to.number(origin);
  to.number(id);
  to.number(hold);
  to.finish();
  encode(request, entry);
  return entry;
}

EtcdApplier::EtcdApplier(const EtcdMemberContext& me)
    : me_(me), state_(lessor_options(me.options()), me.options().checks_puts_first) {}

bool EtcdApplier::apply(const RaftEntry& entry, RaftTerm now, Done& done) {
  EtcdInvariants* const invariants = me_.invariants();
  if (invariants != nullptr && entry.index != applied_ + 1) invariants->breaks("an entry applied out of order");
  applied_ = entry.index;
  term_ = entry.term;
  if (invariants != nullptr) invariants->applied(me_.self, entry.index, entry.term, hash_bytes(entry.data), now);
  if (entry.data.empty()) return false;

  Unpacker from(entry.data);
  done.origin = static_cast<RaftId>(from.number());
  done.id = from.number();
  const auto hold = static_cast<std::uint32_t>(from.number());
  done.request = (me_.setup.decoded != nullptr ? *me_.setup.decoded : own_decoded_).decode(from.rest());
  PICKLOCK_CHECK(done.request != nullptr);
  const EtcdRevision before = state_.store().revision();
  EtcdApplied applied = state_.apply(*done.request, me_.now());
  if (invariants != nullptr) invariants->revision(me_.self, before, state_.store().revision());
  done.reply = std::move(applied.reply);
  done.changes = applied.changes;
  record(hold, done);
  return true;
}

void EtcdApplier::record(std::uint32_t hold, Done& done) {
  record_etcd_changes(me_.world(), me_.service.node(), hold, done.changes);
  if (done.reply.error != EtcdError::none) return;
  if (const auto* txn = std::get_if<EtcdTxn>(done.request.get());
      txn && !std::get<EtcdTxnReply>(done.reply.body).succeeded) {
    record_etcd_findings(me_.world(), me_.service.node(), hold, *txn, state_.store());
  }
  if (const auto* grant = std::get_if<EtcdLeaseGrant>(done.request.get())) {
    if (!state_.lessor().primary()) return;
    const auto ttl_s = static_cast<std::uint64_t>(*state_.lessor().ttl_s(grant->id));
    me_.record(trace::etcd_lease_granted, hold, static_cast<std::uint64_t>(grant->id), ttl_s);
    done.counts_down = true;
  } else if (const auto* revoke = std::get_if<EtcdLeaseRevoke>(done.request.get())) {
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
