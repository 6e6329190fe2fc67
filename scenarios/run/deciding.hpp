// The setting that decides a property which a run left undecided.
#pragma once

#include <optional>
#include <string>

#include "scenarios/file/scenario.hpp"
#include "scenarios/run/result.hpp"

namespace picklock {

// A settle phase that is longer by the property's bound of waiting, in steps that people would write.
Duration settle_longer_by_the_bound(Property property, const RunResult& run, const Scenario& scenario);

// A settle phase that outlasts the bound of a client that still waited at the end; nothing: the length of that phase is not
// what kept the property undecided.
std::optional<Duration> deciding_settle(const Finding& finding, const RunResult& run, const Scenario& scenario);

// The setting as typed after --set: "phases.settle=3.1s"; empty: no setting is known that decides it.
std::string deciding_setting(const Finding& finding, const RunResult& run, const Scenario& scenario);

// Tells it for several runs: "the settle phase of 1s was too short for its bound: --set phases.settle=7.1s decides it".
std::string settles_later(Duration settle, Duration decides);

}  // namespace picklock
