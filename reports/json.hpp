// Results as JSON documents. Times are integers in nanoseconds, with the unit in the key.
#pragma once

#include <string>

#include "campaigns/campaign.hpp"
#include "checker/io/read_error.hpp"
#include "checker/models/check_file.hpp"
#include "reports/run/idle_faults.hpp"
#include "reports/run/slice.hpp"
#include "scenarios/file/error.hpp"

namespace picklock {

inline constexpr int kJsonSchema = 1;  // grows when a key changes its meaning or goes away

// `slice`: of one of its violations, or null.
std::string run_json(const Scenario& scenario, const RunResult& result, bool raw, const std::string& replay,
                     const std::vector<IdleFault>& idle, const SliceStory* slice = nullptr);
std::string campaign_json(const Scenario& scenario, const CampaignResult& result, bool raw, const std::string& replay);
std::string check_json(const std::string& file, const CheckResult& result);

struct ListEntry {
  std::string name, summary;
  std::vector<std::pair<std::string, std::string>> details;
};
std::string list_json(const std::string& what, const std::vector<ListEntry>& entries);

// Errors that left no result.
std::string errors_json(const std::vector<ScenarioError>& errors);

}  // namespace picklock
