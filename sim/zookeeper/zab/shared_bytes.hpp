// Bytes that never change once they are made. Copies share them, so that what many keep is stored once.
//
//   const SharedBytes txn("set /a 1");
//   const SharedBytes kept = txn;          // the same bytes
//   const SharedBytes sent(head, txn);     // two parts, one after the other
//
// Copies are counted without a lock: all of them belong to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/small_bytes.hpp"

namespace picklock {

class SharedBytes {
 public:
  SharedBytes() = default;  // empty
  template <class Text, class = std::enable_if_t<std::is_convertible_v<const Text&, std::string_view> &&
                                                 !std::is_same_v<Text, SharedBytes>>>
  SharedBytes(const Text& text) : SharedBytes(std::string_view(text), {}) {}  // NOLINT: it is such bytes
  SharedBytes(std::string_view begin, std::string_view rest) {
    const std::size_t size = begin.size() + rest.size();
    if (size == 0) return;
    block_ = new (std::allocator<char>().allocate(sizeof(Block) + size)) Block{size, 1};
    copy_short(block_->bytes(), begin.data(), begin.size());
    copy_short(block_->bytes() + begin.size(), rest.data(), rest.size());
  }
  SharedBytes(const SharedBytes& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) ++block_->copies;
  }
  SharedBytes(SharedBytes&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedBytes& operator=(SharedBytes other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedBytes() {
    if (block_ == nullptr || --block_->copies != 0) return;
    std::allocator<char>().deallocate(reinterpret_cast<char*>(block_), sizeof(Block) + block_->size);
  }

  std::string_view view() const {
    return block_ == nullptr ? std::string_view() : std::string_view(block_->bytes(), block_->size);
  }
  operator std::string_view() const { return view(); }  // NOLINT: they are such bytes
  std::size_t size() const { return block_ == nullptr ? 0 : block_->size; }
  bool empty() const { return block_ == nullptr; }

  friend bool operator==(const SharedBytes& a, const SharedBytes& b) {
    return a.block_ == b.block_ || a.view() == b.view();
  }

 private:
  struct Block {
    std::size_t size, copies;
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
  };

  Block* block_ = nullptr;
};

}  // namespace picklock
