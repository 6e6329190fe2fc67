// A scenario's expectation of a property over all its seeds, and the exit status that follows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "checker/properties/finding.hpp"
#include "checker/properties/statistics.hpp"

namespace picklock {

// Share of the seeds that must end so.
enum class Seeds : std::uint8_t {
  every,  // all runs end so, and are decided
  some,   // at least one of the fixed number of runs ends so
  none,   // all runs are decided, and end otherwise
  any     // nothing is expected
};

struct Expectation {
  Verdict verdict = Verdict::holds;
  Seeds seeds = Seeds::every;
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

enum class Fulfilment : std::uint8_t { as_expected, not_as_expected, undecided };

// Undecided never counts as a pass: it leaves open whatever the decided runs do not settle.  A run
// to which the property does not apply counts like an undecided one, unless that is what is
// expected.
Fulfilment fulfilment(const Expectation& expectation, const Tally& tally);

// Without expectations: a violation in any run, then a doubt in any run, then a pass.  Runs to
// which the property does not apply are silent.
Fulfilment raw_verdict(const Tally& tally);

// 0 if all are as expected, 1 if one is not, otherwise 3.  0 for an empty list.
int exit_status(std::span<const Fulfilment> all);

std::string_view name(Seeds seeds);
std::string_view name(Fulfilment fulfilment);
std::optional<Seeds> find_seeds(std::string_view name);
std::optional<Verdict> find_verdict(std::string_view name);
std::string print(const Expectation& expectation);  // "violated in every run"

}  // namespace picklock
