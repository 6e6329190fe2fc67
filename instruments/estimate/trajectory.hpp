// A trajectory: one run, named by its seed and by what was drawn otherwise.  It can be played again, kept and explained.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "checker/properties/properties.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {

struct Trajectory {
  std::uint64_t seed = 0;
  std::vector<Reseed> recipe;        // reseeds in the order of their instants
  std::vector<DrawOverride> pinned;  // draws with fixed values
};

// The scenario that plays a trajectory under its seed.
Scenario scenario_of(const Scenario& scenario, const Trajectory& trajectory);
// " --reseed 1.2s:77,1.3s:12", " --set draw.NAME=VALUE": what to add to a command that plays the seed.
std::string words_of(const Trajectory& trajectory);

// Runners of one scenario, for a few threads.  A thread that needs one takes it, and gives it back.
class RunnerPool {
 public:
  explicit RunnerPool(const Scenario& scenario) : scenario_(scenario) {}
  // Problems of the scenario; empty: none.
  std::vector<ScenarioProblem> problems();

  class Lease {
   public:
    Lease(RunnerPool& pool, std::unique_ptr<Runner> runner) : pool_(pool), runner_(std::move(runner)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.give_back(std::move(runner_)); }
    Runner& operator*() const { return *runner_; }
    Runner* operator->() const { return runner_.get(); }

   private:
    RunnerPool& pool_;
    std::unique_ptr<Runner> runner_;
  };
  Lease take();

 private:
  void give_back(std::unique_ptr<Runner> runner);

  const Scenario& scenario_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Runner>> idle_;
};

// Number of runs, and of events in them.
struct Effort {
  std::uint64_t runs = 0, events = 0;
  void add(const RunResult& r) {
    ++runs;
    events += r.events;
  }
  Effort& operator+=(const Effort& other) {
    runs += other.runs;
    events += other.events;
    return *this;
  }
};

inline bool violates(const RunResult& r, Property p) { return of(r.findings, p).verdict == Verdict::violated; }

}  // namespace picklock
