#include "checker/io/time_unit.hpp"

#include <limits>

namespace picklock {

std::optional<std::int64_t> time_unit_named(std::string_view name) {
  if (name == "ns") return 1;
  if (name == "us") return 1'000;
  if (name == "ms") return 1'000'000;
  if (name == "s") return 1'000'000'000;
  return std::nullopt;
}

std::optional<std::int64_t> in_nanoseconds(std::string_view number, std::int64_t unit) {
  __extension__ using Wide = __int128;
  constexpr Wide kLargest = std::numeric_limits<std::int64_t>::max();
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  if (number.empty()) return std::nullopt;
  Wide whole = 0;
  Wide fraction = 0;
  std::int64_t place = unit;
  bool after_point = false;
  for (const char c : number) {
    if (c == '.' && !after_point) {
      after_point = true;
    } else if (c < '0' || c > '9' || whole > kLargest) {
      return std::nullopt;
    } else if (after_point) {
      place /= 10;
      fraction += Wide{c - '0'} * place;
    } else {
      whole = whole * 10 + (c - '0');
    }
  }
  const Wide all = whole * unit + fraction;
  if (all > kLargest) return std::nullopt;
  return static_cast<std::int64_t>(negative ? -all : all);
}

}  // namespace picklock
