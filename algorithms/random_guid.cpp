#include "algorithms/random_guid.hpp"

#include <string_view>

namespace picklock {
namespace {

void append_hex(std::string& to, std::uint64_t bits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) to += kDigits[(bits >> shift) & 15U];
}

}  // namespace

std::string random_guid_hex(const Host& host) {
  const std::uint64_t high = host.random(Purpose::lock_value);
  const std::uint64_t low = host.random(Purpose::lock_value);
  std::string hex;
  append_hex(hex, high);
  append_hex(hex, low);
  return hex;
}

std::string random_uuid(const Host& host) {
  std::string uuid = random_guid_hex(host);
  for (const std::size_t place : {8U, 13U, 18U, 23U}) uuid.insert(place, 1, '-');
  return uuid;
}

}  // namespace picklock
