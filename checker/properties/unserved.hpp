// Unserved: a client asks for a lock, nothing stands in its way, and it is refused or kept waiting.
//
// Something stands in the way of an acquire while the service names a hold of that lock that conflicts with it, other than
// its own; while its own client believes in what it asks for again, unless the lock is reentrant; of a reader, while another
// client asks to write.  A time in which the asking process stands still does not count.  What the probe brings about
// afterwards, a wake-up by its release for one, does not count either.
#pragma once

#include <string>

#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// An acquire is unserved if it waits for longer than JudgeOptions::unserved_bound while nothing stands in its way, or if it
// is refused though nothing ever did.  (Where servers vote, other clients' votes stand in the way unseen: a refusal alone
// shows nothing.  Who waits until its patience is over gives up by itself: it is no more than kept waiting.  A patience of
// a millisecond is over at once, so that client is refused if the service heard of it and never named it.)
//
// Finding::measure: the longest such wait, in ns; beside: how many acquires were unserved.  Witness: the hold that was asked
// for; the invocation; of an acquire that was refused the answer.
//
// O(n log n), and for each instant at which something changes as many steps as acquires are pending.
Finding unserved(const History& history, const JudgeOptions& options, Scratch& scratch);
std::string explain_unserved(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
