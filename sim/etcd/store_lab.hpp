// For tests: whether a cluster is the store it claims to be, under generated requests and faults.
//
// Every reply names a revision, and revisions are one order of all that was written: a serialization, given
// away by the store itself.  So there is nothing to search.  One sweep over the requests in the order of
// their revisions says whether each saw just what had been written up to its own, and one over their
// invocations and returns whether that order respects real time (Herlihy, Wing 1990).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/world_lab.hpp"
#include "sim/etcd/cluster_lab.hpp"

namespace picklock::testing {

struct StoreCall {
  enum class Kind : std::uint8_t { put, erase, swap, get, list, peek };  // peek: a serializable list
  enum class End : std::uint8_t { pending, yes, no, unknown };
  Kind kind = Kind::get;
  End end = End::pending;
  std::string key, value;     // swap: if the key has `expected`, put `value`, else tell what it has
  EtcdRevision expected = 0;  // a mod revision; 0: no such key
  bool swapped = false;
  std::int64_t invoked = 0, returned = 0;  // true ns
  EtcdRevision revision = 0;               // revision of the reply
  std::vector<EtcdKeyValue> seen;
  bool writes() const { return kind == Kind::put || kind == Kind::swap || (kind == Kind::erase && !seen.empty()); }
};

struct StoreRun {
  std::string broken;  // empty: nothing
  std::uint64_t requests = 0, acknowledged = 0, unknown = 0, stale = 0, elections = 0, entries = 0;
  bool converged = false;  // all members had applied the same after healing
};

// Compares the store's own list of writes, by revision, with the clients' observations.
std::string judge_store(const std::vector<StoreCall>& calls, const EtcdMvcc& store, std::uint64_t& stale);

// One run: everything about it follows from the seed.
StoreRun run_store(EtcdCluster& cluster, std::uint64_t seed, RaftFlaw flaw = RaftFlaw::none);

}  // namespace picklock::testing
