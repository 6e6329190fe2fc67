#include "scenarios/file/differences.hpp"

#include <map>

#include "scenarios/file/parts.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {
namespace {

struct Settings {
  std::vector<std::string> order;
  std::map<std::string, std::string> values;
};

Settings settings_of(Scenario scenario) {
  fill_in_options(scenario);
  Settings settings;
  for_each_part(scenario, [&](const ScenarioPart& part) {
    if (part.info.path == "expect") return;
    FieldLister lister;
    part.fields.fields(lister);
    for (const FieldText& f : lister.fields) {
      std::string path = part.path.empty() ? f.name : part.path + "." + f.name;
      if (settings.values.emplace(path, f.text).second) settings.order.push_back(std::move(path));
    }
  });
  return settings;
}

}  // namespace

std::vector<SettingDifference> differences(const Scenario& a, const Scenario& b) {
  const Settings in_a = settings_of(a), in_b = settings_of(b);
  std::vector<SettingDifference> found;
  for (const std::string& path : in_a.order) {
    const auto other = in_b.values.find(path);
    const std::string& mine = in_a.values.at(path);
    if (other == in_b.values.end()) {
      found.push_back({path, mine, ""});
    } else if (other->second != mine) {
      found.push_back({path, mine, other->second});
    }
  }
  for (const std::string& path : in_b.order) {
    if (!in_a.values.contains(path)) found.push_back({path, "", in_b.values.at(path)});
  }
  return found;
}

}  // namespace picklock
