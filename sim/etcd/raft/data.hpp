// An entry of the log carries its data: bytes that never change, and that all who hold them share.
//
//   const RaftData data("put k=v");       // one copy of the bytes
//   const RaftData same = data;           // no other
//   RaftDataPool pool;
//   pool.share("put k=v").is(data);       // true, once the pool has seen it: the members of a cluster keep one copy
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <new>
#include <ostream>
#include <string_view>
#include <utility>

#include "base/hash.hpp"

namespace picklock {

class RaftData {
 public:
  RaftData() = default;  // empty
  template <std::convertible_to<std::string_view> Text>
  RaftData(const Text& bytes) : block_(block_of(bytes)) {}  // NOLINT(google-explicit-constructor): a copy of a text
  RaftData(const RaftData& other) : block_(other.block_) {
    if (block_ != nullptr) ++block_->holders;
  }
  RaftData(RaftData&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  RaftData& operator=(RaftData other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~RaftData() {
    if (block_ != nullptr && --block_->holders == 0) release(block_);
  }

  std::string_view view() const {
    return block_ == nullptr ? std::string_view() : std::string_view(bytes_of(block_), block_->size);
  }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)
  bool empty() const { return block_ == nullptr; }
  std::uint64_t hash() const { return block_ == nullptr ? hash_bytes({}) : block_->hash; }
  bool is(const RaftData& other) const { return block_ == other.block_; }  // the very same bytes
  friend bool operator==(const RaftData& a, const RaftData& b) { return a.is(b) || a.view() == b.view(); }
  friend std::ostream& operator<<(std::ostream& out, const RaftData& data) { return out << data.view(); }

 private:
  struct Block {  // the bytes lie behind it
    std::uint64_t hash;
    std::uint32_t holders, size;
  };
  static char* bytes_of(Block* block) { return reinterpret_cast<char*>(block + 1); }
  static Block* block_of(std::string_view bytes) {
    if (bytes.empty()) return nullptr;
    void* const memory = ::operator new(sizeof(Block) + bytes.size());
    auto* const block = new (memory) Block{hash_bytes(bytes), 1, static_cast<std::uint32_t>(bytes.size())};
    std::memcpy(bytes_of(block), bytes.data(), bytes.size());
    return block;
  }
  static void release(Block* block) { ::operator delete(block); }

  Block* block_ = nullptr;
};

// The members of a cluster receive the same bytes, one shortly after the other, and share the last few.  Which of them
// comes first changes nothing.
class RaftDataPool {
 public:
  RaftData share(std::string_view bytes) {
    for (std::size_t back = 1; back <= known_.size(); ++back) {
      const RaftData& one = known_[(next_ - back) % known_.size()];
      if (one.view() == bytes) return one;
    }
    return add(bytes);
  }
  // Of which nobody has a copy yet.
  RaftData add(std::string_view bytes) { return known_[next_++ % known_.size()] = RaftData(bytes); }

 private:
  std::array<RaftData, 8> known_;
  std::size_t next_ = 0;
};

}  // namespace picklock
