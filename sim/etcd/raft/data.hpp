// An entry of the log carries its data: a value that never changes, and that all who hold it share.
//
//   const RaftData data("put k=v");                // a text
//   const RaftData same = data;                    // no copy of it
//   const RaftData put = RaftData::of(entry);      // a value of the state machine above
//   put.get<EtcdEntry>()                           // null: a text, or a value of another type
//   put.view()                                     // its bytes on a disk
//
// Each member writes the data to its disk, so its bytes are made once, when the data is.  A type of values has a function
// `void encode(const T&, std::string& to)` beside it.
#pragma once

#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.hpp"

namespace picklock {

class RaftData {
 public:
  RaftData() = default;  // empty
  template <std::convertible_to<std::string_view> Text>
  RaftData(const Text& text)  // NOLINT(google-explicit-constructor): a copy of it
      : block_(std::string_view(text).empty() ? nullptr : new Block(std::string(text))) {}
  // The bytes of a value are not empty.
  template <class T>
  static RaftData of(T value) {
    std::string bytes;
    encode(value, bytes);
    RaftData data;
    data.block_ = new Valued<T>(std::move(bytes), std::move(value));
    return data;
  }
  RaftData(const RaftData& other) : block_(other.block_) {
    if (block_ != nullptr) ++block_->holders;
  }
  RaftData(RaftData&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  RaftData& operator=(RaftData other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~RaftData() {
    if (block_ != nullptr && --block_->holders == 0) block_->release(block_);
  }

  template <class T>
  const T* get() const {
    const bool is_one = block_ != nullptr && block_->release == &Valued<T>::release_one;
    return is_one ? &static_cast<const Valued<T>*>(block_)->value : nullptr;
  }
  std::string_view view() const { return block_ == nullptr ? std::string_view() : std::string_view(block_->bytes); }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)
  bool empty() const { return block_ == nullptr; }
  std::uint64_t hash() const { return block_ == nullptr ? hash_bytes({}) : block_->hash; }
  bool is(const RaftData& other) const { return block_ == other.block_; }  // the very same
  friend bool operator==(const RaftData& a, const RaftData& b) { return a.is(b) || a.view() == b.view(); }
  friend std::ostream& operator<<(std::ostream& out, const RaftData& data) { return out << data.view(); }

 private:
  struct Block {
    explicit Block(std::string all, void (*how)(Block*) = &release_text)
        : bytes(std::move(all)), hash(hash_bytes(bytes)), release(how) {}
    static void release_text(Block* block) { delete block; }

    std::string bytes;
    std::uint64_t hash;
    void (*release)(Block*);  // tells the type of the value, too
    std::uint32_t holders = 1;
  };
  template <class T>
  struct Valued : Block {
    Valued(std::string all, T its_value) : Block(std::move(all), &release_one), value(std::move(its_value)) {}
    static void release_one(Block* block) { delete static_cast<Valued*>(block); }

    T value;
  };

  Block* block_ = nullptr;
};

}  // namespace picklock
