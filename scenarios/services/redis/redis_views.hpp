// Views of Redis servers: the owner of one lock that each server's copy of the key names, by the lock's rule.
#pragma once

#include <span>
#include <vector>

#include "scenarios/recording/server_views.hpp"
#include "scenarios/services/redis/redis_grants.hpp"
#include "sim/redis/inspect.hpp"

namespace picklock {

class RedisViews final : public ServerViews {
 public:
  // Parameters mean the same as in RedisGrants.
  RedisViews(std::uint32_t lock, RedisOwnership rule, std::uint64_t key_hash, std::optional<Duration> lease,
             std::vector<RedisPlace> places, const DataLease& form = {});
  HoldId hold_of(const TraceRecord& record) const override { return redis_hold_of(record); }

 private:
  void forget() override;
  bool reads(TraceKind kind) const override { return trace::is_of_redis(kind) || trace::is_of_leases(kind); }
  void look(const TraceRecord& record, const Provenance& by) override;
  void dead(NodeId node) override { copies_[node - std::size_t{1}].down = true; }
  void add_ends(std::vector<NoLongerNamed>& ends) const override;
  void add_owners(NodeId node, std::vector<HoldId>& owners) const override;

  struct Copy {
    RedisKeyOwners owners;
    bool master = true, down = false;
  };
  const Copy unwritten_;
  const std::vector<RedisPlace> places_;
  std::vector<Copy> copies_;  // index: place
  std::vector<GrantEvent> changes_;
};

// Roles of servers of which some replicate others.
std::vector<ServerRole> redis_roles(std::span<const TraceRecord> journal, const std::vector<RedisPlace>& places);

}  // namespace picklock
