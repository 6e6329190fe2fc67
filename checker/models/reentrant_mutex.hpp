// reentrant-mutex:N: a mutex that its owner may acquire up to N times on top of each other, and must
// release as many times.
//
// State: the owner and how many times it has acquired, or none.
//   acquire by o   legal if there is no owner, or o is it and has acquired fewer than N times
//   release by o   legal if o is the owner; the last one leaves none
//
// Sweep of owned_lock.hpp: nested acquires and releases concern their owner alone, who does one thing
// at a time, so that the count is known at every instant; the outermost ones are a mutex.  O(n) time.
// The witness of an overlap is two holds; of too deep a nesting the outermost and the last acquire.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 2> kReentrantMutexFunctions = {"acquire", "release"};

std::unique_ptr<Model> make_reentrant_mutex(const ModelContext& context);

}  // namespace picklock
