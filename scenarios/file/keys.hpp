// The keys of a scenario file, from the fields themselves.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/file/values.hpp"

namespace picklock {

// A table of the file, without the options of its kind of lock, workload or fault.
struct KeysOfPart {
  std::string_view path, help;  // the path is "" at the top of the file
  std::vector<FieldText> keys;
  std::span<const std::string_view> required;  // names of keys without a default

  bool requires_key(std::string_view key) const;
};
std::vector<KeysOfPart> scenario_keys();

std::vector<FieldText> fields_of(AnyOptions options);

// The text names the type or the choices, and the range: "duration, at least 1ms", "no, everysec, always".
std::string values_allowed(const FieldText& field);

}  // namespace picklock
