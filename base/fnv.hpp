// FNV-1a (Fowler, Noll, Vo): a hash of texts whose values are published, and so may be part of a result.
#pragma once

#include <cstdint>
#include <string_view>

namespace picklock {

// `h`: the hash of the text before, to continue from.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t h = 0xcbf29ce484222325) {
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

}  // namespace picklock
