#include "instruments/hunt/hunt.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "campaigns/in_parallel.hpp"
#include "instruments/hunt/grid.hpp"
#include "instruments/hunt/harmless.hpp"
#include "instruments/hunt/near_miss.hpp"
#include "instruments/hunt/numbers.hpp"

namespace picklock {
namespace {

constexpr std::uint64_t kRound = 128;  // plans
constexpr Duration kLongestSettle = seconds(3'600);
constexpr std::uint64_t kMostSubsets = 1'024;  // most subsets of faults, played again for larger numbers

struct Played {
  NearMisses::Plan plan;
  PlanOutcome outcome;
};

bool learns(Strategy strategy) { return strategy == Strategy::near || strategy == Strategy::recipes; }

Scenario without_mishaps(Scenario s, const Aim& aim) {
  s.expect.clear();
  s.sometimes.clear();
  s.overrides.clear();
  s.reseeds.clear();
  s.clocks.clear();
  s.faults.clear();
  demand(s, aim);
  return s;
}

// Lengthens the settle phase, if it may grow, to decide what even a run without faults ends too early for.
HuntSpace settled(HuntSpace space, const Aim& aim) {
  if (!aim.plays_on) return space;
  const auto longer = Judge(space.base, aim).play(without_mishaps(space.base, aim), 1).settle();
  if (longer) space.base.phases.settle = *longer;
  return space;
}

class Hunter {
 public:
  Hunter(const HuntSpace& space, const HuntOptions& options)
      : space_(settled(space, options.aim)),
        options_(options),
        judge_(space_.base, options.aim, learns(options.strategy)) {
    for (const Property p : options.aim.properties) result_.judged.emplace_back().property = p;
    if (options.strategy != Strategy::exhaustive) return;
    const Duration from{space.instants ? space.instants->low() : 0};
    grid_ = std::make_unique<Grid>(single_faults(space.faults, space.kinds, from));
    result_.grid.singles = grid_->singles();
    calm_ = judge_.play(calm_scenario(), 1).digest;
    const Aim& aim = options.aim;
    if (!aim.twin && !aim.within_assumptions && !aim.beyond) classify();
  }

  HuntResult hunt() {
    while (result_.plans < options_.most_plans && !over()) {
      const std::uint64_t size = round_size();
      std::vector<Played> round(size);
      if (!draw(round)) break;
      in_parallel(size, options_.jobs, [&](std::size_t i) {
        if (!stopped()) round[i].outcome = play(round[i].plan);
      });
      if (stopped()) break;
      std::vector<std::uint64_t> failed;
      for (std::uint64_t i = 0; i < round.size(); ++i) {
        count(result_.plans + i, round[i].outcome);
        if (round[i].outcome.failed()) failed.push_back(i);
        if (learns(options_.strategy)) learn(round[i]);
      }
      group(round, failed);
      result_.plans += round.size();
      if (options_.progress) options_.progress(result_);
    }
    result_.interrupted = stopped();
    if (grid_) {
      result_.grid.idle = grid_->idle();
      result_.grid.in_pairs = grid_->in_pairs();
      result_.grid.pairs_left_out = grid_->left_out();
    }
    return std::move(result_);
  }

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }
  bool over() {
    result_.full = result_.findings.size() >= options_.most_findings;
    return result_.full || stopped() || (options_.out_of_time && options_.out_of_time());
  }
  // Again with ever longer settle phases, while it ends too early to decide something.
  PlanOutcome play(NearMisses::Plan& plan) const {
    PlanOutcome outcome = play_once(plan);
    while (options_.aim.plays_on) {
      const std::optional<Duration> longer = outcome.settle();
      if (!longer || *longer <= plan.scenario.phases.settle || *longer > kLongestSettle) break;
      const std::uint32_t runs = outcome.runs;
      plan.scenario.phases.settle = *longer;
      outcome = play_once(plan);
      outcome.runs += runs;
    }
    return outcome;
  }
  // Plans of a grid are played as they stand.
  PlanOutcome play_once(NearMisses::Plan& plan) const {
    if (grid_) return judge_.play(plan.scenario, plan.seed, checkpoints());
    return play_what_spares_the_twin(judge_, plan.scenario, plan.seed);
  }

  // A failed plan needs no guidance.
  void learn(const Played& played) {
    if (played.outcome.failed() || !played.outcome.playable) return;
    near_.note(played.plan, played.outcome.closeness, played.outcome.turning_points);
  }

  void classify() {
    Checkpoints events{{}, event_triggers_of(grid_->faults())};
    grid_->classify(judge_.play(calm_scenario(), 1, &events).checked);
    WorldClasses& classes = *grid_->classes();
    classes.note_calm(judge_.play(calm_scenario(), 1, &classes.checkpoints()).checked);
  }
  // Checkpoints of single faults, as long as they are played.
  const Checkpoints* checkpoints() const {
    const bool checked = grid_ && grid_->classes() != nullptr && result_.plans < grid_->singles();
    return checked ? &grid_->classes()->checkpoints() : nullptr;
  }

  Scenario calm_scenario() const { return without_mishaps(space_.base, options_.aim); }

  std::uint64_t round_size() const {
    std::uint64_t size = std::min(kRound, options_.most_plans - result_.plans);
    // Pairs are made of what single faults have shown.
    if (grid_ && result_.plans < grid_->singles()) size = std::min(size, grid_->singles() - result_.plans);
    return size;
  }

  // The plan has a seed of its own.
  NearMisses::Plan drawn_plan(std::uint64_t number) const {
    const HuntOptions& o = options_;
    if (o.strategy == Strategy::near) return near_.draw(space_, o.aim, o.hunt_seed, number);
    if (o.strategy == Strategy::recipes) return near_.draw_recipe(space_, o.aim, o.hunt_seed, number);
    return {draw_plan(space_, o.aim, o.strategy, o.hunt_seed, number), number + 1};
  }

  // False: there are no more plans.
  bool draw(std::vector<Played>& round) {
    if (!grid_) {
      in_parallel(round.size(), options_.jobs, [&](std::size_t i) { round[i].plan = drawn_plan(result_.plans + i); });
      return true;
    }
    for (std::size_t i = 0; i < round.size(); ++i) {
      auto plan = grid_->next();
      if (!plan) {
        round.resize(i);
        break;
      }
      round[i].plan = {calm_scenario(), 1};  // plans of a grid differ by their faults alone
      round[i].plan.scenario.faults = std::move(*plan);
    }
    result_.complete = round.empty();
    return !round.empty();
  }

  void count(std::uint64_t plan, const PlanOutcome& outcome) {
    result_.runs += outcome.runs;
    result_.unseen.add(outcome.unseen);
    if (!outcome.error.empty()) {
      result_.errors.emplace(plan, outcome.error);
    } else if (!outcome.playable) {
      ++result_.unplayable;
    } else if (!outcome.struck) {
      ++result_.idle;
    } else if (!outcome.contended) {
      ++result_.alone;
    }
    for (std::size_t i = 0; i < outcome.judged.size(); ++i) result_.judged[i].add(outcome.judged[i]);
    result_.failed += outcome.failed();
    result_.no_twin += !outcome.lone;
    if (!grid_ || plan >= grid_->singles()) return;
    if (!outcome.playable || outcome.digest == calm_) {
      grid_->note_idle(plan);
    } else if (grid_->classes() != nullptr) {
      grid_->classes()->note(plan, outcome.checked);
    }
  }

  // Shrinks what failed, and puts it to the finding of the same cause.
  void group(const std::vector<Played>& round, const std::vector<std::uint64_t>& failed) {
    std::vector<std::vector<Shrunk>> shrunk(failed.size());
    in_parallel(failed.size(), options_.jobs, [&](std::size_t i) {
      if (!stopped()) shrunk[i] = shrink_all(round[failed[i]]);
    });
    if (stopped()) return;
    for (std::size_t i = 0; i < failed.size(); ++i) {
      for (Shrunk& s : shrunk[i]) {
        result_.runs += s.all_tries();
        add(std::move(s), result_.plans + failed[i]);
      }
    }
  }

  // Each property that the plan fails, but for those that the faults of another one of them account for.
  std::vector<Shrunk> shrink_all(const Played& played) {
    ShrinkBounds bounds = options_.shrink;
    bounds.known = [&](const Shrunk& s) { return find(cause_of(s.failure, s.scenario)) != nullptr; };
    std::vector<Shrunk> all;
    std::vector<Property> accounted_for;
    for (const Failure& failure : played.outcome.failures) {
      const auto same = std::find(accounted_for.begin(), accounted_for.end(), failure.property);
      if (same != accounted_for.end()) continue;
      Shrunk& s = all.emplace_back(shrink(judge_, played.plan.scenario, played.plan.seed, failure, bounds));
      const std::vector<Property>& also = s.certificate.also;
      accounted_for.insert(accounted_for.end(), also.begin(), also.end());
    }
    return all;
  }

  HuntFinding* find(const Cause& cause) {
    const auto same = [&](const HuntFinding& f) { return f.covers(cause); };
    const auto found = std::find_if(result_.findings.begin(), result_.findings.end(), same);
    return found == result_.findings.end() ? nullptr : &*found;
  }

  void add(Shrunk shrunk, std::uint64_t plan) {
    Cause cause = cause_of(shrunk.failure, shrunk.scenario);
    if (HuntFinding* const known = find(cause)) {
      std::uint64_t& last = last_plans_[static_cast<std::size_t>(known - result_.findings.data())];
      known->count += last != plan;
      last = plan;
      return;
    }
    if (result_.findings.size() >= options_.most_findings) return;
    HuntFinding finding{.cause = std::move(cause), .shrunk = std::move(shrunk), .plan = plan};
    rate(finding);
    finding.right_end =
        judge_.right_end_of(finding.shrunk.scenario, finding.shrunk.seed, finding.cause.failure.property);
    if (options_.keep) options_.keep(finding);  // the progress now shows the finding, and later the result
    result_.findings.push_back(std::move(finding));
    last_plans_.push_back(plan);
  }

  std::uint32_t failing_others(const Scenario& scenario, std::uint64_t seed, Property property) {
    std::vector<char> fails(HuntFinding::kOtherSeeds);
    in_parallel(fails.size(), options_.jobs, [&](std::size_t i) {
      const PlanOutcome outcome = judge_.play(scenario, seed + 1 + i);
      fails[i] = outcome.failure_of(property) != nullptr;
    });
    result_.runs += fails.size();
    return static_cast<std::uint32_t>(std::count(fails.begin(), fails.end(), 1));
  }

  // Bisection ends next to the value where the verdict turns, which other seeds may have on the other side.
  void rate(HuntFinding& finding) {
    Shrunk& shrunk = finding.shrunk;
    const Property property = finding.cause.failure.property;
    finding.others = failing_others(shrunk.scenario, shrunk.seed, property);
    for (std::size_t i = 0; i < shrunk.scenario.faults.size(); ++i) {
      for (const FaultNumber& number : numbers_of(shrunk.scenario.faults[i])) {
        for (const std::int64_t times : {2, 5}) {
          if (!finding.fragile() || stopped()) return;
          if (number.open || number.value == 0 || std::abs(number.value) > number.most / times) continue;
          Scenario larger = shrunk.scenario;
          larger.faults[i] = with_number(larger.faults[i], number, number.value * times);
          ++result_.runs;
          const PlanOutcome outcome = judge_.play(larger, shrunk.seed);
          const Failure* const failure = outcome.failure_of(property);
          if (failure == nullptr || *failure != finding.cause.failure) continue;
          const std::uint32_t others = failing_others(larger, shrunk.seed, property);
          if (others <= finding.others) continue;
          // Fewer faults may do with larger numbers.
          Certificate certificate =
              certify(judge_, larger, shrunk.seed, property, shrunk.certificate.complete() ? kMostSubsets : 0);
          result_.runs += certificate.tried;
          if (certificate.smaller) continue;
          finding.others = others;
          shrunk.certificate = std::move(certificate);
          shrunk.scenario = std::move(larger);
          break;
        }
      }
    }
  }

  const HuntSpace space_;
  const HuntOptions& options_;
  const Judge judge_;
  std::unique_ptr<Grid> grid_;
  std::uint64_t calm_ = 0;
  NearMisses near_;
  HuntResult result_;
  std::vector<std::uint64_t> last_plans_;  // index: finding; the last plan that failed this way
};

}  // namespace

bool HuntFinding::covers(const Cause& other) const {
  if (cause == other) return true;
  const std::vector<Property>& also = shrunk.certificate.also;
  return cause.faults == other.faults && cause.failure.lock == other.failure.lock &&
         std::find(also.begin(), also.end(), other.failure.property) != also.end();
}

bool HuntResult::tested_all() const {
  return std::all_of(judged.begin(), judged.end(), [](const JudgedProperty& p) { return p.decided() > 0; });
}

HuntResult hunt(const HuntSpace& space, const HuntOptions& options) { return Hunter(space, options).hunt(); }

}  // namespace picklock
