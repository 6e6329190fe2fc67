// reentrant-fenced-mutex:N: a reentrant mutex whose holds carry fencing tokens.  The outermost acquire
// gets a new, greater one; the nested acquires of the same hold get the same (Hazelcast's FencedLock).
//
// State: owner, count and token of the hold, or none, and the largest token so far, at first 0.
//   acquire by o → t   legal if there is no owner and t is greater than the largest token, or if o is
//                      the owner, has acquired fewer than N times, and t is the token of its hold
//   release by o       legal if o is the owner; the last one leaves none
//
// Sweep of owned_lock.hpp, for the reasons given in reentrant_mutex.hpp and fenced_mutex.hpp.  O(n)
// time.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 2> kReentrantFencedMutexFunctions = {"acquire", "release"};

std::unique_ptr<Model> make_reentrant_fenced_mutex(const ModelContext& context);

}  // namespace picklock
