#include "testkit/check_lock.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <variant>

#include "algorithms/lock_files.hpp"
#include "base/nearest.hpp"
#include "campaigns/keep.hpp"
#include "faults/struck.hpp"
#include "reports/run/scene.hpp"
#include "reports/run/timeline.hpp"
#include "scenarios/file/lease.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/generators/scenario.hpp"
#include "scenarios/run/claims.hpp"
#include "scenarios/run/run.hpp"
#include "testkit/environment.hpp"
#include "testkit/turns.hpp"

namespace picklock {
namespace {

constexpr std::uint64_t kUsualEffort = 800;
constexpr std::uint64_t kMostShrinks = 3'000;

void note(Tested& tested, const RunResult& run, const Scenario& scenario, std::span<const TraceRecord> journal) {
  const bool contended = (run.happened & bit(Sometimes::contention)) != 0;
  const bool met = within_assumptions(run);
  bool struck = false;
  const std::vector<Strike> strikes = strikes_of(journal, scenario.faults.size());
  for (std::size_t i = 0; i < strikes.size(); ++i) {
    if (strikes[i] != Strike::injected) continue;
    struck = true;
    ++tested.faults[scenario.faults[i].kind];
  }
  ++tested.runs;
  tested.contended += contended;
  tested.struck += struck;
  tested.within += met;
  tested.heeded += contended && !run.assumptions.empty() && run.assumptions[0].all_heed_deadlines;
  tested.all += met && contended && (struck || scenario.faults.empty());
  if (tested.assumptions.empty()) {
    for (const Assessment& a : run.assumptions) {
      const AssumptionInfo& i = info(a.assumption.kind);
      const std::string words = print(a.assumption);
      tested.assumptions.push_back({std::string(i.name) + words.substr(std::min(words.find(" for "), words.size())),
                                    a.assumption.limit, 0, 0, i.unit});
    }
  }
  for (std::size_t i = 0; i < std::min(run.assumptions.size(), tested.assumptions.size()); ++i) {
    const Assessment& a = run.assumptions[i];
    Tested::Approached& to = tested.assumptions[i];
    if (a.met) {
      to.largest = std::max(to.largest, a.observed);
    } else {
      to.broken += a.broken();
    }
  }
}

// Counts the claims that the run put to the test.
void count_claims(Tested& tested, const LockKind& kind, const Scenario& scenario, const RunResult& run) {
  for (const Property p : claims_in(kind, scenario, run)) {
    const Verdict verdict = of(run.findings, p).verdict;
    const auto claim = std::find_if(tested.claims.begin(), tested.claims.end(),
                                    [&](const Tested::Claimed& c) { return c.property == p; });
    if (claim == tested.claims.end() || (verdict != Verdict::holds && verdict != Verdict::violated)) continue;
    ++claim->runs;
    claim->faulty += !scenario.faults.empty();
    claim->beyond += std::any_of(run.assumptions.begin(), run.assumptions.end(), [](const Assessment& a) {
      return !a.met && a.assumption.needed_by.has(ClaimGroup::exclusion);
    });
  }
}

// Names of the claims that no run could have broken; empty: none.
std::string untested_claims(const Tested& tested) {
  std::string names;
  for (const Tested::Claimed& c : tested.claims) {
    if (c.runs == 0) names += fmt::format("{}{}", names.empty() ? "" : ", ", info(c.property).name);
  }
  return names;
}

// Does this scenario, with the same lock, still break the claim within the assumptions?
bool still_broken(const LockKind& kind, const Scenario& s, const BrokenClaim& claim) {
  if (!(s.lock == claim.scenario.lock)) return false;
  auto compiled = Runner::compile(s);
  if (compiled.index() != 0) return false;
  const RunResult& run = std::get<0>(compiled)->run(claim.seed);
  const std::vector<Property> broken = broken_claims(kind, s, run);
  return std::find(broken.begin(), broken.end(), claim.property) != broken.end();
}

void shrink(const LockKind& kind, BrokenClaim& claim) {
  claim.scenario = minimise(claim.scenario, [&](const Scenario& s) {
    return claim.shrinks < kMostShrinks && ++claim.shrinks > 0 && still_broken(kind, s, claim);
  });
}

std::string picture_of(const RunRecord& run) { return draw_scene(scene_of(run, faults_struck(run))); }

void tell(BrokenClaim& claim) {
  const auto runner = std::get<0>(Runner::compile(claim.scenario));
  const RunResult& run = runner->run(claim.seed, {.story = true});
  claim.words = explain(of(run.findings, claim.property), *run.history, run.judged_with);
  claim.picture = picture_of(runner->record());
}

// A test may run where nothing can be written: then its report alone tells.
void keep(BrokenClaim& claim, const CheckOptions& options) {
  if (options.keep.empty()) return;
  KeepOptions how;
  how.folder = options.keep;
  how.program = options.program;
  how.properties = {claim.property};
  how.story = picture_of;
  try {
    const KeptRun kept = keep_run(claim.scenario, claim.seed, how);
    claim.file = kept.path;
    claim.replay = kept.replay;
  } catch (const std::runtime_error& error) {
    claim.words += fmt::format("\n(not kept: {})", error.what());
  }
}

}  // namespace

Scenario scenario_of_lock(std::string_view lock, const std::vector<std::string>& set) {
  if (const std::string wrong = open_lock(std::string(lock)); !wrong.empty()) throw std::runtime_error(wrong);
  const LockKind* const kind = find_lock_kind(lock);
  if (kind == nullptr) {
    std::vector<std::string> names;
    for (const LockKind& k : lock_kinds()) names.emplace_back(k.name);
    throw std::runtime_error(fmt::format("found no lock '{}', expected one that add_lock_kind() was told of{}", lock,
                                         did_you_mean(std::string(lock), names)));
  }
  Scenario s;
  s.name = "generated";
  s.lock.name = lock;
  s.lock.options = AnyOptions(kind->default_options());
  const auto lease = kind->lease != nullptr ? kind->lease(*s.lock.options) : std::nullopt;
  if (lease && *lease > seconds(1) && !kind->terms.option.empty()) ask_for_lease(s.lock, milliseconds(600));
  s.clients.resize(2);
  s.clients[0].name = "a";
  s.clients[1].name = "b";
  s.phases.load = seconds(3);
  s.phases.settle = seconds(2);
  s.request_timeout = milliseconds(200);
  s.event_budget = 200'000;
  for (const std::string& assignment : set) {
    if (const auto error = set_in_scenario(s, assignment)) throw std::runtime_error(print(*error));
  }
  return s;
}

LockReport check_lock(std::string_view lock, const CheckOptions& options) {
  LockReport report;
  report.lock = lock;
  report.seed = options.seed ? *options.seed : seed_of_environment().value_or(1);
  const std::uint64_t effort = options.effort ? *options.effort : effort_of_environment().value_or(kUsualEffort);
  const Scenario base = scenario_of_lock(lock, options.set);
  const LockKind& kind = *find_lock_kind(lock);
  for (const Property p : claimed_properties(kind, *base.lock.options)) report.tested.claims.push_back({.property = p});
  constexpr int kSize = 100;  // RapidCheck's size for each drawn scenario
  for (std::uint64_t i = 0; i < effort && !report.broken; ++i) {
    const std::uint64_t seed = report.seed + i;
    Scenario s = arbitrary_scenario(base, bounds_in_turn(i, kind, *base.lock.options, options.vary_options))(
                     rc::Random(seed), kSize)
                     .value();
    auto compiled = Runner::compile(s);
    if (compiled.index() != 0) {
      ++report.tested.errors;
      continue;
    }
    const RunResult& run = std::get<0>(compiled)->run(seed);
    note(report.tested, run, s, std::get<0>(compiled)->record().journal());
    report.tested.errors += !run.error.empty();
    if (report.why.empty() && !run.error.empty()) report.why = run.error;
    count_claims(report.tested, kind, s, run);
    const std::vector<Property> broken = broken_claims(kind, s, run);
    if (!broken.empty()) report.broken = BrokenClaim{.property = broken[0], .seed = seed, .scenario = std::move(s)};
  }
  const Tested& tested = report.tested;
  if (report.broken) {
    report.verdict = CheckVerdict::broken;
    shrink(kind, *report.broken);
    tell(*report.broken);
    keep(*report.broken, options);
  } else if (tested.errors > 0) {
    report.why = fmt::format("{} scenarios could not be played: {}", tested.errors, report.why);
  } else if (tested.all * 10 < tested.runs || tested.runs == 0) {
    report.why = fmt::format("only {} of {} runs put the lock to the test", tested.all, tested.runs);
  } else if (const std::string untested = untested_claims(tested); !untested.empty()) {
    report.why = fmt::format("no run could have broken {}", untested);
  } else {
    report.verdict = CheckVerdict::kept;
  }
  if (options.report != nullptr) fmt::print(options.report, "{}", report.text());
  return report;
}

std::ostream& operator<<(std::ostream& out, const LockReport& report) { return out << report.text(); }

}  // namespace picklock
