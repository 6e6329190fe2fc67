#include "sim/redis/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

namespace picklock {

bool parse_redis_digits(std::string_view text, std::int64_t& value) {
  if (text.empty() || text.size() > 20) return false;
  if (text[0] == '0') {
    value = 0;
    return text.size() == 1;
  }
  const char first_digit = text[0] == '-' ? (text.size() > 1 ? text[1] : '0') : text[0];
  if (first_digit < '1' || first_digit > '9') return false;
  constexpr std::size_t kSafeDigits = 18;  // any number of as many fits
  if (text.size() > kSafeDigits) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }
  std::int64_t number = 0;
  for (const char c : text.substr(text[0] == '-' ? 1 : 0)) {
    const auto digit = static_cast<unsigned>(c - '0');
    if (digit > 9) return false;
    number = number * 10 + digit;
  }
  value = text[0] == '-' ? -number : number;
  return true;
}

namespace {

bool read_double(std::string_view text, double& value) {
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
#else  // a standard library whose from_chars knows integers only
  static constexpr std::string_view kBegin = "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const std::string digits(text);
  const std::string_view unsigned_text = text.substr(text.starts_with('-') ? 1 : 0);
  const bool hexadecimal = unsigned_text.starts_with("0x") || unsigned_text.starts_with("0X");
  if (text.empty() || kBegin.find(text[0]) == std::string_view::npos || hexadecimal) return false;
  char* end = nullptr;
  value = std::strtod(digits.c_str(), &end);
  const bool too_large = std::isinf(value) && unsigned_text.find_first_of("0123456789") != std::string_view::npos;
  return end == digits.c_str() + digits.size() && !too_large;
#endif
}

}  // namespace

bool parse_redis_score(std::string_view text, double& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  if (!read_double(text, value)) return false;
  value += 0.0;  // there is no negative zero
  return !std::isnan(value);
}

RedisText format_redis_score(double value) {
  if (std::isinf(value)) return RedisText(value > 0 ? "inf" : "-inf");
  char digits[40];
  const int size = std::snprintf(digits, sizeof digits, "%.17g", value);
  return RedisText(std::string_view(digits, static_cast<std::size_t>(size)));
}

namespace {

// Takes one class in brackets off the pattern; whether it has this letter. One without an end lasts to the pattern's end.
bool takes_class(std::string_view& pattern, char letter) {
  pattern.remove_prefix(1);
  const bool excludes = !pattern.empty() && pattern[0] == '^';
  if (excludes) pattern.remove_prefix(1);
  bool found = false;
  while (!pattern.empty() && pattern[0] != ']') {
    if (pattern[0] == '\\' && pattern.size() >= 2) {
      found = found || pattern[1] == letter;
      pattern.remove_prefix(2);
    } else if (pattern.size() >= 3 && pattern[1] == '-') {
      const auto ends = std::minmax(pattern[0], pattern[2]);
      found = found || (letter >= ends.first && letter <= ends.second);
      pattern.remove_prefix(3);
    } else {
      found = found || pattern[0] == letter;
      pattern.remove_prefix(1);
    }
  }
  if (!pattern.empty()) pattern.remove_prefix(1);
  return found != excludes;
}

}  // namespace

// After a star each end of the text is tried; the last star alone needs it, since an earlier one may take as little as it can.
bool matches_redis_pattern(std::string_view text, std::string_view pattern) {
  std::string_view after_star, text_after_star;
  bool starred = false;
  while (true) {
    if (!pattern.empty() && pattern[0] == '*') {
      pattern.remove_prefix(1);
      after_star = pattern, text_after_star = text, starred = true;
      continue;
    }
    if (text.empty()) return pattern.empty();
    bool same = !pattern.empty();
    if (same && pattern[0] == '[') {
      same = takes_class(pattern, text[0]);
    } else if (same) {
      const bool quoted = pattern[0] == '\\' && pattern.size() >= 2;
      same = (!quoted && pattern[0] == '?') || pattern[quoted ? 1 : 0] == text[0];
      pattern.remove_prefix(quoted ? 2 : 1);
    }
    if (same) {
      text.remove_prefix(1);
    } else if (starred && !text_after_star.empty()) {
      text_after_star.remove_prefix(1);
      text = text_after_star, pattern = after_star;
    } else {
      return false;
    }
  }
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

}  // namespace picklock
