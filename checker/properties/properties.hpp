// All properties in one table, and the judge who asks them.
//
//   Scratch scratch;                      // once per thread
//   const Findings findings = judge(history, options, scratch);
//   if (of(findings, Property::mutual_exclusion).verdict == Verdict::violated) …
//   std::cout << explain(of(findings, Property::mutual_exclusion), history, options);
//
// In one run a property is violated if there is a witness; otherwise not applicable or undecided if
// something is missing (records, budget, its own *sometimes* condition); otherwise it holds.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// Records that a property needs from a history; without them the property is not applicable.
enum class Needs : std::uint8_t { beliefs = 1, grants = 2, effects = 4, tokens = 8, probe = 16, operations = 32 };
constexpr std::uint8_t operator|(Needs a, Needs b) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr std::uint8_t operator|(std::uint8_t a, Needs b) {
  return static_cast<std::uint8_t>(a | static_cast<unsigned>(b));
}

// The promise that a property belongs to.  A lock makes it; for the last three the clients, a
// workload, or none.  What is claimed is expected to hold.
enum class Claim : std::uint8_t {
  exclusion,    // every lock
  progress,     // every lock
  token,        // a grant carries a fencing token
  fenced,       // the resource compares tokens
  renewing,     // holds are extended
  fair,         // requests are served in the order of their arrival
  waking,       // wakes up waiters
  clients,      // clients take locks in an order that cannot close a cycle
  seats,        // the workload records its sales
  information,  // no lock claims it
};

struct PropertyInfo {
  Property property;
  std::string_view name;         // name in scenarios: "mutual-exclusion"
  std::string_view description;  // one line
  std::uint8_t needs;            // a set of Needs
  Claim claim;
  SometimesMask sometimes;  // conditions for "holds": without all of these it is undecided
  Unit unit;                // unit of Finding::measure
  std::string_view measure;
  Unit beside_unit;  // unit of Finding::beside; none: it means nothing
  std::string_view beside;
  Finding (*judge)(const History&, const JudgeOptions&, Scratch&);
  std::string (*explain)(const Finding&, const History&, const JudgeOptions&);
};

const std::array<PropertyInfo, kPropertyCount>& properties();
const PropertyInfo& info(Property property);
std::optional<Property> find_property(std::string_view name);
std::string_view name(Claim claim);

using Findings = std::array<Finding, kPropertyCount>;  // index: Property

inline const Finding& of(const Findings& findings, Property property) {
  return findings[static_cast<std::size_t>(property)];
}

// All verdicts on one run.  `scratch` may have served any other history before.
Findings judge(const History& history, const JudgeOptions& options, Scratch& scratch);

// One verdict; for all of them `judge` is cheaper.
Finding judge_one(Property property, const History& history, const JudgeOptions& options, Scratch& scratch);

// The verdict in words, without a full stop: the witness of a violation, or why there is no answer.
// The history and the options must be those that were judged.
std::string explain(const Finding& finding, const History& history, const JudgeOptions& options = {});

}  // namespace picklock
