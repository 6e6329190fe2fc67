// Hazards: one way each in which the world can differ from what a lock assumes, with a magnitude.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/properties/assumptions.hpp"
#include "scenarios/file/scenario.hpp"

namespace picklock {

enum class Magnitude : std::uint8_t {
  time,  // nanoseconds
  rate,  // millionths
  none   // the hazard happens or not
};

struct Hazard {
  std::string_view name;         // "pause"
  std::string_view description;  // one sentence
  AssumptionKind assumption;     // the assumption that bounds it
  Magnitude magnitude;
  bool long_section;  // true: the holder works for nine tenths of what the lock allows; false: briefly

  // Ends of the ladder of magnitudes, which double: for a lock with this lease.
  std::int64_t least(Duration lease) const { return magnitude == Magnitude::time ? lease.ns / 64 : kMostRate / 1'024; }
  std::int64_t most(Duration lease) const { return magnitude == Magnitude::time ? lease.ns * 8 : kMostRate; }
  static constexpr std::int64_t kMostRate = 1'000'000;  // ppm: a clock of double speed
};
std::span<const Hazard> hazards();
const Hazard* find_hazard(std::string_view name);

// Two clients that contend for this lock, with nothing that goes wrong. a holds first.
struct Contest {
  Scenario scenario;
  Duration lease{};  // lease or session; without either one second
  bool has_lease = true;
  std::vector<std::string> servers;
  std::vector<Assumption> assumed;
};
// Nothing: the lock is unknown, or its default scenario does not compile.
std::optional<Contest> contest_of(std::string_view lock);

// The contest with the hazard at this magnitude, once for each place and instant where it may strike.
std::vector<Scenario> struck_by(const Contest& contest, const Hazard& hazard, std::int64_t magnitude);

}  // namespace picklock
