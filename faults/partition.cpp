#include "faults/partition.hpp"

#include <algorithm>
#include <sstream>

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

// "a b" as "a and b"
std::string joined_names(std::string_view group) {
  std::vector<std::string> names;
  std::istringstream words{std::string(group)};
  for (std::string name; words >> name;) names.push_back(name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

}  // namespace

std::string in_words(const PartitionOptions& options) {
  std::vector<std::string> sides;
  for (std::string_view rest = options.between; !rest.empty();) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    sides.push_back(joined_names(rest.substr(0, bar)));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  if (sides.empty()) return "";
  if (options.shape == PartitionShape::one_way) {
    return "nothing from " + sides[0] + " reaches " + (sides.size() > 1 ? sides[1] : "any other node");
  }
  const bool several = sides[0].find(" and ") != std::string::npos;
  std::string text = sides[0] + (several ? " are" : " is") + " cut off from ";
  if (sides.size() == 1) return text + "all other nodes";
  text += sides[1];
  for (std::size_t i = 2; i < sides.size(); ++i) text += ", and from " + sides[i];
  return text;
}

void PartitionOptions::fields(FieldVisitor& v) {
  v.field({.name = "shape", .help = "directions that are cut, and the side of nodes not named"}, shape);
  v.field({.name = "between", .help = "groups of nodes, \"a b | redis\""}, between);
  v.length({.name = "lasts", .help = "duration; none: until the heal phase", .least = 0}, lasts);
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
