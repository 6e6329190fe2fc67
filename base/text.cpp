#include "base/text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

namespace picklock {
namespace {

__extension__ using WideInt = __int128;

struct Unit {
  std::string_view name;
  std::int64_t ns;
};
constexpr std::array<Unit, 6> kUnits = {{{"h", 3'600'000'000'000},
                                         {"min", 60'000'000'000},
                                         {"s", 1'000'000'000},
                                         {"ms", 1'000'000},
                                         {"us", 1'000},
                                         {"ns", 1}}};

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::size_t kMostDigits = 19;

// A decimal number as an integer multiple of 10^-9, or nothing.
std::optional<WideInt> parse_decimal(std::string_view s) {
  WideInt value = 0;
  std::size_t i = 0;
  for (; i < s.size() && is_digit(s[i]); ++i) {
    if (i >= kMostDigits) return std::nullopt;
    value = value * 10 + (s[i] - '0');
  }
  if (i == 0) return std::nullopt;
  std::size_t decimals = 0;
  if (i < s.size() && s[i] == '.') {
    for (++i; i < s.size() && is_digit(s[i]); ++i, ++decimals) {
      if (decimals >= 9) return std::nullopt;
      value = value * 10 + (s[i] - '0');
    }
    if (decimals == 0) return std::nullopt;
  }
  if (i != s.size()) return std::nullopt;
  for (; decimals < 9; ++decimals) value *= 10;
  return value;
}

// "name(a, b, c)" → its arguments, if `text` has that form and 2 to 3 of them.
std::optional<std::array<std::string_view, 3>> call_arguments(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.ends_with(')')) return std::nullopt;
  text.remove_prefix(name.size());
  text = trim(text);
  if (text.empty() || text.front() != '(') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::array<std::string_view, 3> arguments{};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t comma = text.find(',');
    arguments[i] = trim(text.substr(0, comma));
    if (comma == std::string_view::npos) return arguments;
    text.remove_prefix(comma + 1);
  }
  return std::nullopt;
}

std::optional<Duration> parse_cap(std::string_view s) {
  if (!s.starts_with("cap ")) return std::nullopt;
  return parse_duration(s.substr(4));
}

std::optional<Law> parse_table(std::string_view text) {
  std::vector<Law::Choice> choices;
  std::uint64_t total = 0;
  for (;;) {
    const std::size_t bar = text.find('|');
    const std::string_view entry = trim(text.substr(0, bar));
    const std::size_t colon = entry.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto value = parse_duration(trim(entry.substr(0, colon)));
    const std::string_view weight_text = trim(entry.substr(colon + 1));
    std::uint32_t weight = 0;
    const char* const end = weight_text.data() + weight_text.size();
    const auto parsed = std::from_chars(weight_text.data(), end, weight);
    if (!value || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    choices.push_back({value->ns, weight});
    total += weight;
    if (bar == std::string_view::npos) break;
    text.remove_prefix(bar + 1);
  }
  if (total == 0) return std::nullopt;
  return Law::table(std::move(choices));
}

std::optional<std::int32_t> parse_milli(std::string_view s) {
  const auto value = parse_decimal(s);
  if (!value || *value % 1'000'000 != 0) return std::nullopt;
  const WideInt milli = *value / 1'000'000;
  if (milli < 100 || milli > 10'000) return std::nullopt;
  return static_cast<std::int32_t>(milli);
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  text = trim(text);
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::size_t number = 0;
  while (number < text.size() && (is_digit(text[number]) || text[number] == '.')) ++number;
  const auto value = parse_decimal(text.substr(0, number));
  if (!value) return std::nullopt;
  const std::string_view unit = trim(text.substr(number));
  for (const Unit& u : kUnits) {
    if (u.name != unit) continue;
    if (*value > std::numeric_limits<WideInt>::max() / u.ns) return std::nullopt;
    const WideInt scaled = *value * u.ns;
    if (scaled % 1'000'000'000 != 0) return std::nullopt;  // finer than a nanosecond
    const WideInt ns = scaled / 1'000'000'000;
    if (ns > kForever.ns) return std::nullopt;
    return Duration{static_cast<std::int64_t>(negative ? -ns : ns)};
  }
  if (*value == 0 && unit.empty()) return Duration{};
  return std::nullopt;
}

bool is_too_long_a_duration(std::string_view text) {
  text = trim(text);
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return false;
  std::string_view whole = text.substr(0, digits), rest = text.substr(digits);
  if (rest.starts_with('.')) {  // less than one unit does not matter for a length of years
    const std::size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
    if (end == 1) return false;
    rest.remove_prefix(end);
  }
  const std::string_view unit = trim(rest);
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  for (const Unit& u : kUnits) {
    if (u.name != unit) continue;
    if (whole.size() > kMostDigits) return true;
    const auto count = parse_decimal(whole);
    return count && *count / 1'000'000'000 >= kForever.ns / u.ns && !parse_duration(text);
  }
  return false;
}

std::string to_text(Duration d) {
  if (d.ns == 0) return "0s";
  const bool negative = d.ns < 0;
  const std::uint64_t ns = negative ? 0 - static_cast<std::uint64_t>(d.ns) : static_cast<std::uint64_t>(d.ns);
  // The largest unit that needs no decimals, or seconds and less with up to three of them.
  for (const Unit& u : kUnits) {
    const auto unit = static_cast<std::uint64_t>(u.ns);
    if (ns % unit == 0) return fmt::format("{}{}{}", negative ? "-" : "", ns / unit, u.name);
    if (ns >= unit && unit >= 1000 && u.ns <= 1'000'000'000 && ns % (unit / 1000) == 0) {
      std::string decimals = fmt::format("{:03}", ns % unit / (unit / 1000));
      while (decimals.back() == '0') decimals.pop_back();
      return fmt::format("{}{}.{}{}", negative ? "-" : "", ns / unit, decimals, u.name);
    }
  }
  return {};  // not reached: every count is a multiple of 1 ns
}

std::optional<Law> parse_duration_law(std::string_view text) {
  text = trim(text);
  if (const auto a = call_arguments(text, "exp")) {
    const auto mean = parse_duration((*a)[0]);
    const auto cap = parse_cap((*a)[1]);
    if (!mean || !cap || mean->ns < 0 || cap->ns < 0 || !(*a)[2].empty()) return std::nullopt;
    return Law::exponential(mean->ns, cap->ns);
  }
  if (const auto a = call_arguments(text, "pareto")) {
    const auto least = parse_duration((*a)[0]);
    const auto alpha = parse_milli((*a)[1]);
    const auto cap = parse_cap((*a)[2]);
    if (!least || !alpha || !cap || least->ns < 0 || *least > *cap) return std::nullopt;
    return Law::heavy_tailed(least->ns, *alpha, cap->ns);
  }
  if (text.find(':') != std::string_view::npos) return parse_table(text);
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const auto d = parse_duration(text);
    return d ? std::optional(Law::constant(*d)) : std::nullopt;
  }
  const auto low = parse_duration(text.substr(0, dots));
  const auto high = parse_duration(text.substr(dots + 2));
  if (!low || !high || *low > *high) return std::nullopt;
  return Law::uniform(*low, *high);
}

std::string to_text(const Law& law) {
  const auto text = [](std::int64_t ns) { return to_text(Duration{ns}); };
  switch (law.kind()) {
    case Law::Kind::constant:
      return text(law.low());
    case Law::Kind::uniform:
      return fmt::format("{}..{}", text(law.low()), text(law.high()));
    case Law::Kind::exponential:
      return fmt::format("exp({}, cap {})", text(law.scale()), text(law.high()));
    case Law::Kind::heavy_tailed: {
      std::string alpha = fmt::format("{}.{:03}", law.alpha_milli() / 1000, law.alpha_milli() % 1000);
      while (alpha.back() == '0') alpha.pop_back();
      if (alpha.back() == '.') alpha.pop_back();
      return fmt::format("pareto({}, {}, cap {})", text(law.scale()), alpha, text(law.high()));
    }
    case Law::Kind::table:
      break;
  }
  std::string all;
  for (const Law::Choice& c : law.choices()) {
    all += fmt::format("{}{}:{}", all.empty() ? "" : " | ", text(c.value), c.weight);
  }
  return all;
}

std::string to_readable(Duration d) {
  const std::uint64_t ns = d.ns < 0 ? 0 - static_cast<std::uint64_t>(d.ns) : static_cast<std::uint64_t>(d.ns);
  const char* const sign = d.ns < 0 ? "-" : "";
  if (ns == 0) return "0 ms";
  const auto decimal = [&](std::uint64_t unit, std::string_view name) {
    std::string s = fmt::format("{}{}.{:03}", sign, ns / unit, ns % unit / (unit / 1000));
    while (s.back() == '0') s.pop_back();
    if (s.back() == '.') s.pop_back();
    return fmt::format("{} {}", s, name);
  };
  if (ns < 1'000) return fmt::format("{}{} ns", sign, ns);
  if (ns < 1'000'000) return decimal(1'000, "us");
  if (ns < 10'000'000'000) return decimal(1'000'000, "ms");
  return decimal(1'000'000'000, "s");
}

}  // namespace picklock
