// The table of all kinds of faults.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "faults/armed_fault.hpp"
#include "faults/names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

struct FaultKind {
  std::string_view name;     // "clock-step"
  std::string_view summary;  // one line
  std::unique_ptr<Options> (*default_options)() = nullptr;
  // `options` must be of the type that default_options gives.  Mistakes go to `names`.
  std::unique_ptr<ArmedFault> (*arm)(const Options& options, PlanNames& names) = nullptr;
};

std::span<const FaultKind> fault_kinds();
const FaultKind* find_fault_kind(std::string_view name);
std::size_t index_of(const FaultKind& kind);  // position in the table

}  // namespace picklock
