// Options of the judge: facts that no record says.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "checker/history.hpp"
#include "checker/properties/property.hpp"

namespace picklock {

struct JudgeOptions {
  // Number of write holds of one name that may coexist; at least 1.
  std::uint32_t permits = 1;

  // The workload declares that it stops at a grant's deadline.  If it does not, a recorded
  // BeliefEnd::deadline is ignored and the belief lasts until the next end that counts.
  bool honours_deadlines = true;

  bool seats = false;             // true: every acknowledged write is a sale
  bool budget_exhausted = false;  // true: the run was cut off, so "holds" is undecided
  bool fault_struck = false;      // true: a fault struck that leaves no record (a delay, a loss)
  bool patience_limited = false;  // true: every acquire of the workload gives up by itself

  // The process that probes; -1: every acquire invoked in Phase::probe belongs to the probe.
  std::int32_t probe_process = -1;

  // Starvation: longer than this, in ns, after healing is too long.  (waiters + 1) × (longest hold
  // + longest lease or session + failover bound + longest back-off).  kNoTime: unknown.
  std::int64_t starvation_bound = kNoTime;

  // Lost wake-up: a client that waits for a free lock moves at least once in this time, in ns.  kNoTime: unknown.
  std::int64_t wake_up_bound = kNoTime;

  // Orphaned: what no living client believes in must be free after this time, in ns: the lease or session, and a failover.
  // kNoTime: unknown.
  std::int64_t orphan_bound = kNoTime;
  std::string_view ends_by{};  // the cause that ends a hold by time: "session timeout"; empty: nothing does
  bool ends_untold = false;    // true: a hold whose promise is over may stay named, but keeps no other out

  // Unserved: an acquire in whose way nothing stands is granted in this time, in ns.  kNoTime: unknown.
  std::int64_t unserved_bound = kNoTime;
  bool splits_votes = false;  // true: a lock that no hold owns may have votes of several

  // For each process: time until it gives up an acquire by itself; kNoTime, or no place: for ever.
  std::span<const std::int64_t> patience{};

  // Faults may have kept the service from doing its part until they were healed: of orphaned and unserved only the time
  // after that counts.
  bool counts_from_healing = false;
  bool too_few_servers = false;  // true: after healing fewer servers run than the service needs

  bool reentrant = false;  // true: a client's own exclusive hold does not keep it out

  // Most requests that may overtake one; -1: they are only counted.
  std::int64_t overtaking_limit = -1;

  // For each hold: when the lock service received the request that became it; kNoTime: unknown.
  // Empty: the invocation of the acquire stands in, which blames the service for what the network
  // reordered.
  std::span<const std::int64_t> received;

  // Conditions that a scenario demands beside those in the table of properties, by Property.
  std::array<SometimesMask, kPropertyCount> also_requires{};
};

}  // namespace picklock
