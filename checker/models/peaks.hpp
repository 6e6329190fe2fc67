// The most held of a lock since any given instant, and its holders: the maxima over the suffixes of the history.
//
// A release that is open or crashed may not have taken effect.  Then its hold lasted through what was held since, and
// those who held it then are the witness; one is enough where any two conflict.  At most as many maxima differ as there
// are permits (of a read-write lock: as have held).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/models/hold_pool.hpp"
#include "checker/models/lock_rules.hpp"

namespace picklock {

class Peaks {
 public:
  using HoldRef = HoldPool::Ref;

  Peaks(HoldPool& holds, const LockRules& rules) : holds_(holds), rules_(rules) {}

  // At `index` the hold `ref` was acquired; since then the `active` hold `held` in all.
  void raise(std::uint32_t index, HoldRef ref, std::int64_t held, std::span<const HoldRef> active);
  void forget();  // drops all: no release asks any more
  void forget_unused() { peaks_.resize(count_); }

  // The first maximum of an acquire after that instant; size(): none was made since.
  [[nodiscard]] std::size_t since(std::uint32_t index) const;
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::int64_t weight(std::size_t at) const { return peaks_[at].weight; }
  [[nodiscard]] std::span<const HoldRef> holds(std::size_t at) const { return peaks_[at].holds; }
  [[nodiscard]] std::int64_t most_since(std::uint32_t index) const;  // 0: none was made since

  // A hold lasted through the maxima from `first` on; `add` for a while only. Maxima that are lower by now go.
  void lift(std::size_t first, HoldRef ref);
  void add(std::size_t first, std::int64_t weight);
  [[nodiscard]] std::vector<std::int64_t> weights() const;
  void set_weights(std::span<const std::int64_t> weights);

  template <typename Archive, typename Self>
  static void state(Archive& archive, Self& self) {
    archive(self.peaks_, self.count_);
  }
  [[nodiscard]] std::size_t memory() const;

 private:
  struct Peak {
    std::uint32_t index = 0;  // index of the acquire that made it
    std::int64_t weight = 0;
    std::vector<HoldRef> holds;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& peak) {
      archive(peak.index, peak.weight, peak.holds);
    }
  };
  void drop_holds(Peak& peak);

  HoldPool& holds_;
  const LockRules& rules_;
  std::vector<Peak> peaks_;  // peaks; the first count_ are valid, and later ones are lower
  std::size_t count_ = 0;
};

}  // namespace picklock
