#include "algorithms/random_guid.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace picklock {
namespace {

using Hex = std::array<char, 32>;

void write_hex(char* to, std::uint64_t bits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t i = 0; i < sizeof(Hex) / 2; ++i) {
    to[i] = kDigits[bits >> 60];
    bits <<= 4;
  }
}

Hex random_hex(const Host& host) {
  Hex hex;
  write_hex(hex.data(), host.random(Purpose::lock_value));
  write_hex(hex.data() + sizeof(Hex) / 2, host.random(Purpose::lock_value));
  return hex;
}

}  // namespace

std::string random_guid_hex(const Host& host) {
  const Hex hex = random_hex(host);
  return {hex.begin(), hex.end()};
}

std::string random_uuid(const Host& host) {
  const Hex hex = random_hex(host);
  std::string uuid(hex.size() + 4, '-');
  auto from = hex.begin();
  auto to = uuid.begin();
  for (const int size : {8, 4, 4, 4, 12}) {
    if (from != hex.begin()) ++to;  // a dash
    to = std::copy(from, from + size, to);
    from += size;
  }
  return uuid;
}

}  // namespace picklock
