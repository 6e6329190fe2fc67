#include "scenarios/file/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "scenarios/file/error.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kNoLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kNoMost = std::numeric_limits<std::int64_t>::max();
constexpr Duration kLongest = seconds(kForever.ns / 1'000'000'000 / 3600 * 3600);  // whole hours are easy to read

bool in_range(const FieldInfo& info, std::int64_t v) { return info.least <= v && v <= info.most; }

// Is one of the durations in it longer than a run can count with?
bool has_too_long_a_duration(std::string_view law) {
  constexpr std::string_view kBetween = "(),:|";
  std::string words(law);
  for (std::size_t dots; (dots = words.find("..")) != std::string::npos;) words.replace(dots, 2, "|");
  for (std::string_view rest = words; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find_first_of(kBetween));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const std::size_t number = std::min(word.find_first_of("-0123456789"), word.size());  // behind "cap "
    if (is_too_long_a_duration(word.substr(number))) return true;
  }
  return false;
}

std::optional<Complaint> complain(std::string_view text, ValueType type, const FieldInfo& info) {
  const bool duration = type == ValueType::duration || type == ValueType::optional_duration || type == ValueType::law ||
                        type == ValueType::optional_law;
  if (duration && has_too_long_a_duration(text)) {
    return Complaint{fmt::format("{}, which is too long", quoted(text)),
                     fmt::format("a duration of at most {}", to_text(Duration{std::min(info.most, kLongest.ns)})),
                     {}};
  }
  return Complaint{quoted(text), expected_value(type, info), {}};
}

}  // namespace

std::string range_text(ValueType type, const FieldInfo& info) {
  const auto text = [&](std::int64_t v) {
    return type == ValueType::integer ? fmt::format("{}", v) : to_text(Duration{v});
  };
  const bool least = info.least != kNoLeast, most = info.most != kNoMost;
  if (least && most) return fmt::format("{} to {}", text(info.least), text(info.most));
  if (least) return fmt::format("at least {}", text(info.least));
  return most ? fmt::format("at most {}", text(info.most)) : "";
}

std::string expected_value(ValueType type, const FieldInfo& info) {
  std::string what;
  switch (type) {
    case ValueType::boolean:
      return "true or false";
    case ValueType::string:
      return "a string";
    case ValueType::choice:
      return "a name";
    case ValueType::list:
      return "an array of names such as [\"x\", \"y\"]";
    case ValueType::integer:
      what = "an integer";
      break;
    case ValueType::duration:
      what = "a duration such as \"200ms\"";
      break;
    case ValueType::optional_duration:
      what = "a duration such as \"200ms\", or \"none\"";
      break;
    case ValueType::law:
      what = "a duration or a law such as \"5ms..10ms\"";
      break;
    case ValueType::optional_law:
      what = "a duration such as \"200ms\", a law such as \"5ms..10ms\", or \"none\"";
      break;
  }
  const std::string range = range_text(type, info);
  const bool both = info.least != kNoLeast && info.most != kNoMost;
  return range.empty() ? what : fmt::format("{}{} {}", what, both ? " from" : ",", range);
}

std::string one_of(std::span<const std::string_view> names) {
  constexpr std::size_t kMostListed = 32;  // a longer list is of no use in a message
  if (names.size() > kMostListed) return fmt::format("one of {} names (picklock list shows them)", names.size());
  return names.size() == 1 ? std::string(names[0]) : fmt::format("one of {}", fmt::join(names, ", "));
}

std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, bool& value) {
  if (text != "true" && text != "false") return complain(text, ValueType::boolean, info);
  value = text == "true";
  return std::nullopt;
}

std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, std::int64_t& value) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !in_range(info, number)) {
    return complain(text, ValueType::integer, info);
  }
  value = number;
  return std::nullopt;
}

std::optional<Complaint> assign_integer(const FieldInfo& info, std::int64_t number, std::int64_t& value) {
  if (!in_range(info, number)) {
    return Complaint{fmt::format("{}", number), expected_value(ValueType::integer, info), {}};
  }
  value = number;
  return std::nullopt;
}

std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, Duration& value) {
  const auto duration = parse_duration(text);
  if (!duration || !in_range(info, duration->ns)) return complain(text, ValueType::duration, info);
  value = *duration;
  return std::nullopt;
}

std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, std::optional<Duration>& value) {
  if (text == "none") {
    value.reset();
    return std::nullopt;
  }
  const auto duration = parse_duration(text);
  if (!duration || !in_range(info, duration->ns)) return complain(text, ValueType::optional_duration, info);
  value = duration;
  return std::nullopt;
}

std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, Law& value) {
  auto law = parse_duration_law(text);
  if (!law || !in_range(info, law->low()) || !in_range(info, law->high())) {
    return complain(text, ValueType::law, info);
  }
  value = std::move(*law);
  return std::nullopt;
}

std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, std::optional<Law>& value) {
  if (text == "none") {
    value.reset();
    return std::nullopt;
  }
  auto law = parse_duration_law(text);
  if (!law || !in_range(info, law->low()) || !in_range(info, law->high())) {
    return complain(text, ValueType::optional_law, info);
  }
  value = std::move(law);
  return std::nullopt;
}

std::optional<Complaint> assign(const FieldInfo&, std::string_view text, std::string& value) {
  if (!valid_utf8(text)) return Complaint{quoted(text), "text in UTF-8", {}};
  value = text;
  return std::nullopt;
}

std::optional<Complaint> assign_choice(std::string_view text, std::span<const std::string_view> names,
                                       std::size_t& index) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != text) continue;
    index = i;
    return std::nullopt;
  }
  return Complaint{quoted(text), one_of(names), std::string(nearest_name(text, names).value_or(""))};
}

std::optional<Complaint> assign(const FieldInfo&, std::string_view text, FieldChoice& value) {
  return assign_choice(text, value.names, value.index);
}

std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, std::vector<std::string>& value) {
  std::string names;
  auto complaint = assign(info, text, names);
  if (!complaint) value = parse_list(names);
  return complaint;
}

void FieldLister::visit(const FieldInfo& f, FieldValue value) {
  FieldText field;
  field.name = f.name;
  field.help = f.help;
  field.text = field_text(value);
  field.type = type_of(value);
  field.range = range_text(field.type, f);
  if (const auto* const choice = std::get_if<FieldChoice*>(&value)) field.names = (*choice)->names;
  fields.push_back(std::move(field));
}

void FieldAssigner::visit(const FieldInfo& f, FieldValue value) {
  if (f.name != name_ || found) return;
  found = true;
  complaint = std::visit([&](auto* v) { return assign(f, text_, *v); }, value);
}

}  // namespace picklock
