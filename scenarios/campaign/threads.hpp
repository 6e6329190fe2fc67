// A few threads that do the same work.
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace picklock {

// Calls work(0) … work(count - 1), each in a thread of its own, the first in this one; returns when all have returned, and
// throws what one of them has thrown.
template <class Work>
void on_threads(std::size_t count, const Work& work) {
  std::exception_ptr problem;
  std::mutex guard;
  const auto guarded = [&](std::size_t thread) {
    try {
      work(thread);
    } catch (...) {
      const std::lock_guard lock(guard);
      problem = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t thread = 1; thread < count; ++thread) threads.emplace_back(guarded, thread);
  guarded(0);
  for (std::thread& t : threads) t.join();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace picklock
