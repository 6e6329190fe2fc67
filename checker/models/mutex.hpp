// A mutex whose owner is the process that acquired it: no two holds overlap, and nobody releases
// what they do not hold.
//
// One pass, O(n) time, memory for the operations that are open.  A hold certainly lasts over its
// core, from the return of its acquire to the invoke of its release; so cores must be disjoint.
// Conversely, if they are, then placing every successful acquire at its return and every release
// that succeeded or crashed at its invoke is a legal order; failed operations and crashed acquires
// drop out (a crash ends its process, so a crashed acquire can always come last).  Hence the
// verdict is exact, and the witness two holds.
//
// A release whose outcome is not yet known ends the hold for the time being.  If it fails, the hold
// is taken up again, or overlaps with the first acquire that returned in between.
//
// Where operations name their hold, the hold is the owner, and a release may come from any process.
// Where they do not and a process lives on after one of its operations crashed, no single pass is
// exact (the general question is NP-complete); a conflict that involves such a process leaves the
// verdict undecided.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 2> kMutexFunctions = {"acquire", "release"};

std::unique_ptr<Model> make_mutex(const ModelContext& context);

}  // namespace picklock
