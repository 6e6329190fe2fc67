#include "faults/partition.hpp"

#include "faults/network_fault.hpp"

namespace picklock {
namespace {

NetworkRule cut(const NodeSet& from, const NodeSet& to) {
  NetworkRule rule;
  rule.from = from;
  rule.to = to;
  rule.fate = Fate::drop;
  return rule;
}

std::vector<NetworkRule> rules_of(PartitionShape shape, const std::vector<NodeSet>& groups) {
  std::vector<NetworkRule> rules;
  switch (shape) {
    case PartitionShape::all:
      for (const NodeSet& group : groups) {
        rules.push_back(cut(group, ~group));
        rules.push_back(cut(~group, group));
      }
      break;
    case PartitionShape::one_way:
      rules.push_back(cut(groups[0], groups.size() == 1 ? ~groups[0] : groups[1]));
      break;
    case PartitionShape::partial:
      for (const NodeSet& from : groups) {
        for (const NodeSet& to : groups) {
          if (from != to) rules.push_back(cut(from, to));
        }
      }
      break;
  }
  return rules;
}

}  // namespace

void PartitionOptions::fields(FieldVisitor& v) {
  v.field({.name = "shape", .help = "in which directions, and what becomes of nodes not named"}, shape);
  v.field({.name = "between", .help = "groups of nodes, \"a b | redis\""}, between);
  v.field({.name = "lasts", .help = "none: until healing", .least = 0}, lasts);
}

std::unique_ptr<ArmedFault> arm_fault(const PartitionOptions& options, PlanNames& names) {
  auto fault = std::make_unique<NetworkFault>();
  fault->lasts = options.lasts;
  const std::vector<NodeSet> groups = names.groups("between", options.between);
  if (options.shape == PartitionShape::one_way && groups.size() > 2) {
    names.reject("between", options.between, "at most two groups, the first cut off on its way");
  }
  if (options.shape == PartitionShape::partial && groups.size() < 2) {
    names.reject("between", options.between, "two groups or more, as in \"a | redis\"");
  }
  if (!names.error()) fault->rules = rules_of(options.shape, groups);
  return fault;
}

}  // namespace picklock
