// The settings of a ZooKeeper server, and the identity that all parts of one server process share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/service.hpp"
#include "sim/zookeeper/judge.hpp"
#include "sim/zookeeper/server_options.hpp"
#include "sim/zookeeper/zab/types.hpp"

namespace picklock {

struct ZooServerSetup {
  ZooServerOptions options;
  std::vector<NodeId> servers;  // voters; the place of a server in both lists together is its sid, from 1 on
  std::vector<NodeId> observers;
  ZooJudge* judge = nullptr;  // judge of this ensemble; outlives the run
  ZooFlaw flaw = ZooFlaw::none;
  ZabFlaw zab_flaw = ZabFlaw::none;
  std::size_t snapshot_every = 100'000;        // applied transactions
  std::vector<ZooDirectory> directories = {};  // nodes that exist from the beginning
  ZooProposalReader* reader = nullptr;         // reader of this ensemble; outlives the run

  std::size_t members() const { return servers.size() + observers.size(); }
  // 0: the machine runs no server of this ensemble.
  ZabSid sid_of(NodeId node) const {
    const auto place = [node](const std::vector<NodeId>& in) {
      return static_cast<std::size_t>(std::find(in.begin(), in.end(), node) - in.begin());
    };
    const std::size_t voter = place(servers);
    if (voter < servers.size()) return static_cast<ZabSid>(voter + 1);
    const std::size_t observer = place(observers);
    return observer < observers.size() ? static_cast<ZabSid>(servers.size() + observer + 1) : 0;
  }
  NodeId node_of(ZabSid sid) const {
    return sid <= servers.size() ? servers[sid - 1] : observers[sid - 1 - servers.size()];
  }
};

// It never changes while the process lives.
struct ZooServerContext {
  Service service;
  const ZooServerSetup& setup;
  ZooJudge& judge;
  ZooProposalReader& reader;
  ZabSid self = 0;

  World& world() const { return service.world(); }
  [[gnu::always_inline]] ZabMs now_ms() const { return service.host().monotonic_now().ns / 1'000'000; }
  [[gnu::always_inline]] void record(TraceKind kind, std::uint32_t a, std::uint64_t b, std::uint64_t c = 0) const {
    world().record(kind, service.node(), a, b, c);
  }
};

}  // namespace picklock
