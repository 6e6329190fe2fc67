// The probability that a run of a scenario violates a property, also where no campaign reaches it.
//
// Plain runs come first: where they violate often, counting is best.  Else conditional Monte Carlo (conditional.hpp) is taken
// if a single draw decides, and multilevel splitting (splitting.hpp) if none or several do.  Nothing is estimated where
// a method's conditions are seen to fail, or where the plain runs contradict it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/enum_names.hpp"
#include "campaigns/table_verdict.hpp"
#include "instruments/estimate/conditional.hpp"
#include "instruments/estimate/splitting.hpp"

namespace picklock {

enum class EstimateMethod : std::uint8_t { automatic, counting, conditional, splitting };
constexpr auto enum_names(EstimateMethod) { return name_list("auto", "counting", "conditional", "splitting"); }

struct EstimateOptions {
  Property property = Property::mutual_exclusion;
  EstimateMethod method = EstimateMethod::automatic;
  std::string draw;  // draw to integrate over; empty: the one that decides
  std::uint64_t plain_runs = 10'000;
  std::uint64_t samples = 400;        // samples of the conditional method
  std::uint32_t trajectories = 1000;  // trajectories in each stage of splitting
  std::uint32_t replications = 30;    // replications of splitting
  std::uint64_t seed = 1;             // seed of the whole estimate
  unsigned jobs = 1;
  bool redraws_lengths = true;  // false: a broken twin (DrawChanges)
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::uint64_t done, std::uint64_t all, const char* what)> progress;
};

struct Estimated {
  Property property{};
  EstimateMethod method{};  // method that was taken; automatic: none was
  std::string why;          // reason for this method
  std::string refusal;      // reason for no estimate; empty: there is one
  std::string error;        // error of the simulation itself; then nothing is estimated
  bool stopped = false;     // true: stopped from outside; then nothing is estimated
  Estimate probability;
  std::string interval;  // method of the interval
  std::string caution;   // reason why the interval may be too narrow; empty: none is known

  Tally plain;            // verdicts of the plain runs
  UntestedRuns untested;  // plain runs that count as undecided because they do not test the property
  // Exact one-sided bound of 95 % if none of the plain runs violates it.
  std::optional<double> at_most;
  Effort plain_effort;
  std::optional<Deciders> deciders;  // filled if they were looked for
  std::optional<Conditional> conditional;
  std::optional<Splitting> splitting;
  std::optional<Trajectory> rare;  // a run that violates the property

  // Plain runs whose faults were cut off, or came after all contention.
  std::uint64_t faults_untested() const {
    return untested[Untested::fault_cut_off] + untested[Untested::fault_after_contest];
  }
  Effort effort() const;             // effort of all parts together
  double relative_error() const;     // half of the interval as a share of the estimate
  double plain_runs_needed() const;  // number of plain runs for an equally narrow interval
};

std::variant<Estimated, std::vector<ScenarioProblem>> estimate_probability(const Scenario& scenario,
                                                                           const EstimateOptions& options);

// Heading of a printed estimate.
struct EstimateHead {
  std::string command;  // command that made the estimate
  std::string replay;   // command that replays the rare run; empty: there is none
};
std::string estimate_text(const Scenario& scenario, const Estimated& e, const EstimateHead& head);
std::string estimate_json(const Scenario& scenario, const Estimated& e, const EstimateHead& head);
std::string estimate_csv(const Scenario& scenario, const Estimated& e);

}  // namespace picklock
