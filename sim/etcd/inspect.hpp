// Facts of simulated etcd members for a judge: records in the trace.
//
// Each member records every change as it applies it, in the order of revisions: also again when it replays
// its log after a restart, and not at all what it received within a snapshot.  A judge takes the first
// record of a revision, whichever member it is of: from then on a quorum has the change, since members
// apply what is committed.
//
// Rules by which the owner is read (algorithms/lock.hpp):
//   etcd_key         of the key that is the lock's name: the hold that created it, until it is deleted
//   etcd_first       of the keys in the directory that is the lock's name: the hold that created the one with
//                    the lowest create revision of those which exist
//   etcd_read_write  of the keys in the directories name/read and name/write: a writer owns if no key in
//                    either has a lower create revision, a reader if none in name/write has
//   etcd_record      of the key that is the lock's name: the hold that created or changed it last, until it
//                    is emptied or deleted.  Otherwise time ends it, at its clients and not here
// A key is promised until its lease has ended in true time: TTL after the last record of that lease being
// granted or renewed.  Hold 0 is none: a lease that expired, a request outside of holds.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "base/hash.hpp"
#include "sim/core/trace.hpp"
#include "sim/etcd/versions.hpp"
#include "sim/etcd/wire.hpp"
#include "sim/task/runtime.hpp"

namespace picklock {

class EtcdMvcc;
class World;

namespace trace {

// Kinds of sim/etcd: 208 to 239.
//
// A change of a key is recorded as: etcd_at, then etcd_key_name if the key contains a '/', then one of
// etcd_key_created, _changed, _emptied, _deleted.  Several changes of one transaction share the revision.
inline constexpr TraceKind etcd_at =
                               kJournal | 208,  // b: lease of the key (of a deleted one: before that), c: revision
    etcd_key_name = kJournal | 209,             // b: hash_of(key), c: create revision
    etcd_key_created = kJournal | 210,          // a: hold, b: hash_of(etcd_directory(key)), c: create revision
    etcd_key_changed = kJournal | 211,          // a, b, c the same: a put to an existing key
    etcd_key_emptied = kJournal | 212,          // a, b, c the same: a put of an empty value to an existing key
    etcd_key_deleted = kJournal | 213,          // a, b the same; c: create revision of what was deleted
    etcd_lease_granted = kJournal | 214,        // a: hold, b: lease, c: TTL in s as granted
    etcd_lease_renewed = kJournal | 215,        // a, b, c the same, by the member that takes itself for the leader
    etcd_lease_revoked = kJournal | 216,        // a: hold, 0: expired; b: lease, c: revision after its keys are gone
    etcd_role = kJournal | 217,                 // a: 1 takes itself for the leader, 0 no longer; b: term
    etcd_key_found = kJournal | 218;  // see etcd_key_created: a transaction would have created the key with its
                                      // lease, and has found it there, with that lease; there is no etcd_at
std::span<const TraceKindInfo> etcd_kinds();
constexpr bool is_of_etcd(TraceKind k) { return k >= (kJournal | 208) && k <= (kJournal | 239); }  // journal only

}  // namespace trace

// Change of one key by one transaction: before() has version 0 if it did not exist, after() if it no longer
// does; then after() has the key and the revision alone.
class EtcdChange {
 public:
  using Shared = EtcdVersions::Shared;  // shared with the store, for as long as either needs it
  EtcdChange(Shared before, Shared after) : before_(std::move(before)), after_(std::move(after)) {}

  const EtcdKeyValue& before() const { return before_ != nullptr ? before_->kv : kNone; }
  const EtcdKeyValue& after() const { return after_->kv; }
  bool deleted() const { return after().version == 0; }
  EtcdRevision revision() const { return after().mod_revision; }
  const EtcdKeyName& name() const { return after_->name; }
  bool operator==(const EtcdChange& c) const { return before() == c.before() && after() == c.after(); }

 private:
  static const EtcdKeyValue kNone;
  Shared before_, after_;  // null before it existed
};

// Records what a member has applied on behalf of a hold.
void record_etcd_changes(World& world, NodeId member, std::uint32_t hold, std::span<const EtcdChange> changes);
// … and, of a transaction that took the other branch, the keys that it has found for its own.
void record_etcd_findings(World& world, NodeId member, std::uint32_t hold, const EtcdTxn& txn, const EtcdMvcc& store);

}  // namespace picklock
