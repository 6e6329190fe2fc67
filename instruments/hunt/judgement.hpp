// Judgements: what the run of a plan says of each property that a hunt judges, and the sum over all plans.
//
// Silence is not safety: a plan counts for a property only if its run could have broken it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/properties/property.hpp"
#include "instruments/hunt/aim.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/run/result.hpp"

namespace picklock {

enum class Bearing : std::uint8_t {
  passed,          // the run could have broken the property, but did not, as the aim counts it
  failed,          // the run broke the property
  undecided,       // the run left the property open
  not_applicable,  // the run has nothing by which the property is judged
  outside,         // the run broke an assumption, or not the one that the aim wants broken
  not_promised,    // the lock promises nothing after what happened: a server stayed dead, clients wait in a circle
};
inline constexpr std::size_t kBearingCount = 6;

struct Judgement {
  Property property{};
  Bearing bearing = Bearing::undecided;
  std::string_view why{};            // reason for one of the last four bearings; empty: the bearing says all
  std::optional<Duration> settle{};  // a longer settle phase, with which the run decides the property
};

// Judges one run of this scenario, in the order of the aim's properties.
std::vector<Judgement> judge_run(const Aim& aim, const Scenario& scenario, const RunResult& run);

// One property over all plans of a hunt.
struct JudgedProperty {
  Property property{};
  std::array<std::uint64_t, kBearingCount> plans{};                                // index: Bearing
  std::map<std::string, std::uint64_t, std::less<>> undecided_by{}, outside_by{};  // plans by reason
  Duration settle{};  // longest settle phase that an undecided plan asks for; 0: none does

  void add(const Judgement& judgement);
  std::uint64_t count(Bearing b) const { return plans[static_cast<std::size_t>(b)]; }
  // Plans that could have broken it.
  std::uint64_t decided() const { return count(Bearing::passed) + count(Bearing::failed); }
  std::uint64_t all() const;
};

}  // namespace picklock
