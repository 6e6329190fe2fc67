// A map from numbers to values, whose memory follows the number of entries, however large the numbers are.
//
// The entries stand in one array (block_vector.hpp). Up to eight are found by looking at each, more by an index of their
// places (open addressing). An entry costs its size, and 8 to 16 bytes of index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "checker/block_vector.hpp"

namespace picklock {

template <typename Key, typename T>
class SparseMap {
 public:
  // Makes T{} at the first use. References stay valid until the next call that is not const.
  T& operator[](Key key) {
    const std::size_t at = place_of(key);
    if (at != kNone) return entries_[at].second;
    entries_.push_back({key, T{}});
    if (index_.empty() ? entries_.size() > kUnindexed : entries_.size() * 2 > index_.size()) {
      rebuild();
    } else if (!index_.empty()) {
      insert(static_cast<std::uint32_t>(entries_.size() - 1));
    }
    return entries_.back().second;
  }

  [[nodiscard]] const T* find(Key key) const {
    const std::size_t at = place_of(key);
    return at == kNone ? nullptr : &entries_[at].second;
  }

  // Does nothing without the key.
  void erase(Key key) {
    const std::size_t at = place_of(key);
    if (at == kNone) return;
    if (!index_.empty()) forget(key);
    const std::size_t last = entries_.size() - 1;
    if (at != last) {
      if (!index_.empty()) index_[slot_of(entries_[last].first)] = static_cast<std::uint32_t>(at) + 1;
      entries_[at] = std::move(entries_[last]);
    }
    entries_.pop_back();
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  // Calls `visit(key, value)` for each entry, in an order that follows from the calls so far.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) visit(entries_[i].first, entries_[i].second);
  }

  // Bytes in use beside this object.
  [[nodiscard]] std::size_t memory() const { return entries_.memory() + index_.capacity() * sizeof(std::uint32_t); }

 private:
  using Entry = std::pair<Key, T>;
  static constexpr std::size_t kUnindexed = 8;
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t home_of(Key key) const {
    auto z = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(z ^ (z >> 32)) & (index_.size() - 1);
  }

  // The slot that names the key's place; the key must be there.
  std::size_t slot_of(Key key) const {
    std::size_t slot = home_of(key);
    while (entries_[index_[slot] - 1].first != key) slot = (slot + 1) & (index_.size() - 1);
    return slot;
  }

  std::size_t place_of(Key key) const {
    if (index_.empty()) {
      for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].first == key) return i;
      }
      return kNone;
    }
    for (std::size_t slot = home_of(key); index_[slot] != 0; slot = (slot + 1) & (index_.size() - 1)) {
      if (entries_[index_[slot] - 1].first == key) return index_[slot] - 1;
    }
    return kNone;
  }

  void insert(std::uint32_t place) {
    std::size_t slot = home_of(entries_[place].first);
    while (index_[slot] != 0) slot = (slot + 1) & (index_.size() - 1);
    index_[slot] = place + 1;
  }

  // Empties the slot of the key, and moves back those behind it that would no longer be found.
  void forget(Key key) {
    const std::size_t mask = index_.size() - 1;
    std::size_t hole = slot_of(key);
    for (std::size_t slot = (hole + 1) & mask; index_[slot] != 0; slot = (slot + 1) & mask) {
      const std::size_t home = home_of(entries_[index_[slot] - 1].first);
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      index_[hole] = index_[slot];
      hole = slot;
    }
    index_[hole] = 0;
  }

  void rebuild() {
    std::size_t slots = 32;
    while (slots < entries_.size() * 4) slots *= 2;
    std::vector<std::uint32_t>().swap(index_);  // frees the old table before the new one is made
    index_.assign(slots, 0);
    for (std::size_t i = 0; i < entries_.size(); ++i) insert(static_cast<std::uint32_t>(i));
  }

  BlockVector<Entry> entries_;
  std::vector<std::uint32_t> index_;  // table of place + 1, or 0; its size is a power of two, or 0
};

}  // namespace picklock
