#include "app/playground/settings.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/enum_names.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(ValueType type) {
  switch (type) {
    case ValueType::boolean:
      return "boolean";
    case ValueType::integer:
      return "integer";
    case ValueType::duration:
      return "duration";
    case ValueType::optional_duration:
      return "optional-duration";
    case ValueType::law:
      return "law";
    case ValueType::optional_law:
      return "optional-law";
    case ValueType::string:
      return "string";
    case ValueType::choice:
      return "choice";
    case ValueType::list:
      return "list";
  }
  return "string";
}

void add_part(const ScenarioPart& part, const std::string& path, Json& all) {
  FieldLister is, would_be;
  part.fields.fields(is);
  part.defaults.fields(would_be);
  for (const FieldText& f : is.fields) {
    const bool usual = std::find(would_be.fields.begin(), would_be.fields.end(), f) != would_be.fields.end();
    Json names = Json::array();
    for (const std::string_view name : f.names) names.push_back(name);
    all.push_back({{"path", path.empty() ? f.name : path + "." + f.name},
                   {"part", path},
                   {"of", part.name},
                   {"field", f.name},
                   {"help", f.help},
                   {"type", name_of(f.type)},
                   {"value", f.text},
                   {"range", f.range},
                   {"names", names},
                   {"said", !usual}});
  }
}

}  // namespace

Json settings_json(Scenario scenario, const Scenario& file) {
  for (const ClientSpec& c : scenario.clients) {
    const std::string& machine = c.machine_name();
    const bool has_clocks = std::any_of(scenario.clocks.begin(), scenario.clocks.end(),
                                        [&](const ClockSpec& clock) { return clock.node == machine; });
    if (!has_clocks) scenario.clocks.emplace_back().node = machine;
  }
  Json all = Json::array();
  std::size_t clocks = 0;
  for_each_part(scenario, [&](const ScenarioPart& part) {
    const bool made = part.info.path == "clock" && clocks++ >= file.clocks.size();
    add_part(part, made ? "clock." + std::string(part.name) : part.path, all);
  });
  return all;
}

}  // namespace picklock
