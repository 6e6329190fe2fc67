// Strings to dense ids (0, 1, 2, …) and back, in the order of their first appearance.
//
// Views stay valid until `clear`, `back_to` or destruction, whatever is interned in between: the characters
// live in blocks that never move.  `clear` keeps the memory, since one history serves many runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace picklock {

class InternTable {
 public:
  InternTable() = default;
  InternTable(const InternTable& other) { *this = other; }
  InternTable& operator=(const InternTable& other);
  InternTable(InternTable&&) noexcept = default;
  InternTable& operator=(InternTable&&) noexcept = default;
  ~InternTable() = default;

  // The id of `text`; a new one, equal to size() before the call, if it was not there yet.
  std::uint32_t intern(std::string_view text);

  // The id of `text`, or kAbsent.
  [[nodiscard]] std::uint32_t find(std::string_view text) const;

  [[nodiscard]] std::string_view view(std::uint32_t id) const;  // asserts id < size()
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  void clear();

  // All that was interned up to an instant.
  struct Point {
    std::size_t size = 0, block = 0, used = 0;
  };
  [[nodiscard]] Point here() const { return {entries_.size(), block_, used_}; }
  void back_to(const Point& earlier);  // forgets what came later, as if it had never been interned

  static constexpr std::uint32_t kAbsent = 0xffffffff;

 private:
  struct Block {
    std::unique_ptr<char[]> chars;
    std::size_t capacity = 0;
  };
  struct Entry {
    std::string_view text;
    std::uint32_t hash = 0;
  };

  std::size_t slot_of(std::string_view text, std::uint32_t hash) const;
  void grow();
  std::string_view keep(std::string_view text);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // open addressing; a power of two, at most half full
  std::vector<Block> blocks_;
  std::size_t block_ = 0;  // the block being filled
  std::size_t used_ = 0;   // characters used in it
};

}  // namespace picklock
