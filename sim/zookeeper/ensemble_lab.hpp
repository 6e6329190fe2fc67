// For tests: an ensemble in a world, clients that keep a history of what they saw, and generated faults.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/world_lab.hpp"
#include "sim/zookeeper/server.hpp"
#include "sim/zookeeper/store_client_lab.hpp"
#include "sim/zookeeper/store_history.hpp"

namespace picklock::testing {

struct EnsembleLabOptions {
  std::size_t servers = 3, observers = 0, clients = 3;
  // Quick elections: more of them in a run.
  ZooServerOptions zoo = {.tick = milliseconds(50), .start_leading = Law(), .start_serving = Law()};
  ZooFlaw flaw = ZooFlaw::none;
  ZabFlaw zab_flaw = ZabFlaw::none;
  std::size_t snapshot_every = 100'000;
  Duration load = milliseconds(2500);
  bool keep_transactions = true;
};

// A world that is used again for each run.
class EnsembleLab : public Lab {
 public:
  ~EnsembleLab() { world.reset(0); }

  void begin(const EnsembleLabOptions& options, std::uint64_t seed);
  std::size_t count() const { return count_; }
  std::size_t leader() const;  // count(): none
  bool converged() const;      // one leader, all serve, and have applied the same

  // Faults between 300 ms and `until`, drawn from the seed; all are over at `until`.
  void plan_faults(std::uint64_t seed, Duration until);
  void inject(std::int64_t kind, Duration when, Duration lasts, std::int64_t who, std::int64_t extra);

  ZooJudge judge;
  StoreHistory history;
  std::vector<std::unique_ptr<ZooServer>> servers;
  std::vector<std::unique_ptr<StoreClient>> clients;
  std::vector<NodeId> nodes, client_nodes;

 private:
  std::size_t count_ = 0;
};

}  // namespace picklock::testing
