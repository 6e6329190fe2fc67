// Faults of a run that struck nothing: never injected, nothing there to disturb, or the run is the same without them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "campaigns/fault_summary.hpp"
#include "scenarios/run/record.hpp"

namespace picklock {

// "the pause of a", "the partition between a and redis", "the delay on all links"
std::string words_of_fault(const Fault& fault);

struct IdleFault {
  std::size_t fault = 0;  // index in the plan
  std::string words;      // "the pause of a"
  std::string why;        // "its trigger never came"
};

// The history of the same run without one fault of its plan; null: it cannot be played.
using HistoryWithout = std::function<std::shared_ptr<const History>(const RunRecord& record, std::size_t fault)>;

// The stories with the fault and without it show whether it is idle.
std::vector<IdleFault> idle_faults_of(const RunRecord& record, const HistoryWithout& without);

// The table of a campaign: faults that were not injected, or that disturbed nothing, and in how many runs; or nothing.
std::string idle_faults_table(const Scenario& scenario, const FaultSummaries& faults);

// A line each; empty: all of them struck.
std::string idle_faults_text(const std::vector<IdleFault>& faults);

}  // namespace picklock
