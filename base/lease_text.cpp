#include "base/lease_text.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/iso_time.hpp"

namespace picklock {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::size_t after_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

// Behind the closing quote of the text that begins at `at`.
std::size_t after_text(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\';
  return std::min(at + 1, text.size());
}

// Behind the value that begins at `at`: a text, a number, a word, or what is nested.
std::size_t after_value(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = after_text(text, at);
      if (depth == 0) return at;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    const bool ends_outside = depth < 0 || (depth == 0 && c == ',');
    if (ends_outside) return at;
    ++at;
    if (depth == 0 && (c == '}' || c == ']')) return at;
  }
  return at;
}

std::string_view without_blanks_behind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace

std::optional<std::string_view> json_member(std::string_view object, std::string_view name) {
  std::size_t at = after_blanks(object, 0);
  if (at == object.size() || object[at] != '{') return std::nullopt;
  for (++at; (at = after_blanks(object, at)) < object.size() && object[at] == '"';) {
    const std::size_t begins = at + 1;
    at = after_text(object, at);
    const std::string_view key = object.substr(begins, at - 1 - begins);
    at = after_blanks(object, at);
    if (at == object.size() || object[at] != ':') return std::nullopt;
    at = after_blanks(object, at + 1);
    const std::size_t value = at;
    at = after_value(object, at);
    if (key == name) {
      const std::string_view found = without_blanks_behind(object.substr(value, at - value));
      const bool quoted = found.size() >= 2 && found.front() == '"' && found.back() == '"';
      return quoted ? found.substr(1, found.size() - 2) : found;
    }
    at = after_blanks(object, at);
    if (at < object.size() && object[at] == ',') ++at;
  }
  return std::nullopt;
}

std::optional<std::int64_t> decimal_ns(std::string_view text, Duration unit) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view rest = point < text.size() ? text.substr(point + 1) : std::string_view();
  const auto digits_alone = [](std::string_view t) {
    return std::all_of(t.begin(), t.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (whole.empty() || !digits_alone(whole) || !digits_alone(rest)) return std::nullopt;
  std::int64_t ns = 0;
  for (const char c : whole) {
    if (__builtin_mul_overflow(ns, std::int64_t{10}, &ns) || __builtin_add_overflow(ns, c - '0', &ns))
      return std::nullopt;
  }
  if (__builtin_mul_overflow(ns, unit.ns, &ns)) return std::nullopt;
  std::int64_t worth = unit.ns;  // worth of the current digit
  for (const char c : rest) {
    worth /= 10;
    if (__builtin_add_overflow(ns, worth * (c - '0'), &ns)) return std::nullopt;
  }
  return negative ? -ns : ns;
}

std::optional<LeaseSaid> read_lease(const LeaseText& form, std::string_view text) {
  LeaseSaid said;
  if (!form.owner.empty()) {
    const auto owner = json_member(text, form.owner);
    if (!owner) return std::nullopt;
    said.owner = hash_of(*owner);
  }
  const auto time = form.time.empty() ? std::optional(text) : json_member(text, form.time);
  if (!time) return std::nullopt;
  const auto ns = form.iso ? iso_time(*time) : decimal_ns(*time, form.unit);
  if (!ns) return std::nullopt;
  said.time_ns = *ns;
  return said;
}

}  // namespace picklock
