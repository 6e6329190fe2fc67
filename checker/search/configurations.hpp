// The configurations that a search has seen: state, and which operations are linearized.
//
// Two configurations that differ only in the crashed operations they have used need not both be
// searched if one has used a part of what the other has: whatever the greedier can still do, the
// thriftier can do as well, as a crashed operation need not be used.  An operation whose time is over for the greedier
// (OperationSpan::until) counts as used up there.
//
// One arena of 64-bit words, an entry being
//     hash | passed, state | next, size of used | live … | used …
// and a hash table of entries over all but `used`; entries alike in that are chained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "checker/search/state_space.hpp"

namespace picklock {

// `used`: (class << 32 | count), ascending by class, no count zero.
struct Configuration {
  std::uint64_t hash = 0;    // hash of the set of linearized completed operations
  std::uint32_t passed = 0;  // place of the return before which all are linearized
  StateId state = 0;
  std::span<const std::uint64_t> live;  // bit set of the linearized pending operations; index: slot
  std::span<const std::uint64_t> used;
  std::uint32_t latest = 0;  // invoke of an operation that has taken effect; only where times may be over
};

class Configurations {
 public:
  using Entry = std::uint32_t;
  static constexpr Entry kSeen = 0xffffffff;
  static constexpr std::size_t kFull = std::numeric_limits<std::size_t>::max() / 2;

  // `until`: by class, the last invoke before which its operations take effect (OperationSpan::until); empty: no limit.
  explicit Configurations(std::size_t live_words, std::span<const std::uint32_t> until = {})
      : live_words_(live_words), until_(until) {
    clear();
  }

  // kSeen if it, or one that has used less, is there.  Requires memory_to_add(…) < kFull.
  Entry add(const Configuration& configuration);

  // Valid until the next `add`.
  [[nodiscard]] Configuration at(Entry entry) const;

  void clear();  // gives the memory back
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::size_t memory() const;  // bytes

  // Will the next `add` need a larger table?
  [[nodiscard]] bool about_to_grow(std::size_t used_words) const {
    return words_.size() + kHeader + live_words_ + used_words > words_.capacity() ||
           (places_ + 1) * 2 > heads_.size() || words_.size() >= kSeen;
  }

  // The most that the next `add` may hold at once, as tables double; kFull after 32 GB.
  [[nodiscard]] std::size_t memory_to_add(std::size_t used_words) const;

 private:
  static constexpr std::size_t kHeader = 3;
  static std::uint64_t mix(const Configuration& c);
  [[nodiscard]] bool same_place(Entry entry, std::uint64_t hash, const Configuration& c) const;
  [[nodiscard]] bool dominates(std::span<const std::uint64_t> used, const Configuration& c) const;
  void grow();

  std::size_t live_words_;
  std::span<const std::uint32_t> until_;
  std::uint64_t size_ = 0;
  std::size_t places_ = 0;  // number of chains
  std::vector<std::uint64_t> words_;
  std::vector<Entry> heads_;  // open addressing, a power of two
};

// Is each count of `less` at most that of `more`?
bool uses_no_more(std::span<const std::uint64_t> less, std::span<const std::uint64_t> more);

}  // namespace picklock
