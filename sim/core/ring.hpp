// A FIFO that keeps its capacity.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace picklock {

template <class T>
class Ring {
 public:
  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }
  T& front() { return items_[head_ & mask()]; }
  T& operator[](std::size_t i) { return items_[(head_ + i) & mask()]; }
  const T& operator[](std::size_t i) const { return items_[(head_ + i) & mask()]; }
  void push(T&& item) { extend() = std::move(item); }
  T& extend() {  // a new last item, with whatever content was left there
    if (size() == items_.size()) grow();
    return items_[tail_++ & mask()];
  }
  void drop_front() { ++head_; }
  T pop() { return std::move(items_[head_++ & mask()]); }
  void clear() {
    while (!empty()) items_[head_++ & mask()] = T{};
    head_ = tail_ = 0;
  }

 private:
  std::size_t mask() const { return items_.size() - 1; }
  void grow() {
    std::vector<T> larger(items_.empty() ? 4 : items_.size() * 2);
    std::size_t n = 0;
    while (!empty()) larger[n++] = pop();
    items_.swap(larger);
    head_ = 0;
    tail_ = n;
  }
  std::vector<T> items_;
  std::size_t head_ = 0, tail_ = 0;
};

}  // namespace picklock
