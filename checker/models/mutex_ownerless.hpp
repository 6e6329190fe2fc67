// mutex-ownerless: a lock that anyone may release, Knossos's model `mutex`: semaphore-ownerless:1.
// See semaphore_ownerless.hpp for the sweep and why it is exact.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 2> kMutexOwnerlessFunctions = {"acquire", "release"};

std::unique_ptr<Model> make_mutex_ownerless(const ModelContext& context);

}  // namespace picklock
