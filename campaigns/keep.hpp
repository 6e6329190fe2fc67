// Keeping a counterexample: a run that violates something becomes a scenario file.
//
// The file says in its comment what happens and how to play it again, states the seed of the run, and expects the violation.
// `picklock run FILE` plays that run; `picklock regress FOLDER` asks whether it still fails.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checker/properties/properties.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/run/record.hpp"

namespace picklock {

struct KeepOptions {
  std::string folder = ".";          // folder, made if it is missing
  std::string path;                  // path of the file; empty: its default name in the folder
  std::string program;               // program that plays the file again: it must know the lock
  std::vector<Property> properties;  // properties whose violation counts; empty: all that lock and scenario promise
  std::function<std::string(const RunRecord&)> story;  // more lines for the comment, such as a drawing
};

struct KeptRun {
  std::string path, text;          // path and content of the file
  std::string replay;              // the command that plays the run again
  std::vector<Property> violated;  // violated properties, which the file expects
  Scenario scenario;               // the scenario in the file, with only the faults that struck something
  std::uint64_t seed = 0;
};

// The file of a run, not yet written: its text has been read back and played, and violates the same. Its name is made of
// lock, property and contents, so that the same run is kept once.  Throws std::runtime_error if the run violates none of
// the properties, or cannot be said in a file.
KeptRun kept_run(const Scenario& scenario, std::uint64_t seed, const KeepOptions& options = {});

// Also writes the file, whole or not at all; throws as well if it cannot.
KeptRun keep_run(const Scenario& scenario, std::uint64_t seed, const KeepOptions& options = {});

}  // namespace picklock
