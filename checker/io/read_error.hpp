// The one exception of the readers: where, what was found there, and what was expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace picklock {

struct Position {
  std::uint64_t line = 1;
  std::uint64_t column = 1;  // column in characters (code points); the first is 1

  friend bool operator==(const Position&, const Position&) = default;
};

class ReadError : public std::runtime_error {
 public:
  ReadError(std::string file_name, Position position, std::string what_was_found, std::string what_was_expected);

  std::string file;
  std::uint64_t line = 0;  // 0: the file as a whole, e.g. it cannot be opened
  std::uint64_t column = 0;
  std::string found;
  std::string expected;
};

// Limits that keep a hostile or broken file from taking the memory or the stack.
struct ReadLimits {
  int depth = 128;                        // most nesting of collections
  std::size_t token = 1u << 20;           // most bytes of one string, symbol or number
  std::size_t record = 16u * (1u << 20);  // most bytes of one record
  std::size_t sorted = 0;                 // most bytes of events that wait to be sorted by time; 0: no limit
};

}  // namespace picklock
