// An armed plan: compiled once, then armed in one run after the other.
//
//   ArmedPlan armed;
//   if (const auto error = armed.compile(plan, node_names)) …
//   for each run: world.reset(seed), add the nodes, armed.arm(world), start the programs;
//                 world.run(load); armed.heal(world); world.run(settle); …
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faults/armed_fault.hpp"
#include "faults/course.hpp"
#include "faults/names.hpp"
#include "faults/plan.hpp"

namespace picklock {

class ArmedPlan {
 public:
  ArmedPlan() = default;
  ArmedPlan(const ArmedPlan&) = delete;  // a world that it is armed in points to it
  ArmedPlan& operator=(const ArmedPlan&) = delete;

  // node_names[i] is the name that node i + 1 will have.  On an error nothing is armed any more.
  std::optional<PlanError> compile(const FaultPlan& plan, std::span<const std::string> node_names,
                                   std::span<const ThreadName> threads = {});

  // Call it at the start of a run, when the nodes are there and before anything is started on them: a clock
  // that is wrong from the start is wrong at boot.  Allocates only what is new since an earlier run.
  void arm(World& world);

  // Call it from outside of World::run: ends all faults in force, restarts the dead except those who stay dead,
  // and injects no more faults.
  void heal(World& world);

  // Call it after a re-seeding of the world: draws again the instants that have not come, and the rest of the lengths
  // that are running.
  void redraw(World& world);

  std::size_t size() const { return faults_.size(); }
  bool in_force(std::size_t fault) const { return faults_[fault].in_force; }
  bool over() const;  // each fault has come and is in force no more
  FaultCourse course(std::size_t fault) const;
  // The latest end of the faults in force that have a length, and the latest instant of those to come; nothing: there are
  // none.  Nothing is known of faults that wait for an event.
  std::optional<TrueTime> scripted_until() const;

 private:
  struct Entry {
    std::unique_ptr<ArmedFault> fault;
    std::optional<TriggerPoint> point;
    Law at;
    std::uint64_t kind = 0;  // index in the table
    bool in_force = false;
    bool begun = false;
    bool awaited = false;  // its instant has not come
    bool healed = false;
    Strike strike = Strike::not_injected;
    std::uint32_t generation = 0;  // an event of an older one is void: its time was drawn again
    TrueTime began;
    std::optional<TrueTime> ended;
    Duration drawn;  // its instant while it is awaited, its length from then on
  };
  void schedule(World& world, std::size_t fault, TrueTime at, void (*act)(World&, void*, std::uint64_t));
  static bool is_void(void* plan, std::uint64_t fault_and_generation);
  static void begin(World& world, void* plan, std::uint64_t fault);  // fault and generation
  static void end(World& world, void* plan, std::uint64_t fault);
  static void revive(World& world, void* plan, std::uint64_t);

  std::vector<Entry> faults_;
  std::vector<std::string> node_names_;
  FaultRun run_;
  bool healed_ = false;
};

}  // namespace picklock
