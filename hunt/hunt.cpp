#include "hunt/hunt.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "hunt/grid.hpp"
#include "hunt/harmless.hpp"
#include "hunt/near_miss.hpp"
#include "hunt/numbers.hpp"
#include "scenarios/campaign/in_parallel.hpp"

namespace picklock {
namespace {

constexpr std::uint64_t kRound = 128;  // plans

struct Played {
  NearMisses::Plan plan;
  PlanOutcome outcome;
};

bool learns(Strategy strategy) { return strategy == Strategy::near || strategy == Strategy::recipes; }

class Hunter {
 public:
  Hunter(const HuntSpace& space, const HuntOptions& options)
      : space_(space), options_(options), judge_(space.base, options.aim, learns(options.strategy)) {
    if (options.strategy != Strategy::exhaustive) return;
    const Duration from{space.instants ? space.instants->low() : 0};
    grid_ = std::make_unique<Grid>(single_faults(space.faults, space.kinds, from));
    result_.grid = grid_->singles();
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
        if (round[i].outcome.failure) failed.push_back(i);
        if (learns(options_.strategy)) learn(round[i]);
      }
      group(round, failed);
      result_.plans += round.size();
      if (options_.progress) options_.progress(result_);
    }
    result_.interrupted = stopped();
    if (grid_) {
      result_.idle_in_grid = grid_->idle();
      result_.in_pairs = grid_->in_pairs();
      result_.pairs_left_out = grid_->left_out();
    }
    return std::move(result_);
  }

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }
  bool over() {
    result_.full = result_.findings.size() >= options_.most_findings;
    return result_.full || stopped() || (options_.out_of_time && options_.out_of_time());
  }
  // Plans of a grid are played as they stand.
  PlanOutcome play(NearMisses::Plan& plan) const {
    if (grid_) return judge_.play(plan.scenario, plan.seed, checkpoints());
    return play_what_spares_the_twin(judge_, plan.scenario, plan.seed);
  }

  // What failed needs no guidance.
  void learn(const Played& played) {
    if (played.outcome.failure || !played.outcome.playable) return;
    near_.note(played.plan, played.outcome.closeness, played.outcome.turning_points);
  }

  void classify() {
    Checkpoints events{{}, event_triggers_of(grid_->faults())};
    grid_->classify(judge_.play(calm_scenario(), 1, &events).checked);
    WorldClasses& classes = *grid_->classes();
    classes.note_calm(judge_.play(calm_scenario(), 1, &classes.checkpoints()).checked);
  }
  // Of single faults, as long as they are played.
  const Checkpoints* checkpoints() const {
    const bool checked = grid_ && grid_->classes() != nullptr && result_.plans < grid_->singles();
    return checked ? &grid_->classes()->checkpoints() : nullptr;
  }

  Scenario calm_scenario() const {
    Scenario s = space_.base;
    s.expect.clear();
    s.sometimes.clear();
    s.overrides.clear();
    s.reseeds.clear();
    s.clocks.clear();
    s.faults.clear();
    demand(s, options_.aim);
    return s;
  }

  std::uint64_t round_size() const {
    std::uint64_t size = std::min(kRound, options_.most_plans - result_.plans);
    // Pairs are made of what single faults have shown.
    if (grid_ && result_.plans < grid_->singles()) size = std::min(size, grid_->singles() - result_.plans);
    return size;
  }

  // With a seed of its own.
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
    result_.failed += outcome.failure.has_value();
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
    std::vector<Shrunk> shrunk(failed.size());
    ShrinkBounds bounds = options_.shrink;
    bounds.known = [&](const Shrunk& s) { return find(cause_of(s.failure, s.scenario)) != nullptr; };
    in_parallel(failed.size(), options_.jobs, [&](std::size_t i) {
      if (stopped()) return;
      const std::uint64_t place = failed[i];
      shrunk[i] = shrink(judge_, round[place].plan.scenario, round[place].plan.seed, bounds);
    });
    if (stopped()) return;
    for (std::size_t i = 0; i < failed.size(); ++i) {
      result_.runs += shrunk[i].all_tries();
      add(std::move(shrunk[i]), result_.plans + failed[i]);
    }
  }

  HuntFinding* find(const Cause& cause) {
    const auto same = [&](const HuntFinding& f) { return f.cause == cause; };
    const auto found = std::find_if(result_.findings.begin(), result_.findings.end(), same);
    return found == result_.findings.end() ? nullptr : &*found;
  }

  void add(Shrunk shrunk, std::uint64_t plan) {
    Cause cause = cause_of(shrunk.failure, shrunk.scenario);
    if (HuntFinding* const known = find(cause)) {
      ++known->count;
      return;
    }
    if (result_.findings.size() >= options_.most_findings) return;
    HuntFinding finding{.cause = std::move(cause), .shrunk = std::move(shrunk), .plan = plan};
    rate(finding);
    finding.right_end =
        judge_.right_end_of(finding.shrunk.scenario, finding.shrunk.seed, finding.cause.failure.property);
    if (options_.keep) options_.keep(finding);  // from here on it is announced: in the progress, at last in the result
    result_.findings.push_back(std::move(finding));
  }

  std::uint32_t failing_others(const Scenario& scenario, std::uint64_t seed, Property property) {
    std::vector<char> fails(HuntFinding::kOtherSeeds);
    in_parallel(fails.size(), options_.jobs, [&](std::size_t i) {
      const PlanOutcome outcome = judge_.play(scenario, seed + 1 + i);
      fails[i] = outcome.failure && outcome.failure->property == property;
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
          const auto failure = judge_.play(larger, shrunk.seed).failure;
          if (!failure || *failure != finding.cause.failure) continue;
          const std::uint32_t others = failing_others(larger, shrunk.seed, property);
          if (others <= finding.others) continue;
          finding.others = others;
          shrunk.scenario = std::move(larger);
          break;
        }
      }
    }
  }

  const HuntSpace& space_;
  const HuntOptions& options_;
  const Judge judge_;
  std::unique_ptr<Grid> grid_;
  std::uint64_t calm_ = 0;
  NearMisses near_;
  HuntResult result_;
};

}  // namespace

HuntResult hunt(const HuntSpace& space, const HuntOptions& options) { return Hunter(space, options).hunt(); }

}  // namespace picklock
