// lease-mutex: a mutex whose holds may lapse at any time, without a word.
//
// State: the owner, or none.
//   acquire by o             legal if there is no owner; then o is
//   refresh by o             legal if o is the owner
//   release, expire of o     legal if o is the owner; then there is none
//   at any time              there may be no owner any more
//
// Sweep.  Only what an owner still manages to do shows how long it held: its *core* lasts from the
// return of the acquire to the invoke of the last refresh or release that succeeded, and cores must
// be disjoint.  A hold without such evidence may have lapsed at once; its acquire needs no more than
// one instant in its window that no core covers.  Since between the end of a core and the beginning
// of the next there always is one, it lacks it exactly if one single core covers the whole window.
// These conditions suffice: place acquires with evidence at their return, the evidence at its
// invoke, the other acquires at an uncovered instant, followed by a lapse.
//
// Cores grow while the history passes by.  Each hold that may still grow knows the first acquire
// that lies within whatever it will cover, the first core that began after it, and whether another
// core covers its beginning; growth is checked against these.
//
// O(n log n) time; memory for the holds that were not given back.  The witness is two holds, and the
// refreshes or releases that prove them.
//
// An owner whose acquires overlap with its other operations, or that lives on after an acquire of
// unknown outcome, leaves open which hold its refreshes prove: the history is undecided then, unless
// the others violate the model by themselves.  Not in the model: how long a lease ought to last.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 4> kLeaseMutexFunctions = {"acquire", "release", "expire", "refresh"};

std::unique_ptr<Model> make_lease_mutex(const ModelContext& context);

}  // namespace picklock
