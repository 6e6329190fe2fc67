// Who owns a lock, and something for each owner.  Small numbers, the usual case, cost an array
// access; the rest is forgotten as soon as it is erased.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "checker/history.hpp"

namespace picklock {

using OwnerKey = std::int64_t;  // a process, or -1 - hold

// The hold that the operation names, else its process.
constexpr OwnerKey owner_of(const OperationEvent& event) {
  return event.hold != kNoHold ? -1 - OwnerKey{event.hold} : OwnerKey{event.process};
}

template <typename T>
class OwnerMap {
 public:
  // Made by T{} at first use.  References stay valid until the next call.
  T& operator[](OwnerKey key) {
    const auto at = static_cast<std::size_t>(key < 0 ? -1 - key : key);
    if (at >= kSmall) return large_[key];
    std::vector<T>& small = key < 0 ? holds_ : processes_;
    if (at >= small.size()) small.resize(at + 1 < 64 ? 64 : at + at / 2 + 1);
    return small[at];
  }

  void erase(OwnerKey key) {
    const auto at = static_cast<std::size_t>(key < 0 ? -1 - key : key);
    if (at >= kSmall) {
      large_.erase(key);
    } else {
      (*this)[key] = T{};
    }
  }

  // Bytes in use, roughly.
  [[nodiscard]] std::size_t memory() const {
    return (processes_.capacity() + holds_.capacity()) * sizeof(T) + large_.size() * (sizeof(T) + 4 * sizeof(void*));
  }

 private:
  static constexpr std::size_t kSmall = 1u << 16;

  std::vector<T> processes_;
  std::vector<T> holds_;
  std::unordered_map<OwnerKey, T> large_;  // never iterated
};

}  // namespace picklock
