// A campaign: one scenario over many seeds, in several threads.
//
// Each thread has its own Runner.  Results are added up in the order of the seeds (in_order.hpp), so that `jobs` changes
// nothing but the time.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "campaigns/fault_summary.hpp"
#include "campaigns/stop_rule.hpp"
#include "campaigns/table_verdict.hpp"
#include "checker/properties/statistics.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/run/costs.hpp"
#include "scenarios/run/result.hpp"
#include "scenarios/services/problem.hpp"

namespace picklock {

class ChunkMemory;

struct SeedRange {
  std::uint64_t first = 1, last = 1;  // first and last seed, both included
  std::uint64_t size() const { return last - first + 1; }
};

// One property over all runs of a campaign.
struct PropertySummary {
  Property property{};
  Tally tally;
  // Expected by the scenario, or because the lock claims it; nothing: no expectation.
  std::optional<Expectation> expectation;
  Fulfilment fulfilment = Fulfilment::as_expected;
  std::int64_t largest = 0;  // largest Finding::measure among the violations
  UntestedRuns untested;     // runs that figures count as undecided because they do not test the property
  Unit unit = Unit::none;
  Duration settle{};             // settle phase that decides all runs that ended while some client waited; 0: none did
  std::optional<Tally> counted;  // counts over many runs, as in table_verdict.hpp

  // Shares and tables are made of these; `tally` has the checker's verdict on each run.
  const Tally& figures() const { return counted ? *counted : tally; }
  std::uint64_t not_tested() const { return untested.all(); }
  // Runs that hold by the checker, and do not test the property.
  std::uint64_t held_untested() const { return tally.count(Verdict::holds) - figures().count(Verdict::holds); }
};

struct AssumptionSummary {
  Assumption assumption;
  std::uint64_t broken = 0;   // number of runs in which it was broken
  std::uint64_t unknown = 0;  // number of runs in which it could not be observed
  std::int64_t largest = 0;   // observed
};

// Runs that violated what the lock claims although its assumptions were met.
struct LostWithinAssumptions {
  std::uint64_t runs = 0;
  std::optional<std::uint64_t> seed{};  // lowest seed; none: there is no such run
};

struct CampaignResult {
  SeedRange seeds;
  std::uint64_t runs = 0;
  bool interrupted = false;  // true: fewer runs than asked for, the first ones without a gap
  bool is_enough = false;    // true: the rule was met; `seeds` are those that were played
  std::uint64_t digest = 0;  // digest over all runs' digests, by seed
  std::uint64_t events = 0;
  std::uint64_t cut_off = 0;  // runs that exhausted their budget
  LostWithinAssumptions lost_within_assumptions{};
  std::vector<PropertySummary> properties;  // properties that apply, in the table's order
  std::vector<AssumptionSummary> assumptions;
  FaultSummaries faults;  // index: the fault's place in the plan
  UnseenOwners unseen;
  std::map<std::uint64_t, std::string> errors;  // errors of the simulation itself, by seed
  std::optional<Costs> costs;                   // costs of all runs, with CampaignOptions::costs
  Fulfilment fulfilment = Fulfilment::as_expected;
  int exit_status() const;
};

struct CampaignOptions {
  SeedRange seeds;
  unsigned jobs = 1;
  bool costs = false;  // true: measures them too; slower, as each run keeps its trace
  bool raw = false;    // true: plays another lock than the scenario's; verdicts count, expectations do not
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;  // calls come from one thread at a time
  const std::atomic<bool>* stop = nullptr;  // flag set from outside: the first seeds are the result
  ChunkMemory* memory = nullptr;            // chunks that were played before; unused with costs
  StopRule until{};                         // a stop rule for each of these properties
  std::vector<Property> until_of{};
};

std::variant<CampaignResult, std::vector<ScenarioProblem>> run_campaign(const Scenario& scenario,
                                                                        const CampaignOptions& options);

// The expectation of a property: stated by the scenario, or claimed by the lock and the storage.
std::optional<Expectation> expected_of(Property property, const Scenario& scenario);

// Summarizes a campaign of one run.
PropertySummary summarize(const Finding& finding, std::uint64_t seed, const Scenario& scenario, bool raw);

}  // namespace picklock
