#include "checker/search/configurations.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace picklock {
namespace {

constexpr std::uint64_t kLow = 0xffffffff;

}  // namespace

bool uses_no_more(std::span<const std::uint64_t> less, std::span<const std::uint64_t> more) {
  if (less.size() > more.size()) return false;
  auto other = more.begin();
  for (const std::uint64_t one : less) {
    while (other != more.end() && *other >> 32 < one >> 32) ++other;
    if (other == more.end() || *other >> 32 != one >> 32) return false;
    if ((one & kLow) > (*other & kLow)) return false;
    ++other;
  }
  return true;
}

void Configurations::clear() {
  words_ = {};
  heads_.assign(64, kSeen);
  heads_.shrink_to_fit();
  size_ = places_ = 0;
}

std::uint64_t Configurations::mix(const Configuration& c) {
  return picklock::mix(c.hash + std::uint64_t{c.state} * kGolden + c.passed);
}

Configuration Configurations::at(Entry entry) const {
  const std::uint64_t* const word = words_.data() + entry;
  return {word[0],
          static_cast<std::uint32_t>(word[1] >> 32),
          static_cast<StateId>(word[1] & kLow),
          {word + kHeader, live_words_},
          {word + kHeader + live_words_, word[2] & kLow}};
}

bool Configurations::same_place(Entry entry, std::uint64_t hash, const Configuration& c) const {
  const std::uint64_t* const word = words_.data() + entry;
  return word[0] == hash && word[1] == (std::uint64_t{c.passed} << 32 | c.state) &&
         std::equal(c.live.begin(), c.live.end(), word + kHeader);
}

// Can one that has used these do whatever the other can?
bool Configurations::dominates(std::span<const std::uint64_t> used, const Configuration& c) const {
  if (until_.empty()) return uses_no_more(used, c.used);
  return std::all_of(used.begin(), used.end(), [&](std::uint64_t one) {
    if (until_[one >> 32] < c.latest) return true;
    const auto other = std::lower_bound(c.used.begin(), c.used.end(), one >> 32 << 32);
    return other != c.used.end() && *other >> 32 == one >> 32 && (one & kLow) <= (*other & kLow);
  });
}

Configurations::Entry Configurations::add(const Configuration& c) {
  if ((places_ + 1) * 2 > heads_.size()) grow();
  const std::size_t mask = heads_.size() - 1;
  std::size_t slot = mix(c) & mask;
  while (heads_[slot] != kSeen && !same_place(heads_[slot], c.hash, c)) slot = (slot + 1) & mask;
  for (Entry other = heads_[slot]; other != kSeen;) {
    const std::uint64_t* const word = words_.data() + other;
    if (dominates({word + kHeader + live_words_, word[2] & kLow}, c)) return kSeen;
    other = static_cast<Entry>(word[2] >> 32);
  }
  const auto entry = static_cast<Entry>(words_.size());
  places_ += heads_[slot] == kSeen;
  words_.push_back(c.hash);
  words_.push_back(std::uint64_t{c.passed} << 32 | c.state);
  words_.push_back(std::uint64_t{heads_[slot]} << 32 | c.used.size());
  words_.insert(words_.end(), c.live.begin(), c.live.end());
  words_.insert(words_.end(), c.used.begin(), c.used.end());
  heads_[slot] = entry;
  ++size_;
  return entry;
}

void Configurations::grow() {
  std::vector<Entry> old(heads_.size() * 2, kSeen);
  old.swap(heads_);
  const std::size_t mask = heads_.size() - 1;
  for (const Entry entry : old) {
    if (entry == kSeen) continue;
    std::size_t slot = mix(at(entry)) & mask;
    while (heads_[slot] != kSeen) slot = (slot + 1) & mask;
    heads_[slot] = entry;
  }
}

std::size_t Configurations::memory() const {
  return words_.capacity() * sizeof(std::uint64_t) + heads_.capacity() * sizeof(Entry);
}

std::size_t Configurations::memory_to_add(std::size_t used_words) const {
  if (words_.size() >= kSeen) return kFull;
  std::size_t bytes = memory();
  const std::size_t need = words_.size() + kHeader + live_words_ + used_words;
  if (need > words_.capacity()) {
    bytes += std::max(need, 2 * words_.capacity()) * sizeof(std::uint64_t);
  }
  if ((places_ + 1) * 2 > heads_.size()) bytes += 2 * heads_.size() * sizeof(Entry);
  return bytes;
}

}  // namespace picklock
