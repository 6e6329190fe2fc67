#include "scenarios/campaign/sweep.hpp"

namespace picklock {
namespace {

constexpr std::size_t kErrorsKept = 10;

}  // namespace

void CellResult::add(const CellResult& later) {
  for (const auto& [property, other] : later.properties) {
    CellProperty& mine = properties[property];
    mine.tally.add(other.tally);
    mine.not_tested += other.not_tested;
    mine.measures.add(other.measures);
  }
  asked += later.asked;
  granted += later.granted;
  commands += later.commands;
  latency_ns.add(later.latency_ns);
  errors.insert(later.errors.begin(), later.errors.end());
  while (errors.size() > kErrorsKept) errors.erase(std::prev(errors.end()));
}

bool CellResult::is_tested() const {
  return std::all_of(properties.begin(), properties.end(), [](const auto& p) { return p.second.tally.decided() > 0; });
}

bool CellResult::meets(const StopRule& rule) const {
  return rule.any() &&
         std::all_of(properties.begin(), properties.end(), [&](const auto& p) { return rule.is_met(p.second.tally); });
}

std::variant<CellResult, std::vector<ScenarioProblem>> play_cell(const Scenario& scenario, const SeedPlan& plan,
                                                                 const std::vector<Property>& properties,
                                                                 const StopRule& until) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (std::size_t thread = 0; thread < plan.threads(); ++thread) {
    auto compiled = Runner::compile(scenario);
    if (auto* problems = std::get_if<1>(&compiled)) return std::move(*problems);
    runners.push_back(std::move(std::get<0>(compiled)));
  }
  CellResult whole;
  for (const Property p : properties) whole.properties[p];
  const CellResult empty = whole;
  const auto play = [&](std::size_t thread, std::uint64_t seed, CellResult& part) {
    const RunResult& run = runners[thread]->run(seed, {.full_trace = true});
    const Costs costs = costs_of(*runners[thread], run);
    for (auto& [property, mine] : part.properties) {
      const Finding& finding = of(run.findings, property);
      mine.tally.add(finding.verdict, seed);
      mine.not_tested += finding.reason == Reason::vacuous;
      if (finding.verdict == Verdict::violated) mine.measures.add(finding.measure);
    }
    part.asked += costs.asked;
    part.granted += costs.granted;
    part.commands += costs.commands;
    for (const std::int64_t latency : costs.latency_ns) part.latency_ns.add(latency);
    if (!run.error.empty() && part.errors.size() < kErrorsKept) part.errors.emplace(seed, run.error);
  };
  whole.seeds = play_in_order(plan, empty, whole, play, [&](const CellResult& so_far) { return so_far.meets(until); });
  whole.interrupted = whole.seeds < plan.seeds.size() && !whole.meets(until);
  return whole;
}

}  // namespace picklock
