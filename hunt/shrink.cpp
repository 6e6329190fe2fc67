#include "hunt/shrink.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "faults/fault_kinds.hpp"
#include "generators/scenario.hpp"
#include "hunt/instants.hpp"
#include "hunt/numbers.hpp"
#include "scenarios/file/parts.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostInASubset = 3;

class Shrinker {
 public:
  Shrinker(const Judge& judge, const Scenario& failing, std::uint64_t seed, const ShrinkBounds& bounds)
      : judge_(judge), bounds_(bounds), drawn_(failing.faults) {
    now_.scenario = failing;
    now_.seed = seed;
    now_.drawn_faults = drawn_.size();
    now_.failure = *judge.play(failing, seed).failure;
    FaultSpace space;
    adapt(space, failing);
    for (const FaultSpace::Deadline& d : space.deadlines) deadlines_.push_back(d.length.ns);
    kept_.resize(drawn_.size());
    for (std::size_t i = 0; i < kept_.size(); ++i) kept_[i] = i;
  }

  Shrunk shrink() {
    leave_faults_out();
    if (bounds_.known && bounds_.known(now_)) return std::move(now_);
    try_smaller_sets();
    fewer_clients();
    for (bool changed = true; changed && !spent();) {
      changed = false;
      for (std::size_t i = 0; i < now_.scenario.faults.size(); ++i) {
        if (without(i)) {  // smaller numbers have made it needless
          changed = true;
          break;
        }
        changed = simpler_kind(i) || changed;
        changed = simpler_trigger(i) || changed;
        changed = simpler_fields(i) || changed;
      }
    }
    if (bounds_.everything) simplify_the_rest();
    try_seed_one();
    now_.exhausted = spent();
    return std::move(now_);
  }

 private:
  bool spent() const { return now_.tries >= bounds_.most_tries; }

  // As before: the same property, and no assumption broken that was kept.
  bool as_before(const PlanOutcome& outcome) const {
    return outcome.failure && outcome.failure->property == now_.failure.property &&
           std::includes(now_.failure.broken.begin(), now_.failure.broken.end(), outcome.failure->broken.begin(),
                         outcome.failure->broken.end());
  }

  bool take_if_it_fails(Scenario candidate) {
    if (spent() || candidate == now_.scenario) return false;
    ++now_.tries;
    const PlanOutcome outcome = judge_.play(candidate, now_.seed);
    if (!as_before(outcome)) return false;
    now_.scenario = std::move(candidate);
    now_.failure = *outcome.failure;
    return true;
  }
  bool take_faults(FaultPlan plan) {
    Scenario candidate = now_.scenario;
    candidate.faults = std::move(plan);
    return take_if_it_fails(std::move(candidate));
  }
  bool take_fault(std::size_t i, Fault fault) {
    FaultPlan plan = now_.scenario.faults;
    plan[i] = std::move(fault);
    return take_faults(std::move(plan));
  }

  FaultPlan drawn(const std::vector<std::size_t>& places) const {
    FaultPlan plan;
    for (const std::size_t i : places) plan.push_back(drawn_[i]);
    return plan;
  }

  void leave_faults_out() {
    if (!kept_.empty() && take_faults({})) kept_.clear();
    for (std::size_t i = kept_.size(); i-- > 0 && kept_.size() > 1;) {
      std::vector<std::size_t> less = kept_;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
      if (take_faults(drawn(less))) kept_ = std::move(less);
    }
  }

  // Sets of one, two and three drawn faults that are smaller than what is left.
  void try_smaller_sets() {
    now_.certified = true;
    now_.subsets = kept_.empty() ? 0 : 1;  // no faults at all
    for (std::size_t size = 1; size <= kMostInASubset && size < kept_.size(); ++size) {
      std::vector<std::size_t> chosen;
      if (try_sets(size, 0, chosen)) return;
    }
  }
  bool try_sets(std::size_t size, std::size_t from, std::vector<std::size_t>& chosen) {
    if (chosen.size() == size) {
      if (spent()) now_.certified = false;
      if (spent()) return true;
      ++now_.subsets;
      if (!take_faults(drawn(chosen))) return false;
      --now_.subsets;
      kept_ = chosen;
      return true;
    }
    for (std::size_t i = from; i < drawn_.size(); ++i) {
      chosen.push_back(i);
      if (try_sets(size, i + 1, chosen)) return true;
      chosen.pop_back();
    }
    return false;
  }

  void fewer_clients() {
    for (bool fewer = true; fewer && now_.scenario.clients.size() > 1;) {
      fewer = false;
      for (Scenario& candidate : simplify(now_.scenario)) {
        if (candidate.clients.size() >= now_.scenario.clients.size()) break;
        if (candidate.faults.size() < now_.scenario.faults.size()) continue;  // a fault that names who is gone
        if (take_if_it_fails(std::move(candidate))) {
          fewer = true;
          break;
        }
      }
    }
  }

  bool without(std::size_t i) {
    FaultPlan plan = now_.scenario.faults;
    plan.erase(plan.begin() + static_cast<std::ptrdiff_t>(i));
    return take_faults(std::move(plan));
  }

  // A pause is a plainer story than a machine that stands still and drops what it is sent.
  bool simpler_kind(std::size_t i) {
    static constexpr std::pair<std::string_view, std::string_view> kPlainer[] = {{"freeze", "pause"},
                                                                                 {"power-loss", "kill"}};
    for (const auto& [from, to] : kPlainer) {
      if (now_.scenario.faults[i].kind != from) continue;
      return take_fault(i, as_kind(now_.scenario.faults[i], to));
    }
    return false;
  }
  static Fault as_kind(const Fault& fault, std::string_view kind) {
    Fault other{.kind = std::string(kind),
                .trigger = fault.trigger,
                .options = AnyOptions(find_fault_kind(kind)->default_options())};
    carry_over(fault.options, AnyOptions(find_fault_kind(fault.kind)->default_options()), other.options);
    return other;
  }

  bool simpler_trigger(std::size_t i) {
    const Fault fault = now_.scenario.faults[i];
    const auto with = [&](Trigger trigger) {
      Fault changed = fault;
      changed.trigger = std::move(trigger);
      return take_fault(i, std::move(changed));
    };
    if (fault.trigger == Trigger{}) return false;
    if (with({})) return true;
    if (fault.trigger.on.empty()) {
      if (!fault.trigger.at || !asked_.insert(i).second) return false;
      constexpr std::size_t kMostEvents = 4;
      for (Trigger& event : events_near(now_.scenario, now_.seed, Duration{fault.trigger.at->high()}, kMostEvents)) {
        if (with(std::move(event))) return true;
      }
      return false;
    }
    Trigger plain = fault.trigger;
    plain.offset = {};
    plain.count = 1;
    return with(plain);
  }

  bool simpler_fields(std::size_t i) {
    bool changed = take_fault(i, with_constants(now_.scenario.faults[i]));
    for (bool fewer = true; fewer;) {
      fewer = false;
      for (Fault& less : with_fewer_machines(now_.scenario.faults[i])) {
        fewer = take_fault(i, std::move(less));
        if (fewer) break;
      }
    }
    for (const FaultNumber& number : numbers_of(now_.scenario.faults[i])) changed = smaller(i, number) || changed;
    return changed;
  }

  // Bisects between a value that does not fail and one that does, then rounds up.
  bool smaller(std::size_t i, FaultNumber number) {
    const Fault fault = now_.scenario.faults[i];
    if (!done_.insert({i, number.field, number.open ? -1 : number.value}).second) return false;
    if (number.open) {  // closed by a plain value
      for (const std::int64_t d : deadlines_) {
        if (take_fault(i, with_number(fault, number, std::clamp(2 * d, number.least, number.most)))) return true;
      }
      return take_fault(i, with_number(fault, number, std::clamp(seconds(10).ns, number.least, number.most)));
    }
    const std::int64_t sign = number.value < 0 ? -1 : 1;
    std::int64_t high = number.value * sign;
    std::int64_t low = sign < 0 ? 0 : std::max<std::int64_t>(number.least, 0);
    if (high <= low) return false;
    const auto take = [&](std::int64_t size) { return take_fault(i, with_number(fault, number, sign * size)); };
    if (take(low)) return true;
    bool changed = false;
    const std::int64_t first = std::max<std::int64_t>(low, 1);
    for (std::int64_t below = first; high - below > below / 8 && high - below > 1;) {
      const std::int64_t between = high / below >= 4 ? geometric(below, high) : below + (high - below) / 2;
      if (take(between)) {
        high = between;
        changed = true;
      } else {
        below = between;
      }
      if (spent()) return changed;
    }
    for (const std::int64_t plain : plain_values(high, number.time ? deadlines_ : std::vector<std::int64_t>{})) {
      if (plain == high) break;
      if (sign * plain > number.most || sign * plain < number.least) continue;
      if (take(plain)) {
        changed = true;
        high = plain;
        break;
      }
    }
    done_.insert({i, number.field, sign * high});
    return changed;
  }
  static std::int64_t geometric(std::int64_t low, std::int64_t high) {
    return static_cast<std::int64_t>(std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
  }

  // What else was varied; each step is less by its measure, and the place is kept after a step.
  void simplify_the_rest() {
    for (std::size_t at = 0; !spent();) {
      std::vector<Scenario> candidates = simplify(now_.scenario);
      bool taken = false;
      for (; at < candidates.size() && !taken && !spent(); ++at) {
        if (candidates[at].faults == now_.scenario.faults) taken = take_if_it_fails(std::move(candidates[at]));
      }
      if (taken) {
        --at;
        swept_ = false;
      } else if (!std::exchange(swept_, true)) {
        at = 0;
      } else {
        return;
      }
    }
  }

  void try_seed_one() {
    if (now_.seed == 1) return;
    ++now_.tries;
    const PlanOutcome outcome = judge_.play(now_.scenario, 1);
    if (!as_before(outcome)) return;
    now_.seed = 1;
    now_.failure = *outcome.failure;
    for (std::size_t i = 0; i < now_.scenario.faults.size();) i = without(i) ? 0 : i + 1;  // it may need less
  }

  struct Tried {
    std::size_t fault, field;
    std::int64_t value;
    auto operator<=>(const Tried&) const = default;
  };

  const Judge& judge_;
  const ShrinkBounds& bounds_;
  const FaultPlan drawn_;
  std::vector<std::size_t> kept_;  // places of the faults that are left, in the drawn plan
  std::vector<std::int64_t> deadlines_;
  std::set<std::size_t> asked_;  // faults whose instants were compared with events
  std::set<Tried> done_;         // numbers that were bisected
  bool swept_ = false;
  Shrunk now_;
};

}  // namespace

Shrunk shrink(const Judge& judge, const Scenario& failing, std::uint64_t seed, const ShrinkBounds& bounds) {
  return Shrinker(judge, failing, seed, bounds).shrink();
}

}  // namespace picklock
