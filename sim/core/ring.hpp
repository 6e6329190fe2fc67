// A FIFO that keeps its capacity.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace picklock {

template <class T>
class Ring {
 public:
  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }
  T& front() { return items_[head_ & (capacity_ - 1)]; }
  T& operator[](std::size_t i) { return items_[(head_ + i) & (capacity_ - 1)]; }
  const T& operator[](std::size_t i) const { return items_[(head_ + i) & (capacity_ - 1)]; }
  void push(T&& item) { extend() = std::move(item); }
  T& extend() {  // a new last item, with whatever content was left there
    if (is_full()) grow();
    return extend_within();
  }
  bool is_full() const { return size() == capacity_; }
  T& extend_within() { return items_[tail_++ & (capacity_ - 1)]; }  // the ring must not be full
  void drop_front() { ++head_; }
  T pop() { return std::move(items_[head_++ & (capacity_ - 1)]); }
  void clear() {
    while (!empty()) items_[head_++ & (capacity_ - 1)] = T{};
    head_ = tail_ = 0;
  }

 private:
  void grow() {
    std::vector<T> larger(std::max<std::size_t>(4, capacity_ * 2));
    std::size_t n = 0;
    while (!empty()) larger[n++] = pop();
    items_.swap(larger);
    capacity_ = items_.size();
    head_ = 0;
    tail_ = n;
  }
  std::vector<T> items_;  // a power of two of them
  std::size_t capacity_ = 0, head_ = 0, tail_ = 0;
};

}  // namespace picklock
