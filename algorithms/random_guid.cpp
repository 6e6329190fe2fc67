#include "algorithms/random_guid.hpp"

#include <string_view>

namespace picklock {
namespace {

void append_hex(std::string& to, std::uint64_t bits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  char digits[16];
  for (char& digit : digits) {
    digit = kDigits[bits >> 60];
    bits <<= 4;
  }
  to.append(digits, sizeof digits);
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
  const std::string hex = random_guid_hex(host);
  std::string uuid;
  uuid.reserve(hex.size() + 4);
  for (std::size_t from = 0; const std::size_t size : {8U, 4U, 4U, 4U, 12U}) {
    if (from != 0) uuid += '-';
    uuid.append(hex, from, size);
    from += size;
  }
  return uuid;
}

}  // namespace picklock
