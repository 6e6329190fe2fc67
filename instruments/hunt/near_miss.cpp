#include "instruments/hunt/near_miss.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/hash.hpp"
#include "scenarios/generators/draw.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kWhole = 1'000'000;

std::int64_t share(std::int64_t part, std::int64_t whole) {
  if (part <= 0) return 0;
  if (whole <= 0 || part >= whole) return kWhole;
  return static_cast<std::int64_t>(static_cast<double>(part) / static_cast<double>(whole) * kWhole);
}

// The largest part of a lease that was over when a belief in it ended.
std::int64_t used_lease(const History& h) {
  constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
  struct Promise {
    std::int64_t from = kNoTime, until = kNoTime;
  };
  std::vector<Promise> promises(h.holds.size());
  std::int64_t most = 0;
  auto next = h.grants.begin();
  for (const BeliefEvent& e : h.beliefs) {
    for (; next != h.grants.end() && next->index < e.index; ++next) {
      const bool promises_more = next->change == GrantChange::begin || next->change == GrantChange::extend;
      if (promises_more && next->hold < promises.size()) promises[next->hold] = {next->time, next->until};
    }
    if (e.end == BeliefEnd::none || e.hold >= promises.size()) continue;
    const Promise& p = promises[e.hold];
    if (p.from == kNoTime || p.until == kForever) continue;
    most = std::max(most, share(e.time - p.from, p.until - p.from));
  }
  return most;
}

}  // namespace

std::int64_t closeness(const RunResult& result) {
  std::int64_t sum = used_lease(*result.history);
  for (const Assessment& a : result.assumptions) {
    if (concerns(a, Property::mutual_exclusion)) sum += share(a.observed, a.assumption.limit);
  }
  return sum;
}

std::vector<std::int64_t> turning_points(const RunResult& result) {
  constexpr std::size_t kMost = 32;
  std::vector<std::int64_t> found;
  for (const BeliefEvent& e : result.history->beliefs) {
    if (found.size() < kMost) found.push_back(e.time);
  }
  return found;
}

void NearMisses::note(const Plan& plan, std::int64_t closeness, std::vector<std::int64_t> turning_points) {
  const auto place = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.closeness < closeness; });
  if (place == kept_.end() && kept_.size() >= kMost) return;
  kept_.insert(place, {plan, closeness, std::move(turning_points)});
  if (kept_.size() > kMost) kept_.pop_back();
}

NearMisses::Plan NearMisses::draw(const HuntSpace& space, const Aim& aim, std::uint64_t hunt_seed,
                                  std::uint64_t number) const {
  Plan fresh{draw_plan(space, aim, Strategy::many, hunt_seed, number), number + 1};
  if (kept_.empty() || number % 2 == 0) return fresh;
  const draw::Seeded seeded(mix(mix(hunt_seed, number), 1));
  Plan near = draw::element(kept_).plan;
  // A third of its faults, and one at least, becomes other ones.
  FaultPlan& faults = near.scenario.faults;
  FaultPlan& others = fresh.scenario.faults;
  for (std::size_t i = 0; i < faults.size() && !others.empty(); ++i) {
    const bool last = i + 1 == faults.size() && others.size() == fresh.scenario.faults.size();
    if (!last && !draw::one_in(3)) continue;
    faults[i] = std::move(others.back());
    others.pop_back();
  }
  if (draw::one_in(2)) near.seed = fresh.seed;
  return near;
}

NearMisses::Plan NearMisses::draw_recipe(const HuntSpace& space, const Aim& aim, std::uint64_t hunt_seed,
                                         std::uint64_t number) const {
  Plan fresh{draw_plan(space, aim, Strategy::many, hunt_seed, number), number + 1};
  if (kept_.empty() || number % 2 == 0) return fresh;
  const draw::Seeded seeded(mix(mix(hunt_seed, number), 2));
  const Kept& kept = draw::element(kept_);
  if (kept.turning_points.empty()) return fresh;
  const Duration at{draw::element(kept.turning_points)};
  Plan again = kept.plan;
  std::vector<Reseed>& recipe = again.scenario.reseeds;  // reseeds in the order of their instants
  std::erase_if(recipe, [at](const Reseed& r) { return r.at >= at; });
  recipe.push_back({at, static_cast<std::int64_t>(number) + 1});
  return again;
}

}  // namespace picklock
