// Orphaned: the service names a hold that no living client believes in and none is acquiring or releasing.
//
// A crash leaves an orphan until a lease or a session ends it; a renewal that outlives its holder, or a release that was
// lost, leaves one for longer.  Judged to the end of the run, the probe included, as an orphan keeps the probe out.
// The probe's own holds do not count.  Where a hold whose promise is over stays named and keeps no other out
// (JudgeOptions::ends_untold), it is an orphan while the promise lasts.
#pragma once

#include <string>

#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// Finding::measure: the longest time for which some hold was an orphan, in ns; beside: how many times one was that for longer
// than JudgeOptions::orphan_bound.  Witness: of those the longest, its hold; the record that made it an orphan, and the one
// that ended that, if one did.
Finding orphaned(const History& history, const JudgeOptions& options, Scratch& scratch);
std::string explain_orphaned(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
