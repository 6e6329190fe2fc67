// fencing-tokens: the promise of a fenced lock whose leases may lapse.  Holds may overlap; only tokens
// count, those that acquires return and those of the requests that a resource accepted.
//
// State: the largest token granted and the largest accepted, at first 0.
//   acquire → t           legal if t is greater than the largest granted
//   read, write with t    legal if t is no less than the largest accepted
//
// Sweep.  An order that respects real time and in which the tokens grow exists exactly if sorting
// by token respects real time: if no operation returned before another was invoked with a token
// that is not smaller (for requests: greater), and no two acquires got the same.  For the former, the
// largest token among what had returned when an operation was invoked is noted with it; for the
// latter, the tokens granted since the oldest open acquire was invoked are kept.  Operations of unknown
// outcome, and those without a token, are left out: a gap is legal.
//
// O(n log n) time; memory for the open operations and what was granted while the oldest of them was
// open.  The witness is the two grants, or the two requests.
//
// Several locks and resources are told apart by their names.  Releases say nothing.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 4> kFencingTokensFunctions = {"acquire", "read", "write", "release"};

std::unique_ptr<Model> make_fencing_tokens(const ModelContext& context);

}  // namespace picklock
