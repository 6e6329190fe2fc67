#include "instruments/explain/experiments.hpp"

#include <algorithm>
#include <utility>

#include "campaigns/in_parallel.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {

std::string_view Observed::word(Property p) const {
  const auto place = static_cast<std::size_t>(p);
  if (!playable) return "not played";
  if (verdicts[place] == Verdict::undecided && !tested[place]) return "not tested";
  return verdicts[place] == Verdict::not_applicable ? "not applicable" : name(verdicts[place]);
}

std::vector<std::string> Observed::broken() const {
  std::vector<std::string> all;
  for (const Assessment& a : assumptions) {
    if (a.broken()) all.push_back(print(a.assumption));
  }
  return all;
}

struct Experiments::Bench {
  std::string scenario;
  ScenarioEdits edits;
  bool used = false;
  bool shortened = false;  // the scenario would allow more events
  std::unique_ptr<Runner> runner;
  Observed unplayable;
};

Experiments::Experiments(unsigned jobs, std::function<void(std::uint64_t)> progress)
    : jobs_(std::max(1u, jobs)), progress_(std::move(progress)) {}
Experiments::~Experiments() = default;

const ScenarioFile& Experiments::file_named(const std::string& scenario) {
  const MutexGuard lock(guard_);
  std::unique_ptr<ScenarioFile>& file = files_[scenario];
  if (!file) file = std::make_unique<ScenarioFile>(load_scenario(scenario));
  return *file;
}

void Experiments::know(const std::string& scenario, ScenarioFile file) {
  files_[scenario] = std::make_unique<ScenarioFile>(std::move(file));
}

ScenarioFile Experiments::file_of(const Trial& trial) {
  ScenarioFile file = file_named(trial.scenario);
  if (!file.ok()) return file;
  EditResult result = edit_scenario(file.scenario, trial.edits);
  file.errors = std::move(result.errors);
  return file;
}

void Experiments::bound_by(const Trial& base) {
  constexpr std::int64_t kTimes = 20, kLeast = 50'000;
  most_events_ = std::clamp(kTimes * static_cast<std::int64_t>(see(base).events), kLeast, kMostEvents);
}

const Observed* Experiments::find(const Trial& trial) {
  const MutexGuard lock(guard_);
  const auto known = played_.find(trial);
  return known == played_.end() ? nullptr : known->second.get();
}

const Observed& Experiments::keep(const Trial& trial, Observed observed) {
  const MutexGuard lock(guard_);
  const auto [place, fresh] = played_.try_emplace(trial, nullptr);
  if (fresh) {
    place->second = std::make_unique<Observed>(std::move(observed));
    ++runs_;
    if (progress_) progress_(runs_);
  }
  return *place->second;
}

Observed Experiments::play(const Trial& trial, Bench& bench) {
  if (!bench.used || bench.scenario != trial.scenario || bench.edits != trial.edits) {
    bench = {trial.scenario, trial.edits, true, false, nullptr, {}};
    const ScenarioFile& file = file_named(trial.scenario);
    Scenario scenario = file.scenario;
    EditResult edited = edit_scenario(scenario, trial.edits);
    bench.unplayable.errors = file.ok() ? std::move(edited.errors) : file.errors;
    if (bench.unplayable.errors.empty()) {
      bench.shortened = scenario.event_budget > most_events_;
      scenario.event_budget = std::min(scenario.event_budget, most_events_);
      auto compiled = Runner::compile(scenario);
      if (auto* const problems = std::get_if<1>(&compiled)) {
        for (ScenarioProblem& p : *problems) p.where = edited.left_out.as_written(p.where);
        bench.unplayable.problems = std::move(*problems);
      } else {
        bench.runner = std::move(std::get<0>(compiled));
      }
    }
  }
  if (!bench.runner) return bench.unplayable;
  const RunResult& result = bench.runner->run(trial.seed);
  if (result.cut_off && bench.shortened) return bench.unplayable;
  Observed seen;
  seen.playable = true;
  seen.events = result.events;
  seen.lock = bench.runner->scenario().lock.name;
  for (const Finding& f : result.findings) {
    const auto place = static_cast<std::size_t>(f.property);
    seen.verdicts[place] = f.verdict;
    seen.tested[place] = f.reason != Reason::vacuous;
  }
  seen.assumptions = result.assumptions;
  for (const EffectEvent& e : result.history->effects) {
    seen.refused += e.kind == EffectKind::refused_read || e.kind == EffectKind::refused_write;
  }
  seen.service = service_in(bench.runner->scenario(), result);
  seen.error = result.error;
  return seen;
}

const Observed& Experiments::see(const Trial& trial) {
  if (const Observed* const known = find(trial)) return *known;
  Bench bench;
  return keep(trial, play(trial, bench));
}

void Experiments::see_all(const std::vector<Trial>& trials) {
  std::vector<Trial> fresh;
  for (const Trial& t : trials) {
    if (find(t) == nullptr) fresh.push_back(t);
  }
  std::sort(fresh.begin(), fresh.end());
  fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
  // Neighbours have the same edits: a thread takes some of them at a time.
  constexpr std::size_t kAtATime = 10;
  in_parallel((fresh.size() + kAtATime - 1) / kAtATime, jobs_, [&](std::size_t part) {
    Bench bench;
    const std::size_t end = std::min(fresh.size(), (part + 1) * kAtATime);
    for (std::size_t i = part * kAtATime; i < end; ++i) keep(fresh[i], play(fresh[i], bench));
  });
}

std::optional<TrialCosts> Experiments::costs(const Trial& trial) {
  const ScenarioFile file = file_of(trial);
  if (!file.ok()) return std::nullopt;
  auto compiled = Runner::compile(file.scenario);
  if (std::holds_alternative<std::vector<ScenarioProblem>>(compiled)) return std::nullopt;
  Runner& runner = *std::get<0>(compiled);
  runner.run(trial.seed, {.full_trace = true});
  const Costs costs = costs_of(runner.record());
  return TrialCosts{costs.asked, costs.granted, costs.commands, spread_of(costs.latency_ns).mean};
}

}  // namespace picklock
