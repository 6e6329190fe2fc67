// A few threads that do the same work.
//
// The one place that asks whether the target has threads and exceptions: WebAssembly has neither, so that there the calling
// thread does all the work, and a failure ends the program where it is.
#pragma once

#include <cstddef>

#ifndef __wasi__
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace picklock {

#ifdef __wasi__

struct Mutex {};
struct MutexGuard {
  explicit MutexGuard(Mutex&) {}
  ~MutexGuard() {}  // defined so that an otherwise unused guard counts as used
};

template <class Work, class Failed>
void on_threads(std::size_t, const Work& work, const Failed&) {
  work(std::size_t{0});
}

#else

using Mutex = std::mutex;
using MutexGuard = std::lock_guard<std::mutex>;

// Calls work(0) … work(count - 1), each in a thread of its own, the first in this one; returns when all have returned, and
// throws what one of them has thrown. `failed` is called at once by a thread that has thrown.
template <class Work, class Failed>
void on_threads(std::size_t count, const Work& work, const Failed& failed) {
  std::exception_ptr problem;
  Mutex mutex;
  const auto guarded = [&](std::size_t thread) {
    try {
      work(thread);
    } catch (...) {
      failed();
      const MutexGuard lock(mutex);
      problem = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t thread = 1; thread < count; ++thread) threads.emplace_back(guarded, thread);
  guarded(0);
  for (std::thread& t : threads) t.join();
  if (problem) std::rethrow_exception(problem);
}

#endif

template <class Work>
void on_threads(std::size_t count, const Work& work) {
  on_threads(count, work, [] {});
}

}  // namespace picklock
