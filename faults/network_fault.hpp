// The common part of the network's faults: rules that are in force for a while.
//
// The network's first verdict wins.  So that a cut cuts although a delay began earlier, rules stand
// in the order of their strength: cut, hold, lose, delay; of equals the oldest first.
#pragma once

#include <memory>
#include <vector>

#include "faults/armed_fault.hpp"
#include "faults/names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

class NetworkFault final : public ArmedFault {
 public:
  Injection begin(World& world, FaultRun& run) override;
  void end(World& world, FaultRun& run) override;

  std::vector<NetworkRule> rules;

 private:
  int weakness() const;
  void install(World& world);
  void uninstall(World& world);
  std::vector<std::uint32_t> ids_;
};

inline constexpr FieldInfo kFromField = {.name = "from",
                                         .help = "nodes whose segments the fault affects, \"a b\"; empty: all"};
inline constexpr FieldInfo kToField = {.name = "to", .help = "nodes that the segments go to, \"redis\"; empty: all"};

// One rule for everything that goes from `from` to `to`.
std::unique_ptr<NetworkFault> arm_rule(NetworkRule rule, std::string_view from, std::string_view to,
                                       std::optional<Law> lasts, PlanNames& names);

}  // namespace picklock
