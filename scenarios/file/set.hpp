// Changes to a scenario from the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/file/error.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {

// --set path=value, for example
//
//   lock.ttl=200ms              clients.a.hold=80ms       clients[0].hold=80ms   clients.*.rounds=3
//   storage.fence=writes        network.latency=1ms..2ms  phases.load=10s        workload=seats
//   fault[0].lasts=300ms        clock.redis.offset=2s     reseed.at=3s           event-budget=1000
//   expect.double-grant=any     expect.double-grant.seeds=some                   sometimes=contention
//   draw.a>redis/latency@a#1.1=90000000000
//
// Blanks around a value are taken off, and then one pair of quotes, if it begins and ends with them.
// An error leaves the scenario unchanged.
std::optional<ScenarioError> set_in_scenario(Scenario& scenario, std::string_view assignment);

// Sets a path to a value that is known apart; the value is taken as it is.  Requires filled-in options; on a
// complaint the scenario may have changed in part.  `changed`: gets the paths of all that was set, "clients[0].hold".
std::optional<Complaint> set_value(Scenario& scenario, std::string_view path, std::string_view value,
                                   std::vector<std::string>* changed = nullptr);

// The setting that gives the path exactly this value, whatever blanks and quotes it begins and ends with.
std::string assignment_of(std::string_view path, std::string_view value);

// --lock NAME: another lock in the same situation.  What was said of options that the other has too still holds, and so
// does the lease, whatever either calls it; what was expected of the first lock does not.
std::optional<ScenarioError> set_lock(Scenario& scenario, std::string_view kind);

// Every path that may be set in this scenario.
std::vector<std::string> settable_paths(const Scenario& scenario);

}  // namespace picklock
