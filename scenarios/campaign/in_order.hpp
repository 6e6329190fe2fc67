// Many seeds in several threads, added up in the order of the seeds.
//
// What has been added is always a range without a gap, so that an interruption leaves the results of fewer seeds, and no
// others; and nothing depends on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "scenarios/campaign/campaign.hpp"

namespace picklock {

struct SeedPlan {
  SeedRange seeds;
  unsigned jobs = 1;
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;  // seeds; from one thread at a time
  const std::atomic<bool>* stop = nullptr;                              // set from outside

  static constexpr std::uint64_t kAtOnce = 32;  // seeds that a thread takes
  // More threads would have nothing to do.
  std::size_t threads() const {
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(jobs, 1, (seeds.size() - 1) / kAtOnce + 1));
  }
};

// `play(thread, seed, part)` adds one seed to a part, `whole.add(part)` adds later seeds. The number of seeds in `whole`.
template <class Part, class Play>
std::uint64_t play_in_order(const SeedPlan& plan, const Part& empty, Part& whole, const Play& play) {
  const std::uint64_t all = plan.seeds.size(), chunks = (all - 1) / SeedPlan::kAtOnce + 1;
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;  // of what follows
  std::uint64_t merged = 0, done = 0;
  std::map<std::uint64_t, Part> early;  // chunks behind one that is not done
  const auto stopped = [&] { return plan.stop != nullptr && plan.stop->load(std::memory_order_relaxed); };
  const auto work = [&](std::size_t thread) {
    for (;;) {
      const std::uint64_t chunk = next.fetch_add(1);
      if (chunk >= chunks) return;
      const std::uint64_t begin = chunk * SeedPlan::kAtOnce, end = std::min(begin + SeedPlan::kAtOnce, all);
      Part part = empty;
      for (std::uint64_t i = begin; i < end; ++i) {
        if (stopped()) return;
        play(thread, plan.seeds.first + i, part);
      }
      const std::lock_guard guard(mutex);
      done += end - begin;
      early.emplace(chunk, std::move(part));
      for (auto first = early.begin(); first != early.end() && first->first == merged; first = early.begin()) {
        whole.add(first->second);
        ++merged;
        early.erase(first);
      }
      if (plan.progress) plan.progress(done, all);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t thread = 1; thread < plan.threads(); ++thread) threads.emplace_back(work, thread);
  work(0);
  for (std::thread& t : threads) t.join();
  return std::min(merged * SeedPlan::kAtOnce, all);
}

}  // namespace picklock
