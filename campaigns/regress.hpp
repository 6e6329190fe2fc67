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
  fixed,        // the property holds in every test, all faults strike, and it is tested at least once
  cannot_tell   // the file no longer fits the program, or the run tests nothing
};
constexpr auto enum_names(Regressed) { return name_list("still fails", "fixed", "cannot tell any more"); }

struct Regression {
  std::string scenario;              // file, or file/variant
  std::string lock;                  // empty: the file cannot be read
  std::string other_lock;            // the lock `lock`, if it took the place of the file's own
  std::vector<Property> properties;  // properties that the file keeps
  Regressed verdict = Regressed::cannot_tell;
  std::string why;                    // reason in one line
  std::optional<std::uint64_t> seed;  // seed of a run that shows it
  std::uint64_t runs = 0, violated = 0, tested = 0;
};

struct RegressOptions {
  std::uint64_t others = 100;  // seeds to play beside the kept one
  std::string lock;            // lock that takes the place of the file's own; empty: none does
};

// Plays the kept run.  If it fails no more, plays the seeds 1 to `options.others` too: after a change of the code the same seed is
// not the same run.  The kept properties are those that the file expects to be violated; without any, those that it, or
// its lock, expects to hold.
Regression regress(const ScenarioFile& file, const RegressOptions& options = {});

// Every scenario file of the folder by name, each followed by its variants.  Throws std::runtime_error if it is no folder.
std::vector<Regression> regress_folder(const std::string& folder, const RegressOptions& options = {});

// 1 if anything still fails, otherwise 3 if anything cannot be told, otherwise 0.
int exit_status(const std::vector<Regression>& all);

}  // namespace picklock
