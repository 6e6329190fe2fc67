// All experiments of an explanation: trials are played once, and what was seen of each is kept.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/threads.hpp"
#include "checker/properties/assumptions.hpp"
#include "checker/properties/property.hpp"
#include "checker/verdict.hpp"
#include "instruments/explain/trial.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/run/costs.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/run/served.hpp"

namespace picklock {

// A longer run is not explained: it would take hours.
inline constexpr std::int64_t kMostEvents = 500'000;

// Observations of a trial.
struct Observed {
  bool playable = false;  // false: its edits do not fit the scenario, or it has too many events
  std::uint64_t events = 0;
  std::vector<ScenarioProblem> problems;  // problems of an unplayable trial; paths as in the scenario without the edits
  std::vector<ScenarioError> errors;      // errors of the edits themselves
  std::string lock;                       // name of its lock kind
  std::array<Verdict, kPropertyCount> verdicts{};
  std::array<bool, kPropertyCount> tested{};  // true also if undecided, unless the run did not test the property
  std::vector<Assessment> assumptions;
  std::uint64_t refused = 0;           // requests that the resource refused
  std::vector<ClientService> service;  // sections of each client
  std::string error;                   // error of the simulation itself

  Verdict of(Property p) const { return verdicts[static_cast<std::size_t>(p)]; }
  bool violated(Property p) const { return playable && of(p) == Verdict::violated; }
  // "violated", "holds", "not tested", "undecided", "not applicable"
  std::string_view word(Property p) const;
  std::vector<std::string> broken() const;  // assumptions, as printed: "beliefs-shorter-than(100.0 ms)"
};

// Mean costs of acquiring in one trial.
struct TrialCosts {
  std::uint64_t asked = 0, granted = 0, commands = 0;
  std::int64_t latency_ns = 0;
  bool operator==(const TrialCosts&) const = default;
};

class Experiments {
 public:
  // `progress` is told the number of runs so far, by one thread at a time.
  explicit Experiments(unsigned jobs, std::function<void(std::uint64_t runs)> progress = {});
  ~Experiments();

  // Trials that name this scenario mean the file, whatever the library has by that name.  Before anything is played.
  void know(const std::string& scenario, ScenarioFile file);
  // Trials that have far more events than this one are not played to their ends: clients that ask again at once would
  // fill whole hours.  Before threads ask.
  void bound_by(const Trial& base);
  std::int64_t most_events() const { return most_events_; }
  // Threads may ask at once.  References stay valid.
  const Observed& see(const Trial& trial);
  void see_all(const std::vector<Trial>& trials);       // runs the trials ahead, in several threads
  std::optional<TrialCosts> costs(const Trial& trial);  // nothing if it cannot be played

  // The scenario of a trial, edited, and the file that it comes from; its errors are those of file and edits.
  ScenarioFile file_of(const Trial& trial);

  std::uint64_t runs() const { return runs_; }
  unsigned jobs() const { return jobs_; }
  // All that have been played, by trial.
  const std::map<Trial, std::unique_ptr<Observed>>& played() const { return played_; }

 private:
  const Observed* find(const Trial& trial);
  const Observed& keep(const Trial& trial, Observed observed);
  const ScenarioFile& file_named(const std::string& scenario);
  // The last runner of a thread serves several seeds of the same edits.
  struct Bench;
  Observed play(const Trial& trial, Bench& bench);

  const unsigned jobs_;
  const std::function<void(std::uint64_t)> progress_;
  Mutex guard_;
  std::uint64_t runs_ = 0;
  std::int64_t most_events_ = kMostEvents;
  std::map<std::string, std::unique_ptr<ScenarioFile>> files_;
  std::map<Trial, std::unique_ptr<Observed>> played_;
};

}  // namespace picklock
