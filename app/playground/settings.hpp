// The settings of a scenario, for the controls of the page: all follow from fields().
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenarios/file/scenario.hpp"

namespace picklock {

// `file`: the scenario without its edits. A client without clocks in the file gets those that --set clock.NAME makes.
//
// [{"path": "lock.ttl", "part": "lock", "help", "type", "value", "range", "names", "said"}]: `path` as for --set; `said`: it
// differs from its default.
nlohmann::ordered_json settings_json(Scenario scenario, const Scenario& file);

}  // namespace picklock
