// An array that grows by blocks, so that it never holds its elements twice.
//
// The first elements stand in a vector that grows slowly, as most arrays stay small; the others in blocks of their own.
// References stay valid until an element is added to the first ones, or removed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace picklock {

template <typename T>
class BlockVector {
 public:
  static constexpr std::size_t kBlock = 128;  // elements in one block

  [[nodiscard]] std::size_t size() const { return first_.size() + more_; }
  [[nodiscard]] bool empty() const { return first_.empty(); }

  T& operator[](std::size_t i) { return i < kBlock ? first_[i] : blocks_[i / kBlock - 1][i % kBlock]; }
  const T& operator[](std::size_t i) const { return i < kBlock ? first_[i] : blocks_[i / kBlock - 1][i % kBlock]; }
  T& back() { return (*this)[size() - 1]; }

  T& push_back(T value) {
    if (first_.size() < kBlock) {
      if (first_.size() == first_.capacity()) {
        const std::size_t room = first_.size() < 2 ? first_.size() + 1 : first_.size() * 3 / 2;
        first_.reserve(std::min(room, kBlock));
      }
      return first_.emplace_back(std::move(value));
    }
    if (more_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<T[]>(kBlock));
    ++more_;
    return back() = std::move(value);
  }

  void pop_back() {
    if (more_ == 0) return first_.pop_back();
    back() = T{};
    --more_;
    if (more_ + 2 * kBlock <= blocks_.size() * kBlock) blocks_.pop_back();
  }

  // Bytes in use beside this object.
  [[nodiscard]] std::size_t memory() const {
    return first_.capacity() * sizeof(T) + blocks_.size() * kBlock * sizeof(T) +
           blocks_.capacity() * sizeof(std::unique_ptr<T[]>);
  }

 private:
  std::vector<T> first_;
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t more_ = 0;  // number of elements in blocks
};

}  // namespace picklock
