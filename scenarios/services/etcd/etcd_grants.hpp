// Grants of one lock on an etcd cluster, read from the changes that its members apply (sim/etcd/inspect.hpp).
//
// The first member to apply a revision shows that a quorum has it; what others say of it later is passed
// over.  A key is promised as long as its lease: for its TTL from each grant and renewal that a member
// which takes itself for the leader has answered.  A deposed leader that still answers promises too: its
// client cannot tell.  That one client renews a lease which another's hold lives by is nothing wrong here:
// leases belong to sessions, not to holds.  A session has one key under a name: a later Lock that finds it, because an
// Unlock was lost or its session is shared, is granted what the key is worth, and nothing in the store says so
// (queue_owners.hpp).
#pragma once

#include <optional>
#include <string_view>

#include "scenarios/recording/data_leases.hpp"
#include "scenarios/recording/ownership.hpp"
#include "scenarios/recording/queue_owners.hpp"
#include "sim/core/first_heard.hpp"
#include "sim/etcd/inspect.hpp"
#include "sim/task/runtime.hpp"

namespace picklock {

// Read from what the members apply.
enum class EtcdOwnership : std::uint8_t {
  key,         // the hold that created the key owns it while it exists
  first,       // the key created first in the directory that is the lock's name
  read_write,  // the same, of name/read and name/write together; read holds share
  record,      // the hold that created or changed the key last, until it is emptied or deleted; promised
               // for one lease from then on
  lease_value  // the hold that wrote the key last, until the time in its value
};
// Rules in the order of the enumerators.
inline constexpr OwnershipRule kEtcdOwnership[] = {
    {"etcd-key", "the client that created the key"},
    {"etcd-first", "the key created first below the lock's name"},
    {"etcd-read-write", "the key created first below the lock's name; readers share"},
    {"etcd-record", "the client that wrote the record last, for one lease", false, false, true},
    {"etcd-lease-value", "the client that wrote the value, until the time in it", false, true, true}};

class EtcdGrants final : public GrantJudge {
 public:
  // `lease`: what one change promises, for EtcdOwnership::record.  `permits`: how many of the first keys own.
  EtcdGrants(EtcdOwnership rule, std::string_view name, std::optional<Duration> lease, std::int64_t permits = 1,
             const DataLease& form = {});

  void reset() override;
  bool wants(TraceKind kind) const override { return trace::is_of_etcd(kind) || trace::is_of_leases(kind); }
  HoldId hold_of(const TraceRecord& record) const override;
  void see(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& grants,
           std::uint32_t& index) override;
  void first_heard(std::vector<std::int64_t>& by_hold) const override { joined_.merge_into(by_hold); }

 private:
  // A key of this directory, whose name follows if it has a '/' in it.
  bool concerns(std::uint64_t directory) const;
  void key_changed(const TraceRecord& record, const Provenance& by);
  void value_changed(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& grants,
                     std::uint32_t& index);

  const EtcdOwnership rule_;
  const std::uint64_t where_, also_;  // hashes of directories
  const std::optional<Duration> lease_;
  QueueOwners owners_;
  DataLeases data_;
  FirstHeard joined_;  // holds that have had a place here
  // The newest change of all, and who said so when: what else it says of that revision belongs to it.
  std::int64_t revision_ = 0, time_ = 0;
  NodeId member_ = 0;
  bool news_ = false;            // true: the records that follow are of a change not seen before
  std::uint64_t key_lease_ = 0;  // lease of the key whose change comes next
  std::uint64_t key_name_ = 0;   // hash of the key's name; 0: the key is its own directory
};

}  // namespace picklock
