// Packing turns values into bytes, for messages and records: numbers as LEB128, signed ones in zigzag, words as eight
// bytes, the lowest first, and texts behind their length.  The reader does not trust its input: an overrun or overflow
// reads as zero or as an empty text, and finished() is then false.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "base/small_bytes.hpp"
#include "base/varint.hpp"

namespace picklock {

// Turns a word for storage, which takes eight bytes whatever its value is.
constexpr std::uint64_t lowest_first(std::uint64_t word) {
  if constexpr (std::endian::native == std::endian::little) return word;
  std::uint64_t turned = 0;
  for (int shift = 0; shift < 64; shift += 8) turned = turned << 8 | (word >> shift & 0xff);
  return turned;
}
inline char* put_word(char* to, std::uint64_t word) {
  word = lowest_first(word);
  std::memcpy(to, &word, sizeof word);
  return to + sizeof word;
}

// The first fields of a message, of which each takes at most ten bytes: they go into the message as one.
template <std::size_t MostFields>
class PackedHead {
 public:
  void byte(std::uint8_t b) { *end_++ = static_cast<char>(b); }
  void number(std::uint64_t n) { end_ = put_varint(end_, n); }
  void integer(std::int64_t i) { number(zigzag(i)); }
  void word(std::uint64_t w) { end_ = put_word(end_, w); }
  std::string_view view() const { return {bytes_, static_cast<std::size_t>(end_ - bytes_)}; }

 private:
  char bytes_[10 * MostFields];
  char* end_ = bytes_;
};

// Appends to a text.  Fields are gathered and appended together: finish() appends the last of them.  To get the packed
// bytes alone, begin with an empty text and call all(): only long contents then go through the text.
class Packer {
 public:
  explicit Packer(std::string& to) : to_(to) {}
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { PICKLOCK_CHECK(end_ == gathered_); }

  [[gnu::always_inline]] void byte(std::uint8_t b) { *room(1) = static_cast<char>(b), ++end_; }
  void number(std::uint64_t n) {
    if (n < 0x80) return byte(static_cast<std::uint8_t>(n));
    end_ = put_varint(room(10), n);
  }
  void integer(std::int64_t i) { number(zigzag(i)); }
  void word(std::uint64_t w) { end_ = put_word(room(sizeof w), w); }
  void text(std::string_view t) {
    number(t.size());
    bytes(t);
  }
  void bytes(std::string_view t) {  // appends bytes without their number
    if (t.size() > kMost / 2) {
      finish();
      to_.append(t);
      return;
    }
    gather(t);
  }
  template <std::size_t MostFields>
  void head(const PackedHead<MostFields>& h) {
    static_assert(10 * MostFields <= kMost);
    gather(h.view());
  }
  void finish() {
    const auto size = static_cast<std::size_t>(end_ - gathered_);
    if (to_.capacity() - to_.size() < size) to_.reserve(to_.size() + size + kUsual);
    to_.append(gathered_, size);
    end_ = gathered_;
  }
  // Use it in place of finish(): the text with all packed bytes, valid as long as both stay.
  std::string_view all() {
    if (!to_.empty()) return finish(), to_;
    return {gathered_, static_cast<std::size_t>(std::exchange(end_, gathered_) - gathered_)};
  }

 private:
  static constexpr std::size_t kUsual = 96, kMost = 192;  // most messages and records are shorter

  void gather(std::string_view t) {
    copy_short(room(t.size()), t.data(), t.size());
    end_ += t.size();
  }
  char* room(std::size_t size) {
    if (gathered_ + kMost - end_ < static_cast<std::ptrdiff_t>(size)) [[unlikely]]
      finish();
    return end_;
  }

  std::string& to_;
  char* end_ = gathered_;
  char gathered_[kMost];
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view from) : from_(from) {}

  std::uint8_t byte() {
    if (from_.empty()) return fail(), std::uint8_t{0};
    const auto b = static_cast<std::uint8_t>(from_.front());
    from_.remove_prefix(1);
    return b;
  }
  std::uint8_t byte_up_to(std::uint8_t most) {
    const std::uint8_t b = byte();
    if (b > most) return fail(), std::uint8_t{0};
    return b;
  }
  std::uint64_t number() {
    if (!from_.empty() && static_cast<std::uint8_t>(from_.front()) < 0x80) [[likely]] {
      const auto small = static_cast<std::uint8_t>(from_.front());
      from_.remove_prefix(1);
      return small;
    }
    return long_number();
  }
  std::int64_t integer() {
    const std::uint64_t n = number();
    return static_cast<std::int64_t>(n >> 1 ^ (~(n & 1) + 1));
  }
  std::int32_t small() {  // an integer of 32 bits
    const std::int64_t i = integer();
    if (i != static_cast<std::int32_t>(i)) return fail(), 0;
    return static_cast<std::int32_t>(i);
  }
  std::uint64_t word() {
    std::uint64_t w = 0;
    if (from_.size() < sizeof w) return fail(), w;
    std::memcpy(&w, from_.data(), sizeof w);
    from_.remove_prefix(sizeof w);
    return lowest_first(w);
  }
  std::string_view text() {  // valid as long as what is unpacked
    const std::uint64_t size = number();
    if (size > from_.size()) return fail(), std::string_view();
    const std::string_view t = from_.substr(0, static_cast<std::size_t>(size));
    from_.remove_prefix(t.size());
    return t;
  }

  std::string_view rest() const { return from_; }  // unread bytes

  bool good() const { return good_; }
  bool finished() const { return good_ && from_.empty(); }
  void fail() {
    good_ = false;
    from_ = {};
  }

 private:
  [[gnu::noinline]] std::uint64_t long_number() {
    std::uint64_t n = 0;
    if (!take_varint(from_, n)) return fail(), std::uint64_t{0};
    return n;
  }

  std::string_view from_;
  bool good_ = true;
};

}  // namespace picklock
