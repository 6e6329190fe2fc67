#include "checker/io/time_unit.hpp"

#include <charconv>
#include <limits>
#include <system_error>

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

  // digits × 10^power
  int power = 0;
  if (const std::size_t e = number.find('e'); e != std::string_view::npos) {
    std::string_view exponent = number.substr(e + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    const char* const end = exponent.data() + exponent.size();
    const auto [stop, error] = std::from_chars(exponent.data(), end, power);
    if (error != std::errc{} || stop != end) return std::nullopt;
    number = number.substr(0, e);
  }
  if (number.empty() || number == ".") return std::nullopt;
  Wide amount = 0;
  bool after_point = false;
  for (const char c : number) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    if (amount > kLargest) {  // digits that far behind the point are below a nanosecond
      if (!after_point) return std::nullopt;
      continue;
    }
    amount = amount * 10 + (c - '0');
    power -= after_point ? 1 : 0;
  }
  amount *= unit;
  for (; power > 0 && amount != 0; --power) {
    if (amount > kLargest) return std::nullopt;
    amount *= 10;
  }
  for (; power < 0 && amount != 0; ++power) amount /= 10;
  if (amount > kLargest) return std::nullopt;
  return static_cast<std::int64_t>(negative ? -amount : amount);
}

}  // namespace picklock
