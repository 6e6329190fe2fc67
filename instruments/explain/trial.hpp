// A trial: one run of a scenario that was edited to test a claim.  Everybody can repeat it from one line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "scenarios/file/edits.hpp"

namespace picklock {

struct Trial {
  std::string scenario;  // a file, or a name of the library, as its user has written it
  ScenarioEdits edits;
  std::uint64_t seed = 1;
  bool operator==(const Trial&) const = default;
  bool operator<(const Trial& b) const {
    return std::tie(scenario, edits, seed) < std::tie(b.scenario, b.edits, b.seed);
  }
};

// "picklock run paused_holder --without 'fault[0]' --seed 1"
std::string command_of(const Trial& trial);

// The trial with edits beside its own.
Trial with_set(Trial trial, std::string_view path, std::string_view value);
Trial with_edits(Trial trial, const ScenarioEdits& more);
Trial with_seed(Trial trial, std::uint64_t seed);

}  // namespace picklock
