// Edits of a scenario from the command line: another lock, other values, parts left out.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "scenarios/file/error.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/services/problem.hpp"

namespace picklock {

// Paths count the faults, clients, … as the scenario has them: values are set first, then parts are left out, all at once.
struct ScenarioEdits {
  std::string lock;                  // --lock NAME; empty: the scenario's own
  std::vector<std::string> set;      // --set path=value
  std::vector<std::string> without;  // --without fault[0], clients.b, clock[1], or fault: all of them
  bool operator==(const ScenarioEdits&) const = default;
  bool operator<(const ScenarioEdits& b) const {
    return std::tie(lock, set, without) < std::tie(b.lock, b.set, b.without);
  }
};

// Entries of the scenario's arrays that were left out.
class LeftOut {
 public:
  void add(std::string_view array, std::size_t index) { entries_[std::string(array)].insert(index); }
  bool contains(std::string_view array, std::size_t index) const;
  // The path as the scenario without the edits has it: "fault[1].on" for "fault[0].on", if fault[0] was left out.
  std::string as_written(std::string_view path) const;

 private:
  std::map<std::string, std::set<std::size_t>, std::less<>> entries_;
};

struct EditResult {
  std::vector<ScenarioError> errors;
  LeftOut left_out;
};

// If there are errors, the scenario is not to be used.
EditResult edit_scenario(Scenario& scenario, const ScenarioEdits& edits);

// Problems of the edited scenario, at their places in the file.
std::vector<ScenarioError> located(const ScenarioFile& file, const LeftOut& left_out,
                                   const std::vector<ScenarioProblem>& problems);

// The words as they are typed: " --set lock.ttl=1s --without 'fault[0]'"; empty without edits.
std::string command_words(const ScenarioEdits& edits);

}  // namespace picklock
