// Single values as text: from a scenario's strings and from --set, with what is wrong with them.
//
//   bool       true, false                duration           200ms, 1.5s, 0s
//   integer    -3, 1000                   optional duration  the same, or none
//   choice     one of its names           law                5ms..10ms (base/text.hpp)
//   string     itself                 list               x, y
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/task/fields.hpp"

namespace picklock {

struct Complaint {
  std::string found, expected, nearest;
};

// They change the value, or complain.
std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, bool& value);
std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, std::int64_t& value);
std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, Duration& value);
std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, std::optional<Duration>& value);
std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, std::optional<Law>& value);
std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, Law& value);
std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, std::string& value);
std::optional<Complaint> assign_choice(std::string_view text, std::span<const std::string_view> names,
                                       std::size_t& index);
std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, FieldChoice& value);
std::optional<Complaint> assign(const FieldInfo& info, std::string_view text, std::vector<std::string>& value);
std::optional<Complaint> assign_integer(const FieldInfo& info, std::int64_t number, std::int64_t& value);

// "an integer from 1 to 500", "a duration such as 200ms, at least 1ms", …
enum class ValueType : std::uint8_t {  // alternatives in the order of FieldValue
  boolean,
  integer,
  duration,
  optional_duration,
  law,
  optional_law,
  string,
  choice,
  list
};
inline ValueType type_of(const FieldValue& value) { return static_cast<ValueType>(value.index()); }
static_assert(static_cast<std::size_t>(ValueType::list) + 1 == std::variant_size_v<FieldValue>);
std::string expected_value(ValueType type, const FieldInfo& info);
std::string one_of(std::span<const std::string_view> names);  // "one of no, everysec, always"
// "1ms to 2s", "at least 1ms", "at most 2s", or nothing.
std::string range_text(ValueType type, const FieldInfo& info);

// Texts about a field and its value.
struct FieldText {
  std::string name;
  std::string help;
  std::string text;  // the value, as in a file
  std::string range;
  ValueType type{};
  std::span<const std::string_view> names;  // names of a choice
  bool operator==(const FieldText& other) const {
    return name == other.name && text == other.text && type == other.type;
  }
};

// Lists the fields it visits.
class FieldLister final : public FieldVisitor {
 public:
  void visit(const FieldInfo& f, FieldValue value) override;
  std::vector<FieldText> fields;
};

// Gives one field a value.
class FieldAssigner final : public FieldVisitor {
 public:
  FieldAssigner(std::string_view name, std::string_view text) : name_(name), text_(text) {}
  void visit(const FieldInfo& f, FieldValue value) override;
  bool found = false;
  std::optional<Complaint> complaint;

 private:
  std::string_view name_, text_;
};

}  // namespace picklock
