// Reads a scenario from TOML, and says all that is wrong with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/file/error.hpp"
#include "scenarios/file/scenario.hpp"

namespace picklock {

inline constexpr std::size_t kMostScenarioBytes = 1u << 20;

// A twin of the file's scenario: the same but for what its table says.
//
//   # The paused holder again, and a resource that looks at tokens.
//   [variant.fenced]
//   lock.name     = "set-nx-px-fenced"
//   storage.fence = "reads-and-writes"
//
//   [variant.fenced.expect]
//   lost-update = "holds"
struct ScenarioVariant {
  struct Setting {
    std::string path, value;  // path and value as for --set; an array of tables has its number of entries as value
    bool operator==(const Setting&) const = default;
  };
  std::string name;  // "fenced"; the scenario's name is "paused_holder/fenced"
  std::vector<Setting> settings;
  std::vector<std::string> tags;  // tags of the file, and of the variant itself
  Scenario scenario;              // described by the comment above the table
  ScenarioPositions positions;
};

struct ScenarioFile {
  std::string file;
  Scenario scenario;            // every option filled in; incomplete if there are errors
  ScenarioPositions positions;  // positions of everything that the file says
  std::vector<std::string> tags;
  std::optional<std::uint64_t> seed;      // seed of the run that the file keeps; none: the file keeps no run
  std::vector<ScenarioVariant> variants;  // variants in the order of the file
  std::vector<ScenarioError> errors;      // all errors in the order of the file

  bool ok() const { return errors.empty(); }
  // A problem that was found later, in the scenario rather than in its text, at the path of what it
  // is about ("faults[0].on").
  ScenarioError located(std::string_view path, std::string found, std::string expected, std::string nearest = {}) const;
};

// Ends for every text whatever, in an amount of memory and stack in proportion to its size.
ScenarioFile read_scenario(std::string_view text, std::string_view file_name);

}  // namespace picklock
