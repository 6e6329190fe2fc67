#include "scenarios/file/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/file/parts.hpp"

namespace picklock {
namespace {

std::string type_text(const FieldText& f) {
  switch (f.type) {
    case ValueType::boolean:
      return "true or false";
    case ValueType::integer:
      return "integer";
    case ValueType::duration:
      return "duration";
    case ValueType::optional_duration:
      return "duration or none";
    case ValueType::law:
      return "law of durations";
    case ValueType::optional_law:
      return "duration, law of durations, or none";
    case ValueType::string:
      return "string";
    case ValueType::list:
      return "array of names";
    case ValueType::choice:
      break;
  }
  return fmt::format("{}", fmt::join(f.names, ", "));
}

std::vector<FieldText> list(const AnyFields& fields) {
  FieldLister lister;
  fields.fields(lister);
  return std::move(lister.fields);
}

// A scenario with one of each part.
Scenario one_of_each() {
  Scenario s;
  s.clients.resize(1);
  s.links.resize(1);
  s.clocks.resize(1);
  s.faults.resize(1);
  s.overrides.resize(1);
  s.reseeds.resize(1);
  s.expect["mutual-exclusion"] = {};
  fill_in_options(s);
  return s;
}

}  // namespace

bool KeysOfPart::requires_key(std::string_view key) const {
  return std::find(required.begin(), required.end(), key) != required.end();
}

std::vector<FieldText> fields_of(AnyOptions options) { return list(AnyFields(options)); }

std::string values_allowed(const FieldText& field) {
  return fmt::format("{}{}{}", type_text(field), field.range.empty() ? "" : ", ", field.range);
}

std::vector<KeysOfPart> scenario_keys() {
  std::vector<KeysOfPart> all;
  Scenario scenario = one_of_each();
  for_each_part(scenario, [&](const ScenarioPart& part) {
    KeysOfPart keys{part.info.path, part.info.help, list(part.fields), part.info.required};
    const auto drop_options = [&](const AnyOptions& options) {  // options stand with their kind
      keys.keys.resize(keys.keys.size() - fields_of(options).size());
    };
    if (part.info.path == "lock") drop_options(scenario.lock.options);
    if (part.info.path == "workload") drop_options(scenario.workload.options);
    all.push_back(std::move(keys));
  });
  return all;
}

}  // namespace picklock
