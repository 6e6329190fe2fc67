#include "faults/partition.hpp"

#include <fmt/format.h>

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
      if (groups.size() == 1) return rules_of(PartitionShape::all, groups);
      for (const NodeSet& from : groups) {
        for (const NodeSet& to : groups) {
          if (from != to) rules.push_back(cut(from, to));
        }
      }
      break;
  }
  return rules;
}

std::vector<std::string_view> sides_of(const PartitionOptions& options) {
  std::vector<std::string_view> sides;
  for (std::string_view rest = options.between; !rest.empty();) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    sides.push_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return sides;
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
  for (const std::string_view side : sides_of(options)) sides.push_back(joined_names(side));
  if (sides.empty()) return "";
  if (options.shape == PartitionShape::one_way) {
    return "nothing from " + sides[0] + " reaches " + (sides.size() > 1 ? sides[1] : "any other node");
  }
  const bool several = sides[0].find(" and ") != std::string::npos;
  std::string text = sides[0] + (several ? " are" : " is") + " cut off from ";
  if (sides.size() == 1) return text + "all other nodes";
  text += sides[1];
  for (std::size_t i = 2; i < sides.size(); ++i) text += ", and from " + sides[i];
  return text + (options.shape == PartitionShape::all ? ", and each of them from all other nodes" : "");
}

std::string name_in_words(const PartitionOptions& options) {
  std::vector<std::string> sides;
  for (const std::string_view side : sides_of(options))
    sides.push_back(fmt::format("{}", fmt::join(words_of(side), " ")));
  if (sides.empty()) return "partition";
  if (options.shape == PartitionShape::one_way) {
    return fmt::format("one-way partition from {} to {}", sides[0], sides.size() > 1 ? sides[1] : "all other nodes");
  }
  if (sides.size() == 1) return "partition around " + sides[0];
  if (options.shape == PartitionShape::all) {
    return fmt::format("partition between {} and all other nodes", fmt::join(sides, ", "));
  }
  return fmt::format("partition between {}", fmt::join(sides, " and "));
}

void PartitionOptions::fields(FieldVisitor& v) {
  v.field(
      {.name = "shape",
       .help = "partial: cuts the named sides off from one another, and a single side from all other nodes; all: cuts "
               "each named side off from all other nodes, named or not; one-way: loses what the first side sends to "
               "the second"},
      shape);
  v.field({.name = "between", .help = "groups of nodes, \"a b | redis\""}, between);
  v.field({.name = "lasts", .help = "duration; none: until the heal phase", .least = 0}, lasts);
}

std::unique_ptr<ArmedFault> arm_fault(const PartitionOptions& options, PlanNames& names) {
  auto fault = std::make_unique<NetworkFault>();
  fault->lasts = options.lasts;
  const std::vector<NodeSet> groups = names.groups("between", options.between);
  if (options.shape == PartitionShape::one_way && groups.size() > 2) {
    names.reject("between", options.between, "at most two groups, the first cut off on its way");
  }
  if (!names.error()) fault->rules = rules_of(options.shape, groups);
  return fault;
}

}  // namespace picklock
