// The faults that were injected in a run, measured from its trace: to judge a lock's assumptions is to ask what
// happened, not what was planned.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faults/armed_fault.hpp"

namespace picklock {

struct FaultInstant {
  TrueTime time;
  NodeId node = 0;                          // 0: the network
  std::uint32_t fault = 0;                  // index in the plan
  std::uint32_t kind = 0;                   // index in the table of kinds
  bool began = true;                        // false: ended
  Injection injection = Injection::missed;  // meaningful for a fault that began
  bool operator==(const FaultInstant&) const = default;
};

// The longest time for which one machine did not answer.
struct Absence {
  NodeId node = 0;
  Duration stopped{}, dead{};
  bool operator==(const Absence&) const = default;
};

struct Executed {
  // Durations in true time, over all processes and hosts; one that has not ended counts up to now.
  Duration longest_pause{};       // longest pause of a process
  Duration longest_freeze{};      // longest freeze of a host
  Duration longest_stop{};        // longest stop of a process, by either or by both in turn
  Duration longest_task_pause{};  // longest pause of single tasks of a process
  // Extremes over all clocks, absolute.
  Duration largest_clock_step{};    // largest step of a wall clock; the lag behind a freeze counts
  Duration largest_clock_offset{};  // largest offset of a wall clock at the start of the run
  std::int64_t largest_rate_error_ppm = 0;
  // Longest delay of any segment, from sending to delivery.
  Duration longest_message_delay{};
  std::int64_t segments_lost = 0;

  std::int64_t pauses = 0, task_pauses = 0, freezes = 0, kills = 0, power_losses = 0, restarts = 0, clock_steps = 0;
  std::vector<std::int64_t> injected{};  // faults of the plan that hit something, by index of kind
  std::vector<FaultInstant> instants{};  // begins and ends of the plan's faults, in order
  std::vector<Absence> absences{};       // machines that stopped or died

  bool operator==(const Executed&) const = default;
};

// Call it at the end of a run.  `records`: its journal, or at least the records of processes, hosts, clocks and
// faults.  `executed` may be reused.
void measure(const World& world, std::span<const TraceRecord> records, Executed& executed);

}  // namespace picklock
