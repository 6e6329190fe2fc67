#include "base/iso_time.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <limits>

namespace picklock {
namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

// Takes pieces off the front of a text.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }

  // Reads exactly `digits` digits.
  std::optional<int> number(std::size_t digits) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (!is_decimal(c)) return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }

  bool one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool next_is_digit() const { return !rest_.empty() && is_decimal(rest_[0]); }

  // Digits behind a point as nanoseconds; nothing if they are missing.
  std::optional<std::int64_t> fraction() {
    if (!next_is_digit()) return std::nullopt;
    std::int64_t nanoseconds = 0, unit = 100'000'000;
    for (; next_is_digit(); rest_.remove_prefix(1), unit /= 10) nanoseconds += (rest_[0] - '0') * unit;
    return nanoseconds;
  }

 private:
  std::string_view rest_;
};

struct TimeOfDay {
  int hour = 0, minute = 0, second = 0;
  std::int64_t nanoseconds = 0;
};

std::optional<std::chrono::sys_days> date_in(Pieces& text) {
  const auto year = text.number(4);
  const bool dashes = text.one_of("-");
  const auto month = text.number(2);
  if (dashes && !text.one_of("-")) return std::nullopt;
  const auto day = text.number(2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year < 1678 || *year > 2261) return std::nullopt;
  return std::chrono::sys_days(date);
}

// hh:mm, hh:mm:ss or hh:mm:ss.f, with or without colons.
std::optional<TimeOfDay> time_in(Pieces& text) {
  TimeOfDay time;
  const auto hour = text.number(2);
  const bool colons = text.one_of(":");
  const auto minute = text.number(2);
  if (!hour || !minute || *hour > 23 || *minute > 59) return std::nullopt;
  time.hour = *hour;
  time.minute = *minute;
  if (colons ? !text.one_of(":") : !text.next_is_digit()) return time;
  const auto second = text.number(2);
  if (!second || *second > 60) return std::nullopt;
  time.second = *second;
  if (!text.one_of(".,")) return time;
  const auto fraction = text.fraction();
  if (!fraction) return std::nullopt;
  time.nanoseconds = *fraction;
  return time;
}

// Z, +hh, +hhmm or +hh:mm, in seconds; none is UTC.
std::optional<std::int64_t> zone_in(Pieces& text) {
  if (text.done() || text.one_of("Zz")) return 0;
  const bool west = text.one_of("-");
  if (!west && !text.one_of("+")) return std::nullopt;
  const auto hours = text.number(2);
  std::optional<int> minutes = 0;
  if (text.one_of(":") || text.next_is_digit()) minutes = text.number(2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::int64_t seconds = *hours * 3600 + *minutes * 60;
  return west ? -seconds : seconds;
}

}  // namespace

std::optional<std::int64_t> iso_time(std::string_view text) {
  constexpr std::int64_t kDay = 86'400, kSecond = 1'000'000'000;
  Pieces pieces(text);
  const auto date = date_in(pieces);
  if (!date || !pieces.one_of("Tt ")) return std::nullopt;
  const auto time = time_in(pieces);
  const auto zone = time ? zone_in(pieces) : std::nullopt;
  if (!zone || !pieces.done()) return std::nullopt;
  const std::int64_t seconds =
      date->time_since_epoch().count() * kDay + time->hour * 3600 + time->minute * 60 + time->second - *zone;
  return seconds * kSecond + time->nanoseconds;
}

std::string iso_text(std::int64_t nanoseconds) {
  constexpr std::int64_t kDay = 86'400'000'000'000, kSecond = 1'000'000'000;
  const std::int64_t of_day = (nanoseconds % kDay + kDay) % kDay;
  const std::int64_t day = nanoseconds / kDay - (nanoseconds % kDay < 0 ? 1 : 0);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  const std::int64_t seconds = of_day / kSecond;
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), seconds / 3600,
                                 seconds / 60 % 60, seconds % 60);
  if (of_day % kSecond != 0) {
    text += fmt::format(".{:09}", of_day % kSecond);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + "Z";
}

}  // namespace picklock
