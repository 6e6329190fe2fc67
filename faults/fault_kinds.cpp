// One line of the table is one kind of fault; see README.md.
#include "faults/fault_kinds.hpp"

#include <array>

#include "faults/clock_drift.hpp"
#include "faults/clock_offset.hpp"
#include "faults/clock_step.hpp"
#include "faults/delay.hpp"
#include "faults/freeze.hpp"
#include "faults/hold.hpp"
#include "faults/kill.hpp"
#include "faults/loss.hpp"
#include "faults/partition.hpp"
#include "faults/pause.hpp"
#include "faults/power_loss.hpp"
#include "faults/restart.hpp"
#include "faults/slow_disk.hpp"

namespace picklock {
namespace {

template <class T>
constexpr FaultKind kind(std::string_view name, std::string_view summary) {
  return {name, summary, []() -> std::unique_ptr<Options> { return std::make_unique<OptionsOf<T>>(); },
          [](const Options& options, PlanNames& names) { return arm_fault(options.as<T>(), names); }};
}

constexpr std::array kKinds = {
    kind<PauseOptions>("pause", "a process, or one task of it, stops; its clocks run on"),
    kind<FreezeOptions>("freeze", "a host stops, with its kernel and its clocks"),
    kind<KillOptions>("kill", "a process dies; its kernel and page cache survive"),
    kind<PowerLossOptions>("power-loss", "a host loses power; data that were not synced are lost"),
    kind<RestartOptions>("restart", "a dead process boots again"),
    kind<PartitionOptions>("partition", "nodes are cut off from one another, in silence"),
    kind<DelayOptions>("delay", "segments take longer"),
    kind<HoldOptions>("hold", "segments wait in the network until the fault ends"),
    kind<LossOptions>("loss", "a share of the segments is lost, and sent again"),
    kind<ClockOffsetOptions>("clock-offset", "a wall clock is wrong by a fixed amount"),
    kind<ClockDriftOptions>("clock-drift", "the clocks of a host run too fast or too slow"),
    kind<ClockStepOptions>("clock-step", "a wall clock jumps"),
    kind<SlowDiskOptions>("slow-disk", "writes and fsyncs take longer"),
};

}  // namespace

std::span<const FaultKind> fault_kinds() { return kKinds; }

const FaultKind* find_fault_kind(std::string_view name) {
  for (const FaultKind& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::size_t index_of(const FaultKind& kind) { return static_cast<std::size_t>(&kind - kKinds.data()); }

}  // namespace picklock
