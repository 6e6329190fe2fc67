// Scripts for the tests of this folder, in both spellings.
#pragma once

#include <span>

#include "sim/redis/wire.hpp"

namespace picklock {

std::span<const RedisScript* const> redis_lab_scripts();

}  // namespace picklock
