// Cuts nodes off from one another, in silence: only timeouts tell.  Segments that had left
// before still arrive; TCP sends lost ones again, with back-off, after the cut has healed.
//
//   shape = "partial"  between = "a | redis b"   the named sides from one another; nodes not named reach all
//   shape = "partial"  between = "a"             a from all other nodes
//   shape = "all"      between = "a | redis b"   each named side from all other nodes, named or not
//   shape = "one-way"  between = "a | redis"     nothing from a reaches redis, answers would
//   shape = "one-way"  between = "a"             nothing from a reaches any other node
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "faults/armed_fault.hpp"
#include "faults/names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

enum class PartitionShape : std::uint8_t { all, one_way, partial };
constexpr auto enum_names(PartitionShape) { return name_list("all", "one-way", "partial"); }

struct PartitionOptions {
  PartitionShape shape = PartitionShape::partial;
  std::string between{};
  std::optional<Law> lasts{};
  void fields(FieldVisitor& v);
};

// "a is cut off from redis4 and redis5"
std::string in_words(const PartitionOptions& options);
// "partition between a and redis4 redis5", "one-way partition from redis to a"
std::string name_in_words(const PartitionOptions& options);

std::unique_ptr<ArmedFault> arm_fault(const PartitionOptions& options, PlanNames& names);

}  // namespace picklock
