#include "scenarios/run/tale.hpp"

#include <memory>
#include <utility>
#include <variant>

#include "checker/properties/properties.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

bool play(ToldScenario& told, const ScenarioFile& file, std::vector<ScenarioError>& errors) {
  auto compiled = Runner::compile(told.scenario);
  if (const auto* const problems = std::get_if<1>(&compiled)) {
    for (const ScenarioProblem& p : *problems) errors.push_back(file.located(p.where, p.found, p.expected, p.nearest));
    return false;
  }
  const RunResult& result = std::get<0>(compiled)->run(1);
  for (const Finding& f : result.findings) {
    if (f.verdict == Verdict::violated) told.violated.emplace_back(info(f.property).name);
  }
  told.service = service_in(told.scenario, result);
  told.error = result.error;
  return true;
}

}  // namespace

TaleOrErrors tale_of(const std::string& scenario) {
  TaleOrErrors result;
  const ScenarioFile asked = load_scenario(scenario);
  result.errors = asked.errors;
  if (!asked.ok()) return result;
  // The whole file, whichever of its scenarios was asked for.
  std::string family = scenario, own;
  for (const ScenarioVariant& v : asked.variants) {
    if (v.scenario.name != asked.scenario.name) continue;
    own = v.name;
    family = scenario.substr(0, scenario.size() - own.size() - 1);
  }
  const ScenarioFile file = load_scenario(family);
  std::vector<ToldScenario> all = {{family, file.scenario, {}, {}, {}, {}}};
  for (const ScenarioVariant& v : file.variants)
    all.push_back({family + "/" + v.name, v.scenario, v.settings, {}, {}, {}});
  for (ToldScenario& told : all) {
    if (!play(told, file, result.errors)) return result;
    const bool is_asked_for = told.scenario.name == asked.scenario.name;
    if (is_asked_for) {
      result.tale.told = std::move(told);
    } else {
      result.tale.siblings.push_back(std::move(told));
    }
  }
  return result;
}

}  // namespace picklock
