#include "checker/intern_table.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace picklock {
namespace {

constexpr std::size_t kBlockSize = 16 * 1024;
constexpr std::size_t kMinSlots = 64;

// Eight bytes at a time: the values of reads of large sets are long.
std::uint32_t short_hash(std::string_view text) {
  std::uint64_t hash = text.size();
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof word);
    mix(word);
  }
  std::uint64_t rest = 0;
  for (const char c : text) rest = rest << 8 | static_cast<unsigned char>(c);
  mix(rest);
  return static_cast<std::uint32_t>(hash);
}

}  // namespace

InternTable& InternTable::operator=(const InternTable& other) {
  if (this == &other) return *this;
  clear();
  for (const Entry& entry : other.entries_) intern(entry.text);
  return *this;
}

std::size_t InternTable::slot_of(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != kAbsent) {
    const Entry& entry = entries_[slots_[slot]];
    if (entry.hash == hash && entry.text == text) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::uint32_t InternTable::find(std::string_view text) const {
  return slots_.empty() ? kAbsent : slots_[slot_of(text, short_hash(text))];
}

std::uint32_t InternTable::intern(std::string_view text) {
  if (entries_.size() * 2 >= slots_.size()) grow();
  const std::uint32_t hash = short_hash(text);
  const std::size_t slot = slot_of(text, hash);
  if (slots_[slot] != kAbsent) return slots_[slot];
  PICKLOCK_CHECK(entries_.size() < kAbsent);
  const auto id = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({keep(text), hash});
  slots_[slot] = id;
  return id;
}

std::string_view InternTable::view(std::uint32_t id) const {
  assert(id < entries_.size());
  return entries_[id].text;
}

void InternTable::clear() {
  entries_.clear();
  std::fill(slots_.begin(), slots_.end(), kAbsent);
  block_ = 0;
  used_ = 0;
}

// The last to come stands behind all others that had wanted its slot: taking it out leaves no gap.
void InternTable::back_to(const Point& earlier) {
  while (entries_.size() > earlier.size) {
    const Entry& last = entries_.back();
    slots_[slot_of(last.text, last.hash)] = kAbsent;
    entries_.pop_back();
  }
  block_ = earlier.block;
  used_ = earlier.used;
}

void InternTable::grow() {
  slots_.assign(std::max(kMinSlots, slots_.size() * 2), kAbsent);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t id = 0; id < entries_.size(); ++id) {
    std::size_t slot = entries_[id].hash & mask;
    while (slots_[slot] != kAbsent) slot = (slot + 1) & mask;
    slots_[slot] = id;
  }
}

std::string_view InternTable::keep(std::string_view text) {
  if (text.empty()) return {};
  while (block_ < blocks_.size() && blocks_[block_].capacity - used_ < text.size()) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    const std::size_t capacity = std::max(kBlockSize, text.size());
    blocks_.push_back({std::make_unique<char[]>(capacity), capacity});
  }
  char* const begin = blocks_[block_].chars.get() + used_;
  std::memcpy(begin, text.data(), text.size());
  used_ += text.size();
  return {begin, text.size()};
}

}  // namespace picklock
