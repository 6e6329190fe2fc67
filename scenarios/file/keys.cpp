#include "scenarios/file/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/properties/properties.hpp"
#include "checker/properties/sometimes.hpp"
#include "faults/fault_kinds.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/file/values.hpp"

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

std::string escaped(std::string text) {  // a bar would end the table's cell
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string table(const std::vector<FieldText>& fields, std::span<const std::string_view> required = {}) {
  if (fields.empty()) return "No keys of its own.\n\n";
  std::string out = "| key | default | value | meaning |\n|---|---|---|---|\n";
  for (const FieldText& f : fields) {
    const bool needed = std::find(required.begin(), required.end(), f.name) != required.end();
    std::string fallback = needed ? "(to be given)" : fmt::format("`{}`", f.text);
    if (!needed && f.text.empty()) fallback = "(empty)";
    out += fmt::format("| `{}` | {} | {}{}{} | {} |\n", f.name, escaped(fallback), type_text(f),
                       f.range.empty() ? "" : ", ", f.range, escaped(f.help));
  }
  return out + "\n";
}

std::vector<FieldText> list(const AnyFields& fields) {
  FieldLister lister;
  fields.fields(lister);
  return std::move(lister.fields);
}

template <class Kinds>
std::string kinds_text(const Kinds& kinds) {
  std::string out;
  for (const auto& kind : kinds) {
    AnyOptions options(kind.default_options());
    out += fmt::format("#### `{}`\n\n{}.\n\n{}", kind.name, kind.summary, table(list(AnyFields(options))));
  }
  return out;
}

// Leaves out the options, which stand with their kind.
void drop_last(std::vector<FieldText>& fields, AnyOptions options) {
  fields.resize(fields.size() - list(AnyFields(options)).size());
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

std::string describe_scenario_keys() {
  std::string out;
  Scenario scenario = one_of_each();
  for_each_part(scenario, [&](const ScenarioPart& part) {
    const std::string_view path = part.info.path;
    const std::string title = path.empty() ? "Top level" : fmt::format("`{}`", path);
    std::vector<FieldText> fields = list(part.fields);
    if (path == "lock") drop_last(fields, scenario.lock.options);
    if (path == "workload") drop_last(fields, scenario.workload.options);
    out += fmt::format("### {}\n\n{}\n\n{}", title, part.info.help, table(fields, part.info.required));
    if (path == "lock") out += kinds_text(lock_kinds());
    if (path == "workload") out += kinds_text(workload_kinds());
    if (path == "fault") out += kinds_text(fault_kinds());
  });
  out += "#### Properties\n\n| property | meaning |\n|---|---|\n";
  for (const PropertyInfo& p : properties())
    out += fmt::format("| `{}` | {} |\n", p.name, escaped(std::string(p.description)));
  out +=
      "\n### `sometimes`\n\nConditions without which *holds* becomes *undecided*: "
      "`sometimes = [\"contention\"]`.\n\n| condition | true when |\n|---|---|\n";
  for (const SometimesInfo& s : sometimes_conditions()) {
    out += fmt::format("| `{}` | {} |\n", s.name, escaped(std::string(s.description)));
  }
  return out;
}

}  // namespace picklock
