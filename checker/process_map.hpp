// Something for each client process.  Small numbers, the usual case, cost an array access.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace picklock {

template <typename T>
class ProcessMap {
 public:
  // Made by T{} at first use.  Requires process >= 0.  References stay valid until the next call.
  T& operator[](std::int32_t process) {
    assert(process >= 0);
    const auto at = static_cast<std::size_t>(process);
    if (at < small_.size()) return small_[at];
    if (at >= kSmall) return large_[process];
    small_.resize(at + 1 < 64 ? 64 : at + at / 2 + 1);
    return small_[at];
  }

  // Bytes in use, roughly.
  [[nodiscard]] std::size_t memory() const {
    return small_.capacity() * sizeof(T) + large_.size() * (sizeof(T) + 4 * sizeof(void*));
  }

  void clear() {
    small_.clear();
    large_.clear();
  }

 private:
  static constexpr std::size_t kSmall = 1u << 16;

  std::vector<T> small_;
  std::unordered_map<std::int32_t, T> large_;  // never iterated
};

}  // namespace picklock
