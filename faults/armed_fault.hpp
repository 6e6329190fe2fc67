// One armed fault of a plan: what each kind implements.
#pragma once

#include <optional>
#include <vector>

#include "sim/core/world.hpp"

namespace picklock {

class NetworkFault;

// State shared by the faults of one run, so that overlapping ones nest.
struct FaultRun {
  struct Node {
    std::uint32_t down = 0;          // deaths in force
    std::uint32_t revived = 0;       // number of restarts that ended all of them
    std::uint32_t staying_down = 0;  // number of deaths that healing does not end
    std::uint32_t drifts = 0;        // number of drifts in force
    std::int64_t own_ppm = 0, drift_ppm = 0;
    std::vector<const Law*> slow_disks;  // laws in force; the newest decides
    Law own_slowdown;
  };
  std::vector<Node> nodes;             // index: id of the node
  std::vector<NetworkFault*> network;  // faults in force, the strongest first

  void reset(std::size_t node_count) {
    network.clear();
    nodes.resize(node_count);
    for (Node& n : nodes) {
      n.down = n.staying_down = n.revived = n.drifts = 0;
      n.own_ppm = n.drift_ppm = 0;
      n.slow_disks.clear();
    }
  }
};

enum class Injection : std::uint8_t {
  missed,     // there was nothing to disturb: the dead cannot be paused
  momentary,  // over as soon as it has begun
  lasting     // stays in force until it ends
};
inline constexpr std::string_view kInjectionNames[] = {"missed", "momentary", "lasting"};

class ArmedFault {
 public:
  ArmedFault() = default;
  ArmedFault(const ArmedFault&) = delete;
  ArmedFault& operator=(const ArmedFault&) = delete;
  virtual ~ArmedFault() = default;

  // May be called from inside a task of the very process that it disturbs.
  virtual Injection begin(World& world, FaultRun& run) = 0;
  // Called once after each `lasting` begin: when the time is over, or by healing; never from inside
  // a task.
  virtual void end(World&, FaultRun&) {}

  NodeId node = 0;           // node that it disturbs; 0: the network
  std::optional<Law> lasts;  // drawn anew each time; then it ends by itself; nothing: by healing
  bool heals = true;         // false: not even by healing
  bool initial = false;      // true: injected at instant 0, before anything has been started
};

}  // namespace picklock
