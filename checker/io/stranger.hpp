// Files that are no history as they are: packed by something else than gzip, in another encoding, or not text at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace picklock {

struct Stranger {
  std::size_t at = 0;  // the byte that gives it away
  std::string what;    // "a file packed by zstd"
  std::string wanted;  // the expected word, and how to find it
};

// Bytes that `stranger_in` wants to see, unless the file is shorter.
inline constexpr std::size_t kStrangerBytes = 512;

// Judges by the first bytes of the file, unpacked if it was packed by gzip.  Nothing: it may well be a history.
std::optional<Stranger> stranger_in(std::string_view begin);

}  // namespace picklock
