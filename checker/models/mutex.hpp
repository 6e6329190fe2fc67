// mutex: a lock with one owner, the process that acquired it, or the hold that its operations name.
// No two holds overlap, and only the holder releases.
//
// State: the owner, or none.
//   acquire by o   legal if there is no owner; then o is
//   release by o   legal if o is the owner; then there is none
//
// The verdict is exact.  Where each owner does one thing at a time and nothing after a crash (Jepsen
// gives a process that goes on a new number), by the sweep of owned_lock.hpp: the cores of the
// holds, from the return of the acquire to the invoke of the release, must be disjoint, and that is
// enough.  Otherwise by the search of owner_search.hpp, within its bound; past it, undecided.
//
// O(n) time; memory for the operations that are open.  The witness of an overlap is two holds, at
// most four events: both acquires' returns, and the release that failed if the first hold had one.
//
// Not in the model: whether failed attempts were right to fail (try_mutex.hpp), and which client comes first.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 2> kMutexFunctions = {"acquire", "release"};

std::unique_ptr<Model> make_mutex(const ModelContext& context);

}  // namespace picklock
