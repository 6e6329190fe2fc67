#include "campaigns/regress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <variant>

#include "campaigns/campaign.hpp"
#include "faults/text.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

namespace fs = std::filesystem;

bool is_expected(const Scenario& scenario, Property property, Verdict verdict) {
  const auto e = expected_of(property, scenario);
  return e && e->verdict == verdict && (e->seeds == Seeds::every || e->seeds == Seeds::some);
}

std::vector<Property> kept_properties(const Scenario& scenario) {
  std::vector<Property> violated, holding;
  for (const PropertyInfo& p : properties()) {
    if (is_expected(scenario, p.property, Verdict::violated)) violated.push_back(p.property);
    if (is_expected(scenario, p.property, Verdict::holds)) holding.push_back(p.property);
  }
  return violated.empty() ? holding : violated;
}

std::string names_of(const std::vector<Property>& all) {
  std::vector<std::string_view> names;
  for (const Property p : all) names.push_back(info(p).name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Plays one scenario, and remembers what it takes to tell.
class Trial {
 public:
  Trial(Runner& runner, Regression& result) : runner_(runner), result_(result) {}

  // True if the run fails.
  bool play(std::uint64_t seed) {
    const RunResult& run = runner_.run(seed);
    ++result_.runs;
    if (!run.error.empty()) {
      untested_ = run.error;
      return false;
    }
    bool all_hold = true;
    for (const Property p : result_.properties) {
      const Finding& finding = of(run.findings, p);
      if (finding.verdict == Verdict::violated) {
        ++result_.violated;
        if (!result_.seed) {
          result_.seed = seed;
          shown_ = fmt::format("{}: {}", info(p).name, explain(finding, *run.history, run.judged_with));
        }
        return true;
      }
      if (finding.verdict == Verdict::holds) continue;
      all_hold = false;
      untested_ = fmt::format("{} is {}: {}", info(p).name,
                              finding.verdict == Verdict::undecided ? "undecided" : "not applicable",
                              explain(finding, *run.history, run.judged_with));
    }
    for (std::size_t i = 0; i < run.faults.courses.size(); ++i) {
      const FaultCourse& course = run.faults.courses[i];
      const bool struck = course.strike == Strike::injected;
      if (struck && !run.faults.cuts_off(course)) continue;
      all_hold = false;
      untested_ =
          fmt::format("fault[{}] {}: {}", i, struck ? "is cut off by the end of the load" : "strikes nothing any more",
                      to_text(runner_.scenario().faults[i]));
    }
    result_.tested += all_hold;
    return false;
  }
  const std::string& shown() const { return shown_; }
  const std::string& untested() const { return untested_; }

 private:
  Runner& runner_;
  Regression& result_;
  std::string shown_, untested_;
};

void play_all(Runner& runner, std::optional<std::uint64_t> kept, std::uint64_t others, Regression& result) {
  Trial trial(runner, result);
  if (kept && trial.play(*kept)) {
    result.verdict = Regressed::still_fails;
    result.why = trial.shown();
    return;
  }
  for (std::uint64_t seed = 1; seed <= others; ++seed) {
    if (seed != kept) trial.play(seed);
  }
  if (result.violated > 0) {
    result.verdict = Regressed::still_fails;
    result.why = fmt::format("{}violated on {} of {} seeds; {}", kept ? fmt::format("not on seed {}, but ", *kept) : "",
                             result.violated, result.runs, trial.shown());
  } else if (result.tested == 0) {
    result.why = trial.untested().empty() ? "no run was asked for" : trial.untested();
  } else {
    const bool one = result.properties.size() == 1;
    result.verdict = Regressed::fixed;
    result.why = fmt::format("{} hold{} in {} runs, {} of which put {} to the test", names_of(result.properties),
                             one ? "s" : "", result.runs, result.tested, one ? "it" : "them");
  }
}

std::string said(const ScenarioError& error) {
  ScenarioError without_file = error;
  without_file.file.clear();
  return error.line == 0 ? print(without_file) : fmt::format("line {}: {}", error.line, print(without_file));
}

}  // namespace

Regression regress(const ScenarioFile& file, const RegressOptions& options) {
  Regression result;
  result.scenario = file.file;
  if (!file.ok()) {
    result.why = said(file.errors.front());
    return result;
  }
  result.properties = kept_properties(file.scenario);
  Scenario scenario = file.scenario;
  if (const EditResult edited = edit_scenario(scenario, {options.lock, {}, {}}); !edited.errors.empty()) {
    result.why = said(edited.errors.front());
    return result;
  }
  result.lock = scenario.lock.name;
  result.other_lock = options.lock;
  auto compiled = Runner::compile(scenario);
  if (const auto* const problems = std::get_if<1>(&compiled)) {
    const ScenarioProblem& p = problems->front();
    result.why = said(file.located(p.where, p.found, p.expected, p.nearest));
  } else if (result.properties.empty()) {
    result.why = "the file expects of no property that it is violated, or that it holds";
  } else {
    play_all(*std::get<0>(compiled), file.seed, options.others, result);
  }
  return result;
}

std::vector<Regression> regress_folder(const std::string& folder, const RegressOptions& options) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) throw std::runtime_error(fmt::format("{}: is no folder", folder));
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Regression> all;
  for (const std::string& path : paths) {
    const ScenarioFile file = load_scenario(path);
    all.push_back(regress(file, options));
    if (!file.ok()) continue;
    for (const ScenarioVariant& v : file.variants) {
      all.push_back(regress(load_scenario(path + "/" + v.name), options));
      all.back().scenario = path + "/" + v.name;
    }
  }
  return all;
}

int exit_status(const std::vector<Regression>& all) {
  const auto any = [&](Regressed v) {
    return std::any_of(all.begin(), all.end(), [&](const Regression& r) { return r.verdict == v; });
  };
  return any(Regressed::still_fails) ? 1 : any(Regressed::cannot_tell) ? 3 : 0;
}

}  // namespace picklock
