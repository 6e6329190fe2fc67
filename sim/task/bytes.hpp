// A block of bytes in a world's arena: the body of a message.
//
//   Bytes bytes(arena, "PING");                                  // a copy
//   Bytes typed = Bytes::knowing(arena, Head{7}, size);          // to be filled; and what its sender knows of it
//   if (const Head* head = typed.known<Head>()) …                // the receiver need not find it out again
//
// What a sender knows lies before the content and is no part of it: a digest, a copy or a file of the content lacks it.
#pragma once

#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>
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
  // …, with a value of a plain type that is known of it, and room for `more` bytes behind that value; both are multiples
  // of 8.  The size is not 0.
  template <class Known>
  static Bytes knowing(Arena& arena, const Known& known, std::size_t size, std::size_t more = 0) {
    static_assert(std::is_trivially_copyable_v<Known> && alignof(Known) <= 8);
    Bytes bytes;
    bytes.known_ = static_cast<std::uint32_t>(sizeof(Tagged<Known>) + more);
    bytes.size_ = static_cast<std::uint32_t>(size);
    bytes.data_ = static_cast<char*>(arena.allocate(bytes.known_ + size)) + bytes.known_;
    new (bytes.data_ - bytes.known_) Tagged<Known>{&kTag<Known>, known};
    return bytes;
  }
  template <class Known>
  static Bytes knowing(Arena& arena, const Known& known, std::string_view content) {
    Bytes bytes = knowing(arena, known, content.size());
    copy_short(bytes.data_, content.data(), content.size());
    return bytes;
  }
  Bytes(Bytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), known_(other.known_) {}
  Bytes& operator=(Bytes&& other) noexcept {  // the other gets what was here: mostly nothing
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(known_, other.known_);
    return *this;
  }
  [[gnu::always_inline]] ~Bytes() { reset(); }

  [[gnu::always_inline]] void reset() noexcept {
    if (data_ != nullptr) Arena::release(std::exchange(data_, nullptr) - known_, std::size_t{size_} + known_);
    size_ = 0;
  }
  Bytes copy(Arena& arena) const {  // with all that is known
    Bytes other;
    if (data_ == nullptr) return other;
    other.data_ = static_cast<char*>(arena.allocate(known_ + std::size_t{size_})) + known_;
    other.size_ = size_;
    other.known_ = known_;
    copy_short(other.data_ - known_, data_ - known_, known_ + std::size_t{size_});
    return other;
  }
  std::string_view view() const { return {data_, size_}; }
  char* data() { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Null: nothing of that type is known.
  template <class Known>
  Known* known() {
    if (data_ == nullptr || known_ == 0) return nullptr;
    auto* const tagged = reinterpret_cast<Tagged<Known>*>(data_ - known_);
    return tagged->type == &kTag<Known> ? &tagged->value : nullptr;
  }
  template <class Known>
  const Known* known() const {
    return const_cast<Bytes*>(this)->known<Known>();
  }

 private:
  template <class Known>
  static constexpr char kTag = 0;  // its address stands for the type
  template <class Known>
  struct Tagged {
    const char* type;
    Known value;
  };

  char* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t known_ = 0;
};

}  // namespace picklock
