#include "hunt/strategy.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "generators/draw.hpp"
#include "hunt/order.hpp"

namespace picklock {
namespace {

PlanShape shape_of(Strategy strategy, std::uint64_t plan, std::int64_t most) {
  constexpr Strategy kTurns[] = {Strategy::many, Strategy::some, Strategy::many, Strategy::few};
  if (strategy == Strategy::portfolio) strategy = kTurns[plan % std::size(kTurns)];
  const auto between = [&](std::int64_t least, std::int64_t up_to) {
    return PlanShape{.least = std::min(least, most), .most = std::min(up_to, most), .swarm = false};
  };
  switch (strategy) {
    case Strategy::many:
    case Strategy::near:
    case Strategy::recipes:
      return between(7, 12);
    case Strategy::few:
      return between(1, 2);
    default:
      return most < 6 ? PlanShape{.least = 0, .most = most} : PlanShape{};
  }
}

}  // namespace

std::string_view name(Strategy strategy) { return enum_names(strategy)[static_cast<std::size_t>(strategy)]; }

std::optional<Strategy> find_strategy(std::string_view name) {
  const auto names = enum_names(Strategy{});
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Strategy>(found - names.begin());
}

std::string_view guarantee(Strategy strategy) {
  switch (strategy) {
    case Strategy::many:
      return "seven to twelve faults a plan: each plan tries hundreds of combinations of up to three of them";
    case Strategy::some:
      return "up to six faults a plan, whole kinds left out at random";
    case Strategy::few:
      return "one or two faults a plan";
    case Strategy::near:
      return "every other plan is drawn around those that came closest to the bounds of the lock, the rest are as with "
             "many";
    case Strategy::order:
      return "priorities over n links that change at up to two of k events: a failure that hangs on the order of d "
             "deliveries "
             "has a chance of at least 1 / (n k^(d-1)) a plan";
    case Strategy::recipes:
      return "every other plan is a close one that goes on with other draws, up to four times; the rest are as with "
             "many";
    case Strategy::exhaustive:
      return "every single fault of a grid of kinds, targets, instants and lengths, then pairs of them";
    default:
      return "half of the plans have seven to twelve faults, a quarter up to six, a quarter one or two";
  }
}

Scenario draw_plan(const HuntSpace& space, const Aim& aim, Strategy strategy, std::uint64_t hunt_seed,
                   std::uint64_t plan) {
  const draw::Seeded seeded(mix(hunt_seed, plan));
  ScenarioBounds bounds{.options = space.vary.options,
                        .topology = space.vary.servers,
                        .clients = space.vary.clients,
                        .network = space.vary.network,
                        .plan = shape_of(strategy, plan, space.most_faults)};
  // Of many faults one or another breaks an assumption that is to be met.
  if (aim.beyond) bounds.plan = shape_of(Strategy::few, plan, space.most_faults);
  bounds.plan.kinds = space.kinds;
  bounds.beyond = aim.beyond;
  // What goes beyond one assumption can be far beyond it, or just beyond what is drawn within all others.
  const bool tame = aim.within_assumptions || (aim.beyond && plan % 2 == 0);
  bounds.mishaps = tame ? Mishaps::within : Mishaps::any;
  bounds.short_holds = aim.within_assumptions;
  bounds.abandons = bounds.mishaps == Mishaps::any;
  Scenario drawn = scenario_around(space.base, space.faults, bounds);
  if (strategy == Strategy::order) {
    FaultSpace varied = space.faults;
    adapt(varied, drawn);
    draw_order(drawn, varied, aim);
  }
  demand(drawn, aim);
  return drawn;
}

}  // namespace picklock
