// Does a kept counterexample still fail?  Silence is not safety: what no run puts to the test cannot be told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.hpp"
#include "checker/properties/property.hpp"
#include "scenarios/file/read.hpp"

namespace picklock {

enum class Regressed : std::uint8_t {
  still_fails,  // a property is violated, in the kept run or on another seed
  fixed,        // it holds wherever it is tested, all faults strike, and it is tested at least once
  cannot_tell   // the file no longer fits the program, or nothing is put to the test
};
constexpr auto enum_names(Regressed) { return name_list("still fails", "fixed", "cannot tell any more"); }

struct Regression {
  std::string scenario;              // file, or file/variant
  std::string lock;                  // empty: the file cannot be read
  std::vector<Property> properties;  // that the file keeps
  Regressed verdict = Regressed::cannot_tell;
  std::string why;                    // in one line
  std::optional<std::uint64_t> seed;  // of a run that shows it
  std::uint64_t runs = 0, violated = 0, tested = 0;
};

inline constexpr std::uint64_t kRegressSeeds = 100;

// Plays the kept run.  If it fails no more, plays the seeds 1 to `others` too: after a change of the code the same seed is
// not the same run.  The kept properties are those that the file expects to be violated; without any, those that it, or
// its lock, expects to hold.
Regression regress(const ScenarioFile& file, std::uint64_t others = kRegressSeeds);

// Every scenario file of the folder by name, each followed by its variants.  Throws std::runtime_error if it is no folder.
std::vector<Regression> regress_folder(const std::string& folder, std::uint64_t others = kRegressSeeds);

// 1 if anything still fails, otherwise 3 if anything cannot be told, otherwise 0.
int exit_status(const std::vector<Regression>& all);

}  // namespace picklock
