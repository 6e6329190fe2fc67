// The faults of a run, measured from what happened and not from what was planned.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "algorithms/lock.hpp"
#include "checker/history.hpp"
#include "checker/properties/assumptions.hpp"
#include "checker/properties/scratch.hpp"
#include "faults/executed.hpp"
#include "scenarios/services/service.hpp"
#include "scenarios/workloads/client_process.hpp"
#include "sim/core/world.hpp"

namespace picklock {

// Call it at the end of a run, with its history and the measures of its faults, before the history is judged: the judge
// must know whether enough servers ran.  Of `scratch` the memory is used; `faults` may be reused.  A bound is compared with what the
// surroundings did to a lock, never with what the lock did: see docs/definitions.md.
void assess_run(const World& world, const History& history, const Deployment& deployment, const Executed& executed,
                const ClientDeeds& deeds, Scratch& scratch, ExecutedFaults& faults);

// Counts what cannot be measured, as the service never named an owner.  `scratch` has judged the history, and
// assess_run() has filled `faults`.
void count_unseen(const History& history, const Scratch& scratch, ExecutedFaults& faults);

// The assumptions of a lock with these options, with the bounds that they give; of a lease counts what the servers grant.
std::vector<Assumption> assumptions_of(const LockKind& kind, const AnyOptions& options, const ServiceSettings& services,
                                       Duration request_timeout);
// One option as a number: the ns of a duration, the largest value of a law; empty if there is none.
std::optional<std::int64_t> option_named(std::string_view name, AnyOptions options);

// The longest that a holder worked on one promise: from its grant or latest renewal at the server to the next,
// or to the end of its belief.  Time for which its process was stopped does not count.
Duration longest_work_on_one_promise(const History& history);
// The longest belief in one promise, from the same instants on: stops count as well, and so does the time
// that the answer was under way.
Duration longest_belief_in_one_promise(const History& history);
// Whether deadlines ended every belief, or would have, had it not ended before. A holder that dies ends no belief at its deadline,
// and the clock of a frozen host stands.
bool all_beliefs_are_bounded(const History& history, const Executed& executed, bool all_heed_deadlines);

}  // namespace picklock
