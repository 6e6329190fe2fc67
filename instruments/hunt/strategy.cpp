#include "instruments/hunt/strategy.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "instruments/hunt/order.hpp"
#include "scenarios/generators/draw.hpp"

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

// Moves instants that lie outside of the range into it.
void move_into(const Law& range, FaultPlan& plan) {
  for (Fault& f : plan) {
    if (!f.trigger.on.empty()) continue;
    const std::int64_t at = f.trigger.at ? f.trigger.at->low() : 0;
    const bool inside = f.trigger.at && at >= range.low() && f.trigger.at->high() <= range.high();
    const std::int64_t width = range.high() - range.low();
    if (!inside) f.trigger.at = Law::constant(range.low() + (width == 0 ? 0 : at % (width + 1)));
  }
}

// Three of four plans have no kinds of faults but those that can break the assumption, whatever their size; the fourth has any kinds,
// which break no other one.
void go_beyond(AssumptionKind assumption, std::uint64_t plan, std::int64_t most, ScenarioBounds& bounds) {
  bounds.beyond = assumption;
  bounds.abandons = assumption == AssumptionKind::no_unanswered_requests;
  std::vector<std::string> kinds = kinds_that_break(assumption);
  const std::vector<std::string>& wanted = bounds.plan.kinds;
  const auto unwanted = [&](const std::string& k) {
    return std::find(wanted.begin(), wanted.end(), k) == wanted.end();
  };
  if (!wanted.empty()) std::erase_if(kinds, unwanted);
  const bool any_kinds = plan % 4 == 0 || kinds.empty();
  bounds.mishaps = any_kinds ? Mishaps::within : Mishaps::any;
  bounds.plan = {.least = std::min<std::int64_t>(any_kinds ? 1 : 3, most),
                 .most = std::min<std::int64_t>(any_kinds ? 2 : 6, most),
                 .swarm = false,
                 .kinds = any_kinds ? wanted : std::move(kinds)};
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
  bounds.plan.kinds = space.kinds;
  bounds.mishaps = aim.within_assumptions ? Mishaps::within : Mishaps::any;
  bounds.abandons = !aim.within_assumptions;
  if (aim.beyond) go_beyond(*aim.beyond, plan, space.most_faults, bounds);
  bounds.short_holds = aim.within_assumptions;
  bounds.claim = claim_of(aim.properties[plan % aim.properties.size()]);
  bounds.long_sections = plan % 2 == 0;
  bounds.longest_hold = space.longest_section;
  bounds.operators = !aim.within_assumptions && !aim.beyond;  // no lock holds out against force
  Scenario drawn = scenario_around(space.base, space.faults, bounds);
  if (strategy == Strategy::order) {
    FaultSpace varied = space.faults;
    adapt(varied, drawn);
    draw_order(drawn, varied, aim);
  }
  if (space.instants) move_into(*space.instants, drawn.faults);
  demand(drawn, aim);
  return drawn;
}

}  // namespace picklock
