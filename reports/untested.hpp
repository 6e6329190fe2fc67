// Runs that do not test a property, and how long faults really lasted, in words.
#pragma once

#include <string>

#include "campaigns/campaign.hpp"

namespace picklock {

// "at most one client ever held the lock in 7 of 10 runs", reasons joined by "and"; the checker's own is left out.  Empty: there
// are none.
std::string reasons_untested(const UntestedRuns& untested, std::uint64_t runs);

// "200.0 ms", "3.9 s..4.0 s", "-" if it never lasted.  With several faults "[0] 3.9 s, [2] 1.0 s": those alone that lasted.
std::string lasted_text(const FaultSummary& fault);
std::string lasted_text(const FaultSummaries& faults);

// "; the end of the load cut [0] off in 7 of 10 runs"; empty: none of them in any run.
std::string cut_off_runs(const FaultSummaries& faults);

// The table of a campaign: each fault that lasted, for how long, and in how many runs the end of the load cut it off.
std::string lasted_table(const Scenario& scenario, const FaultSummaries& faults);

// A line for each fault of one run that the end of the load cut off, or for all of them if they came too late for exclusion.
std::string cut_off_text(const Scenario& scenario, const FaultsPlayed& faults);

}  // namespace picklock
