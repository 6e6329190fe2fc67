// A comparison: several locks, options, releases or variants in the same situation, on the same seeds.
//
// All contestants draw the same delays, pauses and think times, since draws have names; so a seed gives a pair of
// runs, and what both have in common cancels out. The first contestant is the one that the others are held against.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "campaigns/in_order.hpp"
#include "campaigns/table_verdict.hpp"
#include "statistics/paired.hpp"

namespace picklock {

struct Contestant {
  std::string name;  // "paused_holder/fenced", "redlock", "lock.ttl=200ms"
  Scenario scenario;
};

// Reasons against comparing these two, a sentence each; or empty. They may differ in the lock, its options, the tables
// of services and the storage, and in the settings that `also` names, as a path or the beginning of one: "clients".
std::vector<std::string> reasons_against(const Contestant& a, const Contestant& b, std::span<const std::string> also);

// One contestant over all seeds.
struct ContestantResult {
  std::map<Property, Tally> tallies;  // one tally for each compared property
  std::map<Property, UntestedRuns> untested;
  FaultSummaries faults;                 // index: the fault's place in the plan
  std::uint64_t asked = 0, granted = 0;  // acquires asked for, and granted
  std::uint64_t commands = 0;            // commands to the lock service, releases and renewals included
  std::int64_t latency_ns = 0;           // total latency of all granted acquires
  UnseenOwners unseen;                   // runs that observed no grant of some lock
  std::map<std::uint64_t, std::string> errors;
};

struct PropertyPair {
  Property property{};
  PairTable table;
  std::optional<std::uint64_t> seed_only_a, seed_only_b;  // first seed on which only a, or only b, is violated
  double p = 1, p_adjusted = 1;                           // McNemar's exact test; by Holm over the whole comparison
  double p_at_every_look = 1;                             // p that either way is equally likely: anytime_p(…)
};

// A contestant against the first, seed by seed.
struct Opposition {
  std::vector<PropertyPair> properties;
  PairedDifferences granted;     // acquires served in a run
  PairedDifferences latency_ns;  // mean of a run; seeds in which both were granted one
  PairedDifferences commands;    // thousandths for each granted acquire; the same seeds
};

struct ComparisonResult {
  std::uint64_t first_seed = 1, seeds = 0;  // range that all contestants played; after an interruption, without a gap
  bool interrupted = false;
  bool is_enough = false;  // true: the rule was met
  std::vector<ContestantResult> contestants;
  std::vector<Opposition> against_first;  // the second contestant, the third, … against the first
  bool has_errors() const;
  // Whether each property was decided for at least one pair of every comparison.
  bool is_tested() const;
};

// Problems with one of the contestants.
struct ContestantProblems {
  std::size_t contestant = 0;
  std::vector<ScenarioProblem> problems;
};

// Requires two contestants. Ends when each contestant's share of each property meets the rule. The result does not depend
// on `plan.jobs`, nor on what the memory has; it may be null.
std::variant<ComparisonResult, ContestantProblems> run_comparison(const std::vector<Contestant>& contestants,
                                                                  const SeedPlan& plan,
                                                                  const std::vector<Property>& properties,
                                                                  const StopRule& until = {},
                                                                  ChunkMemory* memory = nullptr);

}  // namespace picklock
