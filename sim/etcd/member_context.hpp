// Facts that the parts of one etcd member share, and that none of them changes.
#pragma once

#include <vector>

#include "sim/core/service.hpp"
#include "sim/etcd/invariants.hpp"
#include "sim/etcd/options.hpp"
#include "sim/etcd/raft/options.hpp"
#include "sim/etcd/versions.hpp"

namespace picklock {

struct EtcdMemberSetup {
  EtcdOptions options;
  std::vector<NodeId> members;  // sorted by their numbers, which begin at 1
  RaftFlaw flaw = RaftFlaw::none;
  EtcdInvariants* invariants = nullptr;  // outlives the run
  EtcdVersions* versions = nullptr;      // versions of the cluster; outlive the run
};

struct EtcdMemberContext {
  Service service;
  RaftId self = 0;
  const EtcdMemberSetup& setup;

  World& world() const { return service.world(); }
  MonoTime now() const { return world().tasks.monotonic_now(service.node()); }
  const EtcdOptions& options() const { return setup.options; }
  EtcdInvariants* invariants() const { return setup.invariants; }
  [[gnu::always_inline]] void record(TraceKind kind, std::uint32_t a = 0, std::uint64_t b = 0,
                                     std::uint64_t c = 0) const {
    world().record(kind, service.node(), a, b, c);
  }
};

}  // namespace picklock
