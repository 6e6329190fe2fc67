// A byte string that keeps up to `Inline` bytes in place and grows onto the heap beyond that.
//
// Its capacity survives clear() and assign(), so an object that is reused allocates once at most.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace picklock {

// memcpy for texts that are mostly short: up to 64 bytes cost no call.  Where g++ 12 inlines it into the code of a user's lock,
// it takes branches for possible that the text is too short for.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
inline void copy_short(char* to, const char* from, std::size_t size) {
  const auto twice = [=]<class Word>(Word) {  // first and last word; they may overlap
    Word first, last;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + size - sizeof last, sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + size - sizeof last, &last, sizeof last);
  };
  struct Quad {
    std::uint64_t words[2];
  };
  struct Oct {
    std::uint64_t words[4];
  };
  if (size > 64) {
    std::memcpy(to, from, size);
  } else if (size > 32) {
    twice(Oct{});
  } else if (size > 16) {
    twice(Quad{});
  } else if (size >= 8) {
    twice(std::uint64_t{});
  } else if (size >= 4) {
    twice(std::uint32_t{});
  } else if (size >= 2) {
    twice(std::uint16_t{});
  } else if (size == 1) {
    *to = *from;
  }
}
#pragma GCC diagnostic pop

template <std::uint32_t Inline>
class SmallBytes {
 public:
  SmallBytes() noexcept : size_(0), capacity_(Inline) {}
  explicit SmallBytes(std::string_view bytes) : SmallBytes() { append(bytes); }
  SmallBytes(const SmallBytes& other) : SmallBytes(other.view()) {}
  SmallBytes(SmallBytes&& other) noexcept : SmallBytes() { take(other); }
  ~SmallBytes() { release(); }

  SmallBytes& operator=(const SmallBytes& other) {
    if (this != &other) assign(other.view());
    return *this;
  }
  SmallBytes& operator=(SmallBytes&& other) noexcept {
    if (this == &other) return *this;
    release();
    capacity_ = Inline;
    take(other);
    return *this;
  }

  std::string_view view() const noexcept { return {data(), size_}; }
  const char* data() const noexcept { return capacity_ > Inline ? store_.heap : store_.bytes; }
  char* data() noexcept { return capacity_ > Inline ? store_.heap : store_.bytes; }
  std::uint32_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  void clear() noexcept { size_ = 0; }
  // `bytes` may not lie inside this object.
  void assign(std::string_view bytes) {
    size_ = 0;
    append(bytes);
  }
  void append(std::string_view bytes) {
    char* to = grow(static_cast<std::uint32_t>(bytes.size()));
    copy_short(to, bytes.data(), bytes.size());
  }
  void push_back(char byte) { *grow(1) = byte; }
  // Adds `count` bytes of unspecified content and returns where they begin.
  char* grow(std::uint32_t count) {
    if (count > capacity_ - size_) reserve(size_ + count);
    char* begin = data() + size_;
    size_ += count;
    return begin;
  }

  friend bool operator==(const SmallBytes& a, const SmallBytes& b) { return a.view() == b.view(); }

 private:
  void reserve(std::uint32_t wanted) {
    std::uint32_t larger = capacity_;
    while (larger < wanted) larger = larger > UINT32_MAX / 2 ? UINT32_MAX : larger * 2;
    char* heap = new char[larger];
    std::memcpy(heap, data(), size_);
    release();
    store_.heap = heap;
    capacity_ = larger;
  }
  void release() noexcept {
    if (capacity_ > Inline) delete[] store_.heap;
  }
  // Precondition: this object is inline and empty.
  void take(SmallBytes& other) noexcept {
    size_ = other.size_;
    if (other.capacity_ > Inline) {
      store_.heap = std::exchange(other.store_.heap, nullptr);
      capacity_ = std::exchange(other.capacity_, Inline);
    } else if (size_ > 0) {
      copy_short(store_.bytes, other.store_.bytes, size_);
    }
    other.size_ = 0;
  }

  std::uint32_t size_;
  std::uint32_t capacity_;  // > Inline: store_.heap is in use
  union Store {
    char* heap;
    char bytes[Inline];
  } store_;
};

}  // namespace picklock
