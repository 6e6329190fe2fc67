// Independent tasks in a few threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "base/threads.hpp"

namespace picklock {

// Calls task(0) … task(count - 1), each once; returns when all are done, and throws what one of them has thrown.
template <class Task>
void in_parallel(std::size_t count, unsigned jobs, const Task& task) {
  std::atomic<std::size_t> next{0};
  on_threads(std::min<std::size_t>(jobs, count), [&](std::size_t) {
    for (std::size_t i; (i = next.fetch_add(1)) < count;) task(i);
  });
}

}  // namespace picklock
