// Many seeds in several threads, added up in the order of the seeds.
//
// What has been added is always a range without a gap, so that an interruption leaves the results of fewer seeds, and no
// others; and nothing depends on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "scenarios/campaign/campaign.hpp"

namespace picklock {

// Seeds are cut into chunks by their place in the range alone: small ones first, so that several threads have work, and
// larger ones later, so that there are few. A longer range begins with the same chunks.
inline constexpr std::uint64_t kLeastChunk = 32, kMostChunk = 1024;

// Of the chunk that begins so many seeds behind the first.
constexpr std::uint64_t chunk_size(std::uint64_t offset) {
  return std::clamp(std::bit_floor(offset) / 32, kLeastChunk, kMostChunk);
}

struct SeedPlan {
  SeedRange seeds;
  unsigned jobs = 1;
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;  // seeds; from one thread at a time
  const std::atomic<bool>* stop = nullptr;  // set from outside: chunks that have begun are finished

  // More threads would have nothing to do.
  std::size_t threads() const {
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(jobs, 1, (seeds.size() - 1) / kLeastChunk + 1));
  }
};

struct Chunk {
  std::uint64_t index = 0;  // of all chunks of the range
  SeedRange seeds;
};

// `play(thread, chunk)` gives the part of a chunk, `whole.add(part)` adds that of later seeds. As soon as `enough(whole)`
// holds behind a chunk, later ones are not added. The number of seeds in `whole`. Throws what `play` has thrown.
template <class Part, class Play, class Enough>
std::uint64_t play_chunks_in_order(const SeedPlan& plan, Part& whole, const Play& play, const Enough& enough) {
  const std::uint64_t all = plan.seeds.size();
  std::mutex mutex;  // of what follows
  std::uint64_t next = 0, chunks = 0, merged = 0, done = 0;
  bool is_enough = false;
  std::exception_ptr problem;
  struct Done {
    std::uint64_t end;
    Part part;
  };
  std::map<std::uint64_t, Done> early;  // by their begin: chunks behind one that is not done
  const auto stopped = [&] { return plan.stop != nullptr && plan.stop->load(std::memory_order_relaxed); };
  const auto play_one = [&](std::size_t thread) {
    std::uint64_t begin = 0, end = 0;
    Chunk chunk;
    {
      const std::lock_guard guard(mutex);
      if (next == all || is_enough || problem || stopped()) return false;
      begin = next;
      end = next = begin + std::min(chunk_size(begin), all - begin);
      chunk = {chunks++, {plan.seeds.first + begin, plan.seeds.first + end - 1}};
    }
    Part part = play(thread, chunk);
    const std::lock_guard guard(mutex);
    done += end - begin;
    early.emplace(begin, Done{end, std::move(part)});
    for (auto first = early.begin(); !is_enough && first != early.end() && first->first == merged;
         first = early.begin()) {
      whole.add(first->second.part);
      merged = first->second.end;
      early.erase(first);
      is_enough = enough(std::as_const(whole));
    }
    if (plan.progress) plan.progress(done, all);
    return true;
  };
  const auto work = [&](std::size_t thread) {
    try {
      while (play_one(thread)) continue;
    } catch (...) {
      const std::lock_guard guard(mutex);
      problem = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t thread = 1; thread < plan.threads(); ++thread) threads.emplace_back(work, thread);
  work(0);
  for (std::thread& t : threads) t.join();
  if (problem) std::rethrow_exception(problem);
  return merged;
}

// The same, seed by seed: `play(thread, seed, part)` adds one to the part.
template <class Part, class Play>
std::uint64_t play_in_order(const SeedPlan& plan, const Part& empty, Part& whole, const Play& play) {
  const auto play_chunk = [&](std::size_t thread, const Chunk& chunk) {
    Part part = empty;
    for (std::uint64_t i = 0; i < chunk.seeds.size(); ++i) play(thread, chunk.seeds.first + i, part);
    return part;
  };
  return play_chunks_in_order(plan, whole, play_chunk, [](const Part&) { return false; });
}

}  // namespace picklock
