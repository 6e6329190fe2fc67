// Commands of an explanation, played through the reader of scenarios: nothing here comes from the explainer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "scenarios/file/edits.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {

struct Line {  // one command of the document
  std::string scenario;
  ScenarioEdits edits;
  std::uint64_t seed = 0;
};
Line parsed(const std::string& command);

// Nothing if it cannot be played.
std::unique_ptr<Runner> runner_of(const Line& line);

struct Replayed {
  std::map<std::string, std::string> verdicts;  // key: property
  std::vector<std::string> broken;              // assumptions
  std::vector<Assessment> assessed;             // all assumptions
  std::uint64_t refused = 0;                    // number of requests that the resource refused
  std::uint64_t events = 0;
  std::map<std::string, std::uint64_t> served;  // number of beliefs that began under load; key: client
  std::set<std::string> in_turn;                // clients that ask as the load ends, while the service names another
  bool violates(const std::string& property) const;
};
Replayed replayed(Runner& runner, std::uint64_t seed);

}  // namespace picklock
