// semaphore:N: N permits; each acquire takes one for its owner, each release gives one of the owner's
// back.  An owner may have several.
//
// State: how many permits each owner has; together at most N.
//   acquire by o   legal if fewer than N are taken
//   release by o   legal if o has one
//
// Sweep of owned_lock.hpp: at the return of each acquire, the cores must not outnumber the permits.
// O(n · N) time, the N for noting who held while a release was open.  The witness is N + 1 holds.
//
// `--initial K`, 0 to N, leaves K of the permits free at first: the others stay taken for good, without an owner.
//
// Not in the model: acquires of several permits at once, and permits that are added or taken away.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 2> kSemaphoreFunctions = {"acquire", "release"};

std::unique_ptr<Model> make_semaphore(const ModelContext& context);

// The permits that are free at first.  Throws std::invalid_argument.
std::int64_t first_permits(const ModelContext& context);

}  // namespace picklock
