// The parts of a scenario that can be left out one by one, and its quantities.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instruments/explain/claims.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {

// Faults, clocks, links, pinned draws, clients, steps of clients: what `edits` have not left out already.  `scenario` is
// as its file and the set values have it, with nothing left out.
std::vector<Element> elements_of(const Scenario& scenario, const ScenarioEdits& edits);

// "the pause of a", "the partition between a and redis", "the clock of redis3"
std::string words_of_part(const Scenario& scenario, std::string_view path);

// A number of the scenario that a claim may be about.
struct QuantityField {
  std::string part;  // "fault[0]", "clients.a", "lock"
  FieldText field;
  std::string words;  // "the length of the pause of a"
  std::string path() const { return part + "." + field.name; }
};
// Durations, instants, drifts and shares of faults, clocks and clients, and of the lock.
std::vector<QuantityField> quantities_of(const Scenario& scenario);

}  // namespace picklock
