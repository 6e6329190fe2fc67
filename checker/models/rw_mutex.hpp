// rw-mutex: a lock that one writer holds, or any number of readers.
//
// State: the writer, or how many read holds each owner has.
//   acquire-write by o (or acquire)   legal if no owner holds, o included
//   acquire-read by o                 legal if there is no writer
//   release-write, release-read       legal if o holds in this mode
//   release by o                      legal if o holds; ends what it holds, one hold of a reader
//
// Sweep of owned_lock.hpp: a writer takes all permits, a reader one.  O(n) time.  The witness is two
// holds, one of them a writer's.
//
// Not in the model: upgrades, downgrades and nested writes; that waiting writers hold up readers.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 6> kRwMutexFunctions = {"acquire", "acquire-write", "acquire-read",
                                                                      "release", "release-write", "release-read"};

std::unique_ptr<Model> make_rw_mutex(const ModelContext& context);

}  // namespace picklock
