#include "instruments/hunt/order.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "faults/delay.hpp"
#include "scenarios/generators/draw.hpp"
#include "scenarios/generators/plan.hpp"
#include "scenarios/generators/tame.hpp"

namespace picklock {
namespace {

using Way = std::pair<std::string, std::string>;

std::vector<Way> ways_by_priority(const FaultSpace& space) {
  std::vector<Way> ways;
  for (const FaultSpace::Link& l : space.links) {
    ways.emplace_back(l.from, l.to);
    ways.emplace_back(l.to, l.from);
  }
  for (std::size_t i = ways.size(); i > 1; --i) {
    std::swap(ways[i - 1], ways[static_cast<std::size_t>(draw::number(0, static_cast<std::int64_t>(i) - 1))]);
  }
  return ways;
}

}  // namespace

void draw_order(Scenario& drawn, const FaultSpace& space, const Aim& aim) {
  constexpr std::int64_t kParts[] = {1, 3, 10, 30};
  drawn.faults.clear();
  drawn.links.clear();
  const std::vector<Way> ways = ways_by_priority(space);
  if (ways.empty()) return;
  std::int64_t lowest = draw::duration(space, 1'000, seconds(60).ns).ns;
  if (aim.within_assumptions) lowest /= kPartsOfABound;
  const std::int64_t step = std::max<std::int64_t>(lowest / std::ssize(ways) / draw::element(kParts), 1'000);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    drawn.links.push_back({ways[i].first, ways[i].second, Law::constant(step * static_cast<std::int64_t>(i + 1))});
  }
  for (std::int64_t change = draw::number(1, kMostDepth); change > 1; --change) {
    const Way& way = draw::element(ways);
    drawn.faults.push_back({.kind = "delay",
                            .trigger = event_trigger(space),
                            .options = AnyOptions::of(DelayOptions{way.first, way.second, Law::constant(lowest), {}})});
  }
}

}  // namespace picklock
