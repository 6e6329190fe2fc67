// The part of a file that a reader looks at: it slides forward, and grows only while one record
// does not fit.  One zero byte follows the last, so a scanner needs no bounds check per character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/io/byte_source.hpp"
#include "checker/io/read_error.hpp"

namespace picklock {

class Window {
 public:
  // Holds at most `limit` unconsumed bytes.
  Window(ByteSource& source, std::size_t limit);

  [[nodiscard]] const char* begin() const { return bytes_.data() + begin_; }
  [[nodiscard]] const char* end() const { return bytes_.data() + end_; }  // *end() == 0

  // No byte follows end().
  [[nodiscard]] bool last() const { return last_; }

  // No further byte fits unless some are consumed.
  [[nodiscard]] bool full() const { return end_ - begin_ >= limit_; }

  // Everything before `to` is done with; positions before it are no longer known.
  void consume(const char* to) { begin_ = static_cast<std::size_t>(to - bytes_.data()); }

  // Reads on, or learns that the end is reached.  Requires !last() and !full().
  // Invalidates pointers; begin() is the same byte as before.
  void extend();

  // Position of a byte between begin() and end(), or one before that extend() has not yet discarded.  Asked in
  // ascending order, each byte is looked at once.
  [[nodiscard]] Position position(const char* at) const;

 private:
  ByteSource& source_;
  std::size_t limit_;
  std::vector<char> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  Position origin_;        // position of bytes_[0]
  mutable Position seen_;  // position of bytes_[seen_at_], the last byte that was asked for
  mutable std::size_t seen_at_ = 0;
  bool last_ = false;
};

}  // namespace picklock
