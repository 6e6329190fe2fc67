// A rank that plays what the leader hands out.
#pragma once

#include <atomic>
#include <chrono>

#include "campaigns/ranks/ranks.hpp"
#include "campaigns/ranks/team.hpp"

namespace picklock {

struct FollowOptions {
  std::size_t threads = 1;
  const std::atomic<bool>* stop = nullptr;     // flag set from outside: chunks that have begun are finished and sent
  std::chrono::milliseconds patience{60'000};  // time without a word from the leader, while this rank has nothing to do
};

// Plays until the leader says stop. Throws std::runtime_error if the leader is gone.
void follow(Ranks& ranks, const SharedCells& cells, const FollowOptions& options);

}  // namespace picklock
