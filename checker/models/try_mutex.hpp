// try-mutex: a mutex in which a failed acquire is an observation: another owner held the lock.
//
// State: the owner, or none.
//   acquire by o, ok     legal if there is no owner; then o is
//   acquire by o, fail   legal if there is one
//   release by o         legal if o is the owner
//
// Sweep.  The cores of the holds must be disjoint, as for mutex (mutex.hpp).  A hold may be
// stretched beyond its core, from the invoke of its acquire to the return of its release (for ever if
// that crashed), as far as its neighbours give way; neighbours can share all that lies between, so
// all may be stretched at once.  The lock was *surely free* only in the gaps that are left, from the
// return of a release to the invoke of the acquire that succeeded next, and a failed attempt is
// illegal exactly if its window lies within one.  An acquire of unknown outcome may have taken effect,
// but, its process being dead, only after the last hold, and then for good: the last gap ends where
// the first such acquire is invoked.
//
// The next acquire to succeed is known only later, so of the attempts within a gap the earliest to
// return is kept until it is.  O(n) time; memory as for mutex.  The witness is the failed attempt and
// the ends of the gap.
//
// If an owner does several things at once or lives on after a crash, attempts are not judged, and a
// history that has any is undecided.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 2> kTryMutexFunctions = {"acquire", "release"};

std::unique_ptr<Model> make_try_mutex(const ModelContext& context);

}  // namespace picklock
