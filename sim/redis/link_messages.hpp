// Messages that a master sends to a replica without being asked; each begins with its tag.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/check.hpp"

namespace picklock::link_message {

inline constexpr char nothing = 'N';   // "I live": to a replica that waits for a snapshot
inline constexpr char goes_on = 'C';   // id; units follow
inline constexpr char snapshot = 'R';  // id, offset, log; units follow
inline constexpr char unit = 'S';      // offset, unit

inline void put_word(std::string& to, std::uint64_t word) {
  to.append(reinterpret_cast<const char*>(&word), sizeof word);
}
inline std::uint64_t word_at(std::string_view from, std::size_t at) {
  std::uint64_t word = 0;
  PICKLOCK_CHECK(at + sizeof word <= from.size());
  std::memcpy(&word, from.data() + at, sizeof word);
  return word;
}

}  // namespace picklock::link_message
