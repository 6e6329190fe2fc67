// Independent tasks in a few threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace picklock {

// Calls task(0) … task(count - 1), each once; returns when all are done, and throws what one of them has thrown.
template <class Task>
void in_parallel(std::size_t count, unsigned jobs, const Task& task) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr problem;
  std::mutex guard;
  const auto work = [&] {
    try {
      for (std::size_t i; (i = next.fetch_add(1)) < count;) task(i);
    } catch (...) {
      const std::lock_guard lock(guard);
      problem = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t job = 1; job < std::min<std::size_t>(jobs, count); ++job) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace picklock
