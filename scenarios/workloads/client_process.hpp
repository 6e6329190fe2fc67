// The process of a client: what its threads share, and what a run gives to it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/lock.hpp"
#include "scenarios/services/service.hpp"
#include "scenarios/workloads/lock_plan.hpp"
#include "scenarios/workloads/workload.hpp"
#include "sim/core/rpc_channel.hpp"
#include "sim/core/world.hpp"

namespace picklock {

// Deeds of a run's clients that their locks may have been promised not to see.
struct ClientDeeds {
  std::int64_t abandoned = 0;    // acquires dropped in flight
  std::int64_t interrupted = 0;  // acquires in flight, after which the library cleaned up
  std::int64_t thrown = 0;       // sections that an uncaught exception ended
  std::int64_t forgotten = 0;    // releases that clients forgot
  std::int64_t failed_open = 0;  // sections entered without a grant
};

// State that all clients of a run share.
struct RunState {
  World* world = nullptr;
  const LockKind* lock_kind = nullptr;
  const Options* lock_options = nullptr;
  const LockTable* locks = nullptr;
  ResourceId resources = 1;  // number of resources that each lock protects for itself
  const WorkloadKind* workload_kind = nullptr;
  Workload* workload = nullptr;
  std::int32_t concurrency = 0;    // the successor of a crashed process is process + concurrency
  std::uint32_t holds = 0;         // ids given so far
  std::uint32_t unfinished = 0;    // clients that have rounds to do; the world stops at 0
  bool load_over = false;          // no client begins another round
  bool all_heed_deadlines = true;  // each holder so far stops at the deadline that came with its grant
  ClientDeeds deeds{};
  std::string lock_failure;  // first error of the lock's own code; empty: none
};

// Connections of one machine, opened once per run.
struct Connections {
  std::unique_ptr<ServiceClient> service;  // client of the lock's service
  RpcChannel* storage = nullptr;
};

// The process of one machine, as far as its threads share it.
struct ClientProcess {
  void prepare(RunState& state, Connections connections);
  // Forgets what the process and its libraries knew, as before a boot or the next run.
  void forget() { locals.clear(); }
  // A process begins: what its libraries knew is gone.
  void boot(World& world, NodeId node);
  // `thread`: 1, 2, …
  std::unique_ptr<Lock> make_lock(const Host& host, const LockUse& use, std::uint32_t thread);
  // Call it after the locks, whose options their libraries' clients have.
  Stores stores();

  RunState* run = nullptr;
  Connections connections;
  ProcessLocals locals;  // declared behind the connections, which it may refer to
};

}  // namespace picklock
