#include "scenarios/campaign/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "scenarios/file/differences.hpp"
#include "services/service.hpp"

namespace picklock {
namespace {

constexpr std::size_t kErrorsShown = 10, kMostDifferences = 5;

// Whether `path` is `prefix` or lies below it.
bool lies_below(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) &&
         (path.size() == prefix.size() || path[prefix.size()] == '.' || path[prefix.size()] == '[');
}

bool may_differ(std::string_view path, std::span<const std::string> also) {
  bool may = lies_below(path, "lock") || lies_below(path, "storage");
  for_each_service_table([&](const ServiceTable& table) { may = may || lies_below(path, table.name); });
  return may || std::any_of(also.begin(), also.end(), [&](const std::string& p) { return lies_below(path, p); });
}

std::string value_or_absent(const std::string& value) { return value.empty() ? "absent" : "'" + value + "'"; }

// One run, as far as it is compared.
struct RunOutcome {
  std::vector<Verdict> verdicts;  // of the compared properties
  std::uint64_t granted = 0, commands = 0;
  std::int64_t latency_ns = 0;
};

// The results of some seeds.
class Results {
 public:
  explicit Results(const std::vector<Property>& properties, std::size_t contestants)
      : properties_(properties), contestants_(contestants), against_first_(contestants - 1), pair_(contestants) {
    for (Opposition& o : against_first_) {
      for (const Property p : properties_) o.properties.emplace_back().property = p;
    }
  }

  // All contestants in their order, for each seed.
  void add(std::size_t contestant, const RunResult& run, const Costs& costs) {
    ContestantResult& mine = contestants_[contestant];
    RunOutcome& outcome = pair_[contestant];
    outcome.verdicts.clear();
    for (const Property p : properties_) {
      const Finding& finding = of(run.findings, p);
      mine.tallies[p].add(finding.verdict, run.seed);
      mine.not_tested[p] += finding.reason == Reason::vacuous;
      outcome.verdicts.push_back(finding.verdict);
    }
    outcome.granted = costs.granted;
    outcome.commands = costs.commands;
    outcome.latency_ns = std::accumulate(costs.latency_ns.begin(), costs.latency_ns.end(), std::int64_t{0});
    mine.asked += costs.asked;
    mine.granted += costs.granted;
    mine.commands += costs.commands;
    mine.latency_ns += outcome.latency_ns;
    if (!run.error.empty() && mine.errors.size() < kErrorsShown) mine.errors.emplace(run.seed, run.error);
    if (contestant > 0) add_pair(against_first_[contestant - 1], pair_[0], outcome, run.seed);
  }

  // Of later seeds.
  void add(const Results& later) {
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      ContestantResult& mine = contestants_[i];
      const ContestantResult& other = later.contestants_[i];
      for (const auto& [property, tally] : other.tallies) mine.tallies[property].add(tally);
      for (const auto& [property, count] : other.not_tested) mine.not_tested[property] += count;
      mine.asked += other.asked;
      mine.granted += other.granted;
      mine.commands += other.commands;
      mine.latency_ns += other.latency_ns;
      mine.errors.insert(other.errors.begin(), other.errors.end());
      while (mine.errors.size() > kErrorsShown) mine.errors.erase(std::prev(mine.errors.end()));
    }
    for (std::size_t i = 0; i < against_first_.size(); ++i) {
      Opposition& mine = against_first_[i];
      const Opposition& other = later.against_first_[i];
      for (std::size_t p = 0; p < properties_.size(); ++p) add_table(mine.properties[p], other.properties[p]);
      mine.granted.add(other.granted);
      mine.latency_ns.add(other.latency_ns);
      mine.commands.add(other.commands);
    }
  }

  void finish(ComparisonResult& result) && {
    result.contestants = std::move(contestants_);
    result.against_first = std::move(against_first_);
    std::vector<double> all;
    for (Opposition& o : result.against_first) {
      for (PropertyPair& p : o.properties) all.push_back(p.p = mcnemar_exact(p.table));
    }
    const std::vector<double> adjusted = holm(all);
    std::size_t next = 0;
    for (Opposition& o : result.against_first) {
      for (PropertyPair& p : o.properties) p.p_adjusted = adjusted[next++];
    }
  }

 private:
  static void add_pair(Opposition& o, const RunOutcome& a, const RunOutcome& b, std::uint64_t seed) {
    for (std::size_t i = 0; i < o.properties.size(); ++i) {
      PropertyPair& pair = o.properties[i];
      const auto decided = [&](Verdict v) { return v == Verdict::holds || v == Verdict::violated; };
      if (!decided(a.verdicts[i]) || !decided(b.verdicts[i])) {
        ++pair.table.undecided;
        continue;
      }
      const bool in_a = a.verdicts[i] == Verdict::violated, in_b = b.verdicts[i] == Verdict::violated;
      ++(in_a ? (in_b ? pair.table.both : pair.table.only_a) : in_b ? pair.table.only_b : pair.table.neither);
      if (in_a && !in_b && !pair.seed_only_a) pair.seed_only_a = seed;
      if (in_b && !in_a && !pair.seed_only_b) pair.seed_only_b = seed;
    }
    o.granted.add(static_cast<std::int64_t>(a.granted), static_cast<std::int64_t>(b.granted));
    if (a.granted == 0 || b.granted == 0) return;
    const auto each = [](std::int64_t sum, std::uint64_t granted) { return sum / static_cast<std::int64_t>(granted); };
    o.latency_ns.add(each(a.latency_ns, a.granted), each(b.latency_ns, b.granted));
    o.commands.add(each(static_cast<std::int64_t>(a.commands) * 1000, a.granted),
                   each(static_cast<std::int64_t>(b.commands) * 1000, b.granted));
  }

  static void add_table(PropertyPair& mine, const PropertyPair& other) {
    mine.table.both += other.table.both;
    mine.table.only_a += other.table.only_a;
    mine.table.only_b += other.table.only_b;
    mine.table.neither += other.table.neither;
    mine.table.undecided += other.table.undecided;
    if (!mine.seed_only_a) mine.seed_only_a = other.seed_only_a;
    if (!mine.seed_only_b) mine.seed_only_b = other.seed_only_b;
  }

  std::vector<Property> properties_;
  std::vector<ContestantResult> contestants_;
  std::vector<Opposition> against_first_;
  std::vector<RunOutcome> pair_;  // of the seed at hand
};

using Runners = std::vector<std::unique_ptr<Runner>>;  // one for each contestant

}  // namespace

std::vector<std::string> reasons_against(const Contestant& a, const Contestant& b, std::span<const std::string> also) {
  std::vector<std::string> reasons;
  const std::vector<SettingDifference> found = differences(a.scenario, b.scenario);
  if (found.empty()) reasons.push_back(fmt::format("{} and {} have the same settings", a.name, b.name));
  std::size_t more = 0;
  for (const SettingDifference& d : found) {
    if (may_differ(d.path, also)) continue;
    if (reasons.size() == kMostDifferences) {
      ++more;
      continue;
    }
    reasons.push_back(
        fmt::format("{} is {} in {} and {} in {}", d.path, value_or_absent(d.a), a.name, value_or_absent(d.b), b.name));
  }
  if (more > 0) reasons.push_back(fmt::format("{} further settings differ", more));
  return reasons;
}

bool ComparisonResult::has_errors() const {
  return std::any_of(contestants.begin(), contestants.end(),
                     [](const ContestantResult& c) { return !c.errors.empty(); });
}

bool ComparisonResult::is_tested() const {
  return std::all_of(against_first.begin(), against_first.end(), [](const Opposition& o) {
    return std::all_of(o.properties.begin(), o.properties.end(),
                       [](const PropertyPair& p) { return p.table.pairs() > 0; });
  });
}

std::variant<ComparisonResult, ContestantProblems> run_comparison(const std::vector<Contestant>& contestants,
                                                                  const SeedPlan& plan,
                                                                  const std::vector<Property>& properties) {
  std::vector<Runners> runners(plan.threads());
  for (Runners& of_thread : runners) {
    for (std::size_t c = 0; c < contestants.size(); ++c) {
      auto compiled = Runner::compile(contestants[c].scenario);
      if (auto* problems = std::get_if<1>(&compiled)) return ContestantProblems{c, std::move(*problems)};
      of_thread.push_back(std::move(std::get<0>(compiled)));
    }
  }
  const Results empty(properties, contestants.size());
  Results whole = empty;
  ComparisonResult result;
  result.first_seed = plan.seeds.first;
  result.seeds = play_in_order(plan, empty, whole, [&](std::size_t thread, std::uint64_t seed, Results& part) {
    for (std::size_t c = 0; c < contestants.size(); ++c) {
      Runner& runner = *runners[thread][c];
      const RunResult& run = runner.run(seed, {.full_trace = true});
      part.add(c, run, costs_of(runner, run));
    }
  });
  result.interrupted = result.seeds < plan.seeds.size();
  std::move(whole).finish(result);
  return result;
}

}  // namespace picklock
