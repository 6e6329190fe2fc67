#include "instruments/hunt/shrink.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faults/fault_kinds.hpp"
#include "faults/text.hpp"
#include "instruments/hunt/calm.hpp"
#include "instruments/hunt/instants.hpp"
#include "instruments/hunt/numbers.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/generators/scenario.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostInASubset = 3;

class Shrinker {
 public:
  Shrinker(const Judge& judge, const Scenario& failing, std::uint64_t seed, const Failure& failure,
           const ShrinkBounds& bounds)
      : judge_(judge), bounds_(bounds), drawn_(failing.faults) {
    now_.scenario = failing;
    now_.seed = seed;
    now_.drawn_faults = drawn_.size();
    now_.failure = failure;
    FaultSpace space;
    adapt(space, failing);
    for (const FaultSpace::Deadline& d : space.deadlines) deadlines_.push_back(d.length.ns);
    kept_.resize(drawn_.size());
    for (std::size_t i = 0; i < kept_.size(); ++i) kept_[i] = i;
  }

  Shrunk shrink() {
    leave_faults_out();
    if (bounds_.known && bounds_.known(now_)) return std::move(now_);
    in_sets_ = true;
    try_smaller_sets();
    in_sets_ = false;
    do simplify_all();
    while (!is_minimal());
    now_.exhausted = spent();
    return std::move(now_);
  }

 private:
  bool spent() const { return now_.all_tries() >= bounds_.most_tries; }

  // The failure of the same property, if it is the same failure; else null.
  const Failure* as_before(const PlanOutcome& outcome) const {
    const Failure* const failure = outcome.failure_of(now_.failure.property);
    return failure != nullptr && same_failure(now_.failure, *failure) ? failure : nullptr;
  }

  void simplify_all() {
    calm_draws();
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
    calm_draws();  // smaller numbers may have made draws needless
    try_seed_one();
    spare_faults();
  }

  // False: a smaller set of the faults fails as well, and has taken their place.
  bool is_minimal() {
    const std::uint32_t left = spent() ? 0 : bounds_.most_tries - now_.all_tries();
    now_.certificate = certify(judge_, now_.scenario, now_.seed, now_.failure.property, left);
    now_.set_tries += now_.certificate.tried;
    if (!now_.certificate.smaller) return true;
    now_.scenario.faults = now_.certificate.smaller_faults;
    now_.failure = *now_.certificate.smaller;
    refused_.clear();
    asked_.clear();
    done_.clear();
    return false;
  }

  bool take_if_it_fails(Scenario candidate) {
    if (spent() || candidate == now_.scenario) return false;
    ++(in_sets_ ? now_.set_tries : now_.tries);
    const PlanOutcome outcome = judge_.play(candidate, now_.seed);
    const Failure* const failure = as_before(outcome);
    if (failure == nullptr) return false;
    if (candidate.faults == now_.scenario.faults) refused_.clear();  // other tries change the faults alone
    now_.scenario = std::move(candidate);
    now_.failure = *failure;
    return true;
  }
  // A plan that passed once will pass again, while only the faults change.
  bool take_faults(FaultPlan plan) {
    Scenario candidate = now_.scenario;
    candidate.faults = std::move(plan);
    std::string text = to_text(candidate.faults);
    if (spent() || refused_.count(text) > 0) return false;
    if (take_if_it_fails(std::move(candidate))) return true;
    refused_.insert(std::move(text));
    return false;
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

  // Halves first, then ever smaller parts; the last ones are single faults.
  void leave_faults_out() {
    if (!kept_.empty() && take_faults({})) kept_.clear();
    for (std::size_t part = (kept_.size() + 1) / 2; part >= 1 && kept_.size() > 1; part /= 2) {
      for (std::size_t end = kept_.size(); end > 0 && kept_.size() > 1;) {
        const std::size_t begin = end > part ? end - part : 0;
        if (end - begin < kept_.size()) leave_out(begin, end);
        end = begin;
      }
    }
  }
  void leave_out(std::size_t begin, std::size_t end) {
    std::vector<std::size_t> less = kept_;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(begin), less.begin() + static_cast<std::ptrdiff_t>(end));
    if (take_faults(drawn(less))) kept_ = std::move(less);
  }

  // Each part that draws becomes calm, all at once if that still fails.
  void calm_draws() {
    Scenario all = now_.scenario;
    for (const DrawnPart part : kDrawnParts) all = calmed(std::move(all), part);
    if (take_if_it_fails(std::move(all))) return;
    if (drawn_parts(now_.scenario).size() < 2) return;
    for (const DrawnPart part : kDrawnParts) take_if_it_fails(calmed(now_.scenario, part));
  }

  // Sets of one, two and three drawn faults that are smaller than what is left.
  void try_smaller_sets() {
    for (std::size_t size = 1; size <= kMostInASubset && size < kept_.size(); ++size) {
      std::vector<std::size_t> chosen;
      if (try_sets(size, 0, chosen)) return;
    }
  }
  bool try_sets(std::size_t size, std::size_t from, std::vector<std::size_t>& chosen) {
    if (chosen.size() == size) {
      if (spent()) return true;
      if (!take_faults(drawn(chosen))) return false;
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
    if (bounds_.keep_triggers || fault.trigger == Trigger{}) return false;
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
    for (const FaultNumber& number : numbers_of(now_.scenario.faults[i])) {
      if (bounds_.keep_triggers && number.trigger) continue;
      changed = smaller(i, number) || changed;
    }
    return changed;
  }

  // Bisects among plain values between one that does not fail and one that does.
  bool smaller(std::size_t i, FaultNumber number) {
    const Fault fault = now_.scenario.faults[i];
    if (!done_.insert({i, number.field, number.open ? -1 : number.value}).second) return false;
    if (number.open) {  // closed by a length that can be bisected
      return take_fault(i, with_number(fault, number, std::clamp(seconds(10).ns, number.least, number.most)));
    }
    const std::int64_t sign = number.value < 0 ? -1 : 1;
    const std::int64_t high = number.value * sign;
    const std::int64_t low = sign < 0 ? 0 : std::max<std::int64_t>(number.least, 0);
    if (high <= low) return false;
    const auto take = [&](std::int64_t size) { return take_fault(i, with_number(fault, number, sign * size)); };
    if (take(low)) return true;
    std::vector<std::int64_t> steps = plain_steps(low, high, number.time, deadlines_);
    steps.push_back(high);
    std::size_t failing = steps.size() - 1;
    for (std::size_t below = 0; failing > below;) {  // steps before `below` do not fail
      const std::size_t between = below + (failing - below) / 2;
      if (take(steps[between])) {
        failing = between;
      } else {
        below = between + 1;
      }
      if (spent()) break;
    }
    std::int64_t found = steps[failing];
    if (found == high) {  // rounded up
      const std::vector<std::int64_t> above = plain_steps(high - 1, high + high / 2, number.time, deadlines_);
      const std::int64_t largest = sign > 0 ? number.most : -std::max(number.least, -INT64_MAX);
      const bool fits = !above.empty() && above.front() != high && above.front() <= largest;
      if (fits && take(above.front())) found = above.front();
    }
    done_.insert({i, number.field, sign * found});
    return found != high;
  }

  // Simplifies the other varied parts; each step is less by its measure, and the place is kept after a step.
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
    const Failure* const failure = as_before(outcome);
    if (failure == nullptr) return;
    now_.seed = 1;
    now_.failure = *failure;
    refused_.clear();
  }

  // Tries calm draws and other seeds, which may need fewer faults.
  void spare_faults() {
    for (std::size_t i = 0; i < now_.scenario.faults.size();) i = without(i) ? 0 : i + 1;
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
  std::set<std::size_t> asked_;    // faults whose instants were compared with events
  std::set<Tried> done_;           // numbers that were bisected
  std::set<std::string> refused_;  // plans that did not fail, all else being as it is now
  bool in_sets_ = false;           // tries count as those of smaller sets
  bool swept_ = false;
  Shrunk now_;
};

}  // namespace

Shrunk shrink(const Judge& judge, const Scenario& failing, std::uint64_t seed, const Failure& failure,
              const ShrinkBounds& bounds) {
  return Shrinker(judge, failing, seed, failure, bounds).shrink();
}

}  // namespace picklock
