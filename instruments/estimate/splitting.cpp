#include "instruments/estimate/splitting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "base/hash.hpp"
#include "campaigns/in_parallel.hpp"

namespace picklock {
namespace {

constexpr double kGoesOn = 0.2;               // share of a stage's trajectories that is to reach the next level
constexpr std::size_t kMostLevels = 200;      // most levels of a pilot, which then gives up
constexpr std::size_t kPilotPerStage = 2;     // times the trajectories of a stage
constexpr double kFewestThatRise = 0.01;      // least share of a pilot stage that must rise
constexpr std::uint64_t kPilot = 0x70696c6f;  // instead of the number of a replication

// 48 bits: short enough to be typed, many enough not to meet.
std::uint64_t trajectory_seed(std::uint64_t base, std::uint64_t replication, std::uint64_t stage, std::uint64_t i) {
  return mix(mix(mix(base, replication), stage), i) >> 16;
}

struct Played {
  Trajectory trajectory;
  std::uint64_t ancestor = 0;
  Ascent ascent;
  bool violated = false;
};

struct Entry {  // the point where a trajectory first reached a level
  const Played* from = nullptr;
  std::int64_t at = 0;
};

std::vector<Entry> entries_of(const std::vector<Played>& played, Level level) {
  std::vector<Entry> all;
  for (const Played& p : played) {
    if (const auto at = p.ascent.reaches(level)) all.push_back({&p, *at});
  }
  return all;
}

// Plays trajectories of one replication, or of the pilot.
class Stages {
 public:
  Stages(RunnerPool& pool, const SplittingOptions& options, const UsualWork& usual, std::uint64_t replication)
      : pool_(pool), options_(options), usual_(usual), replication_(replication) {}

  // Fresh runs.
  std::vector<Played> begin(std::size_t count) {
    std::vector<Played> all(count);
    for (std::size_t i = 0; i < count; ++i) {
      all[i].trajectory.seed = trajectory_seed(options_.seed, replication_, stage_, i);
      all[i].ancestor = i;
    }
    return play(std::move(all));
  }

  // Runs that branch off at the entries, each used equally often; the ones used once more are drawn.
  std::vector<Played> branch_off(const std::vector<Entry>& entries, std::size_t count) {
    ++stage_;
    std::vector<Played> all(count);
    const std::size_t shift = trajectory_seed(options_.seed, replication_, stage_, count) % entries.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Entry& entry = entries[(i + shift) % entries.size()];
      const auto seed = static_cast<std::int64_t>(trajectory_seed(options_.seed, replication_, stage_, i));
      all[i].trajectory = entry.from->trajectory;
      all[i].trajectory.recipe.push_back({Duration{entry.at}, seed});
      all[i].ancestor = entry.from->ancestor;
    }
    return play(std::move(all));
  }

  const Effort& effort() const { return effort_; }
  const std::string& error() const { return error_; }

 private:
  std::vector<Played> play(std::vector<Played> all) {
    std::mutex mutex;
    in_parallel(all.size(), replication_ == kPilot ? options_.jobs : 1, [&](std::size_t i) {
      if (options_.stop != nullptr && *options_.stop) return;
      Played& p = all[i];
      const auto runner = pool_.take();
      const RunResult& r =
          runner->run(p.trajectory.seed, {},
                      {.reseeds = p.trajectory.recipe, .overrides = {}, .redraws_lengths = options_.redraws_lengths});
      p.ascent = Ascent(*r.history, usual_);
      p.violated = violates(r, options_.property);
      const std::lock_guard guard(mutex);
      effort_.add(r);
      if (!r.error.empty()) error_ = std::max(error_, r.error);  // the same one for any order of threads
    });
    return all;
  }

  RunnerPool& pool_;
  const SplittingOptions& options_;
  const UsualWork& usual_;
  const std::uint64_t replication_;
  std::uint64_t stage_ = 0;
  Effort effort_;
  std::string error_;
};

std::uint64_t violated_in(const std::vector<Played>& played) {
  return static_cast<std::uint64_t>(
      std::count_if(played.begin(), played.end(), [](const Played& p) { return p.violated; }));
}

// A level above `last` that about a fifth of the trajectories reach; nothing if too few rise above it.
std::optional<Level> next_level(const std::vector<Played>& played, Level last) {
  std::vector<Level> highest;
  for (const Played& p : played) highest.push_back(p.ascent.highest());
  std::sort(highest.begin(), highest.end(), std::greater<>());
  const auto place = static_cast<std::size_t>(kGoesOn * static_cast<double>(highest.size()));
  if (highest[place] > last) return highest[place];
  // Many stand at the same height: the lowest one above it.
  const auto above = std::find_if(highest.rbegin(), highest.rend(), [last](Level l) { return l > last; });
  const auto rising = static_cast<double>(highest.rend() - above);
  if (above == highest.rend() || rising < kFewestThatRise * static_cast<double>(highest.size())) return std::nullopt;
  return *above;
}

std::string leases_text(Level level) { return fmt::format("{:.3f}", static_cast<double>(level) / kLeaseOver); }

// Taken from plain runs; it is frozen with the levels.
UsualWork usual_work(RunnerPool& pool, const SplittingOptions& options, Effort& effort) {
  constexpr std::uint64_t kRuns = 100;
  UsualWork usual;
  const auto runner = pool.take();
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    const RunResult& r = runner->run(trajectory_seed(options.seed, kPilot, ~std::uint64_t{0}, i));
    effort.add(r);
    usual.add(*r.history);
  }
  return usual;
}

// Chooses the levels.
void pilot(RunnerPool& pool, const SplittingOptions& options, const UsualWork& usual, Splitting& result) {
  const std::size_t count = kPilotPerStage * options.trajectories;
  Stages stages(pool, options, usual, kPilot);
  const Effort before_pilot = result.pilot;
  std::vector<Played> before, played = stages.begin(count);
  for (;;) {
    result.pilot = before_pilot;
    result.pilot += stages.effort();
    result.error = stages.error();
    if (!result.error.empty() || (options.stop != nullptr && *options.stop)) return;
    const std::uint64_t violated = violated_in(played);
    if (static_cast<double>(violated) >= kGoesOn * static_cast<double>(count)) return;
    const Level last = result.levels.empty() ? 0 : result.levels.back();
    const auto next = next_level(played, last);
    if (!next || result.levels.size() == kMostLevels) {
      // Violations that some runs of this stage end in are counted as they are.
      if (static_cast<double>(violated) >= kFewestThatRise * static_cast<double>(count)) return;
      result.refusal = last == 0
                           ? "no run rises above the level 0: no hold with a lease was believed in for a while"
                           : fmt::format(
                                 "the pilot is stuck at level {} (1: the lease is over): {} of its {} trajectories "
                                 "from there end in a violation, and too few rise higher",
                                 leases_text(last), violated, count);
      return;
    }
    result.levels.push_back(*next);
    before = std::move(played);
    played = stages.branch_off(entries_of(before, *next), count);
  }
}

struct Replication {
  double value = 0;
  std::vector<SplittingStage> stages;
  std::set<std::uint64_t> ancestors;
  std::optional<Trajectory> rare;
  Effort effort;
  std::string error;
};

Replication replicate(RunnerPool& pool, const SplittingOptions& options, const UsualWork& usual,
                      const std::vector<Level>& levels, std::uint64_t number) {
  Replication r;
  r.stages.resize(levels.size() + 1);
  const std::size_t count = options.trajectories;
  Stages stages(pool, options, usual, number);
  std::vector<Played> before, played = stages.begin(count);
  double weight = 1;
  for (std::size_t i = 0;; ++i) {
    const auto entries = i < levels.size() ? entries_of(played, levels[i]) : std::vector<Entry>{};
    SplittingStage& stage = r.stages[i];
    stage.trajectories = count;
    stage.reached = entries.size();
    for (const Played& p : played) {
      if (!p.violated) continue;
      if (i < levels.size() && p.ascent.reaches(levels[i])) continue;  // its descendants count
      ++stage.violated;
      r.ancestors.insert(p.ancestor);
      r.rare = p.trajectory;
    }
    r.value += weight * static_cast<double>(stage.violated) / static_cast<double>(count);
    if (entries.empty()) break;
    weight *= static_cast<double>(stage.reached) / static_cast<double>(count);
    std::vector<Played> next = stages.branch_off(entries, count);
    before = std::move(played);  // the entries refer to it
    played = std::move(next);
  }
  r.effort = stages.effort();
  r.error = stages.error();
  return r;
}

std::string too_few(const Splitting& s, std::size_t replications) {
  if (s.ancestors >= kFewestAncestors && 2 * s.replications_with_any >= replications) return {};
  return fmt::format(
      "too few ancestors survive: violations descend from {} first trajectories, in {} of {} replications; at least {} "
      "in "
      "half of them are needed (more --trajectories, or lengths that cannot be revealed in pieces)",
      s.ancestors, s.replications_with_any, replications, kFewestAncestors);
}

}  // namespace

Splitting estimate_by_splitting(RunnerPool& pool, const SplittingOptions& options) {
  Splitting result;
  const UsualWork usual = usual_work(pool, options, result.pilot);
  pilot(pool, options, usual, result);
  const auto stopped = [&] { return options.stop != nullptr && *options.stop; };
  if (!result.refusal.empty() || !result.error.empty() || stopped()) return result;
  std::vector<Replication> all(options.replications);
  std::mutex mutex;
  std::uint64_t done = 0;
  in_parallel(all.size(), options.jobs, [&](std::size_t i) {
    if (stopped()) return;
    all[i] = replicate(pool, options, usual, result.levels, i);
    const std::lock_guard guard(mutex);
    if (options.progress) options.progress(++done, all.size());
  });
  if (stopped()) return result;
  result.stages.resize(result.levels.size() + 1);
  for (const Replication& r : all) {  // the order of the replications
    for (std::size_t i = 0; i < r.stages.size(); ++i) result.stages[i] += r.stages[i];
    result.values.push_back(r.value);
    result.effort += r.effort;
    result.ancestors += r.ancestors.size();
    result.replications_with_any += r.ancestors.empty() ? 0 : 1;
    if (!result.rare) result.rare = r.rare;
    if (result.error.empty()) result.error = r.error;
  }
  result.refusal = too_few(result, all.size());
  return result;
}

}  // namespace picklock
