// Grants of one lock on a ZooKeeper ensemble, read from the transactions that its servers apply
// (sim/zookeeper/inspect.hpp).
//
// The first server to apply a zxid shows that a quorum has logged it; what others say of it later is passed
// over.  An ephemeral is promised as long as its session: for its timeout from each instant at which a
// server that takes itself for the leader has heard of it.  An isolated leader that still answers promises
// too: its client cannot tell.  The nodes stand in the order in which they were made, whatever their numbers
// say once they have overflowed; one with the number of another, a reader's of its own writer, stands with it.
#pragma once

#include <string_view>
#include <vector>

#include "scenarios/recording/data_leases.hpp"
#include "scenarios/recording/ownership.hpp"
#include "scenarios/recording/queue_owners.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock {

// A name without a leading / stands below the root.
enum class ZnodeOwnership : std::uint8_t {
  node,        // the hold that created the znode owns it while it exists
  first,       // the znode's child with the lowest number, or else the oldest
  read_write,  // the same, where read holds share
  permits,     // the first LockKind::permits children of its child `leases`
  lease_value  // the hold that wrote the znode's data, until the time in them
};
// Rules in the order of the enumerators.
inline constexpr OwnershipRule kZnodeOwnership[] = {
    {"znode", "the client that created the node"},
    {"znode-first", "the child with the lowest number"},
    {"znode-read-write", "the child with the lowest number; readers share", true},
    {"znode-permits", "the first leases, one for each permit"},
    {"znode-lease-value", "the client that wrote the node's data, until the time in them", false, true, true}};

class ZooKeeperGrants final : public GrantJudge {
 public:
  // `permits`: how many may hold it at a time.  `lease`: what the data promise if they say when it begins.
  ZooKeeperGrants(ZnodeOwnership rule, std::string_view name, std::int64_t permits = 1,
                  std::optional<Duration> lease = std::nullopt, const DataLease& form = {});

  void reset() override;
  bool wants(TraceKind kind) const override { return trace::is_of_zookeeper(kind) || trace::is_of_leases(kind); }
  HoldId hold_of(const TraceRecord& record) const override;
  void see(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& grants,
           std::uint32_t& index) override;

 private:
  void data_changed(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& grants,
                    std::uint32_t& index);

  const ZnodeOwnership rule_;
  const std::uint64_t where_;  // hash of a path
  QueueOwners owners_;
  DataLeases data_;
  // The newest transaction of all, and who said so: what it says next belongs to it.
  std::int64_t zxid_ = 0;
  bool news_ = false;
  TraceRecord node_;  // the znode that is created or deleted next
  // Existing znodes: one that is made with the number of another stands where that stands.
  struct Numbered {
    std::uint64_t place;
    std::uint32_t number;
    std::int64_t order;
  };
  std::vector<Numbered> numbered_;
};

}  // namespace picklock
