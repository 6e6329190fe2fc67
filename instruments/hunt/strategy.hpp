// Strategies: which plan a hunt tries next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.hpp"
#include "instruments/hunt/aim.hpp"
#include "scenarios/generators/scenario.hpp"

namespace picklock {

enum class Strategy : std::uint8_t { portfolio, many, some, few, near, order, recipes, exhaustive };
constexpr auto enum_names(Strategy) {
  return name_list("portfolio", "many", "some", "few", "near", "order", "recipes", "exhaustive");
}
std::string_view name(Strategy strategy);
std::optional<Strategy> find_strategy(std::string_view name);
// The conclusion that a hunt without findings allows, in words.
std::string_view guarantee(Strategy strategy);

// Parts that may differ from the scenario that a hunt begins with, beside faults.
struct Variety {
  bool clients = false;  // true: varies number, threads, nested locks, operators
  bool options = false;  // true: also varies options of lock, servers and storage
  bool servers = false;  // true: varies replicas, sentinels
  bool network = false;  // true: varies latencies, clocks and links of single machines
};

struct HuntSpace {
  Scenario base;
  FaultSpace faults;  // faults that the base allows
  Variety vary;
  std::vector<std::string> kinds;  // kinds of faults to draw; empty: all
  // Faults that wait for no event come in this range of true time; nothing: at any instant.
  std::optional<Law> instants{};
  std::int64_t most_faults = 12;
  // Longest section drawn for plans within the assumptions; nothing: as the lock bounds them.
  std::optional<Duration> longest_section{};
};

// Draws the scenario of plan number `plan`, the same each time; of the strategies that learn from runs (near, recipes) the
// plan that they begin with (instruments/hunt/near_miss.hpp).
Scenario draw_plan(const HuntSpace& space, const Aim& aim, Strategy strategy, std::uint64_t hunt_seed,
                   std::uint64_t plan);

}  // namespace picklock
