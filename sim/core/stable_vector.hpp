// A list whose items stay where they are while it grows, and are reached in two steps.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace picklock {

template <class T>
class StableVector {
 public:
  T& operator[](std::size_t i) { return *items_[i]; }
  const T& operator[](std::size_t i) const { return *items_[i]; }
  std::size_t size() const { return items_.size(); }
  T& emplace_back() { return *items_.emplace_back(std::make_unique<T>()); }
  std::size_t bytes_reserved() const { return items_.capacity() * sizeof(items_[0]) + items_.size() * sizeof(T); }

 private:
  std::vector<std::unique_ptr<T>> items_;
};

}  // namespace picklock
