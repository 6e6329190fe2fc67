// A block of bytes in a world's arena: the body of a message.
#pragma once

#include <string_view>
#include <utility>

#include "base/small_bytes.hpp"
#include "sim/task/arena.hpp"

namespace picklock {

class Bytes {
 public:
  Bytes() = default;
  Bytes(Arena& arena, std::string_view content) : size_(static_cast<std::uint32_t>(content.size())) {
    if (content.empty()) return;
    data_ = static_cast<char*>(arena.allocate(content.size()));
    copy_short(data_, content.data(), content.size());
  }
  // Of unspecified content, for the caller to fill.
  Bytes(Arena& arena, std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<char*>(arena.allocate(size))),
        size_(static_cast<std::uint32_t>(size)) {}
  Bytes(Bytes&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Bytes& operator=(Bytes&& other) noexcept {
    if (this != &other) {
      reset();
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  ~Bytes() { reset(); }

  void reset() noexcept {
    if (data_ != nullptr) Arena::release(std::exchange(data_, nullptr), size_);
    size_ = 0;
  }
  std::string_view view() const { return {data_, size_}; }
  char* data() { return data_; }
  bool empty() const { return size_ == 0; }

 private:
  char* data_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace picklock
