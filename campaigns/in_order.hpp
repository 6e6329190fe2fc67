// Many seeds in several threads, added up in the order of the seeds.
//
// The added chunks always form a range without a gap, so that an interruption leaves the results of fewer seeds, and no
// others; and nothing depends on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/threads.hpp"
#include "campaigns/campaign.hpp"

namespace picklock {

// Seeds are cut into chunks by their place in the range alone: small ones first, so that several threads have work, and
// larger ones later, so that there are few. A longer range begins with the same chunks.
inline constexpr std::uint64_t kLeastChunk = 32, kMostChunk = 1024;

// The number of seeds of the chunk that begins `offset` seeds behind the first.
constexpr std::uint64_t chunk_size(std::uint64_t offset) {
  return std::clamp(std::bit_floor(offset) / 32, kLeastChunk, kMostChunk);
}

struct SeedPlan {
  SeedRange seeds;
  unsigned jobs = 1;
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;  // seeds; called by one thread at a time
  const std::atomic<bool>* stop = nullptr;  // flag set from outside: chunks that have begun are given up
  bool by_seed = false;                     // true: a kept chunk of a sweep has the verdict of each seed

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  // More threads would have nothing to do.
  std::size_t threads() const {
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(jobs, 1, (seeds.size() - 1) / kLeastChunk + 1));
  }
};

struct Chunk {
  std::uint64_t index = 0;  // place among all chunks of the range
  SeedRange seeds;
};

// Chunks of a range of seeds: handed out in their order, given back in any, added up in their order.
template <class Part>
class ChunksInOrder {
 public:
  // As soon as `enough(whole)` holds behind a chunk, no later one is handed out or added.
  ChunksInOrder(SeedRange seeds, Part whole, std::function<bool(const Part&)> enough)
      : seeds_(seeds), whole_(std::move(whole)), enough_(std::move(enough)) {}

  // Nothing: all are handed out, or it is enough.
  std::optional<Chunk> next() {
    if (next_ == seeds_.size() || is_enough_) return std::nullopt;
    const std::uint64_t begin = next_;
    next_ += std::min(chunk_size(begin), seeds_.size() - begin);
    return Chunk{chunks_++, {seeds_.first + begin, seeds_.first + next_ - 1}};
  }
  // Once for each chunk; `whole.add(part)` adds that of later seeds.
  void done(const Chunk& chunk, Part part) {
    played_ += chunk.seeds.size();
    early_.emplace(chunk.index, std::pair(chunk.seeds.size(), std::move(part)));
    while (!is_enough_ && !early_.empty() && early_.begin()->first == next_index_) {
      whole_.add(early_.begin()->second.second);
      merged_ += early_.begin()->second.first;
      ++next_index_;
      early_.erase(early_.begin());
      is_enough_ = enough_(std::as_const(whole_));
    }
  }

  bool is_over() const { return is_enough_ || merged_ == seeds_.size(); }  // nothing more will be added
  std::uint64_t played() const { return played_; }                         // number of seeds given back
  std::uint64_t merged() const { return merged_; }                         // number of seeds in whole()
  const Part& whole() const { return whole_; }
  Part take_whole() { return std::move(whole_); }

 private:
  SeedRange seeds_;
  Part whole_;
  std::function<bool(const Part&)> enough_;
  std::uint64_t next_ = 0, chunks_ = 0;  // seeds and chunks handed out
  std::uint64_t merged_ = 0, next_index_ = 0, played_ = 0;
  std::map<std::uint64_t, std::pair<std::uint64_t, Part>> early_;  // chunks behind an unfinished one; key: index
  bool is_enough_ = false;
};

// `play(thread, chunk)` gives the part of a chunk, or nothing where the plan was stopped within it. As soon as `enough(whole)` holds behind a chunk, later ones are not
// added. The number of seeds in `whole`. Throws what `play` has thrown.
template <class Part, class Play, class Enough>
std::uint64_t play_chunks_in_order(const SeedPlan& plan, Part& whole, const Play& play, const Enough& enough) {
  Mutex mutex;  // guards the variables below
  ChunksInOrder<Part> chunks(plan.seeds, std::move(whole), enough);
  bool failed = false;
  const auto next = [&]() -> std::optional<Chunk> {
    const MutexGuard guard(mutex);
    return failed || plan.stopped() ? std::nullopt : chunks.next();
  };
  const auto done = [&](const Chunk& chunk, Part part) {
    const MutexGuard guard(mutex);
    chunks.done(chunk, std::move(part));
    if (plan.progress) plan.progress(chunks.played(), plan.seeds.size());
  };
  on_threads(
      plan.threads(),
      [&](std::size_t thread) {
        while (const auto chunk = next()) {
          std::optional<Part> part = play(thread, *chunk);
          if (!part) return;
          done(*chunk, *std::move(part));
        }
      },
      [&] {
        const MutexGuard guard(mutex);
        failed = true;
      });
  whole = chunks.take_whole();
  return chunks.merged();
}

}  // namespace picklock
