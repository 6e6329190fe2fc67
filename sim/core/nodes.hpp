// The nodes of a world.  A node is a host, with its clocks and its disk, and the process that runs on it.
//
//   const NodeId a = world.nodes.add("a");
//   world.nodes.disk(a).open("log");
//   if (world.nodes.alive(a)) …
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/clock.hpp"
#include "sim/core/disk.hpp"
#include "sim/core/network.hpp"
#include "sim/core/ring.hpp"
#include "sim/core/stable_vector.hpp"

namespace picklock {

class World;
class RpcChannel;

// A program runs on a node; the world boots it at the start and after each restart.  Keep volatile state
// in its tasks: a crash destroys them.
class Program {
 public:
  virtual ~Program() = default;
  virtual void boot(World& world, NodeId node) = 0;
  // The node's wall clock has been stepped while the program lives: tasks that wait for a wall time look again.
  virtual void clock_stepped(World&, NodeId) {}
  // A hash of all state outside its tasks, with instants relative to the node's clocks.
  virtual std::uint64_t fingerprint(const World&, NodeId) const { return 0; }
};

// The messages that a process has not read yet.
struct Mailbox {
  Ring<Message> inbox;
  WaitId reader = 0;  // the wait of the task that reads them; 0: no task waits
};

// A wait that came due, or a message that arrived, while its process or task was stopped.
struct Parked {
  SlotId slot = 0;  // 0: a message
  std::uint64_t key = 0;
  RpcChannel* channel = nullptr;  // receives the message; null: the mailbox does
  Message message;
};

class Nodes {
 public:
  struct Machine {
    bool powered = true;
    std::uint32_t freezes = 0, boots = 0;
    TrueTime frozen_since;
  };
  struct Process {
    Program* program = nullptr;
    bool alive = false;
    bool doomed = false;  // an event of this instant will end it
    std::uint32_t pauses = 0, incarnation = 0, continuations = 0;
    std::vector<std::uint64_t> stopped_names;  // hashes of task names that are paused
    std::vector<std::uint32_t> roots;          // numbers of its tasks
    Mailbox mailbox;
    std::vector<Parked> parked;
    std::uint64_t life = 0;  // a hash of all that it was told, if lives are kept
  };
  struct Node {
    std::string name;
    std::uint64_t hash = 0;                  // hash of its name
    std::vector<std::uint64_t> task_hashes;  // index: number of a task's full name; 0: not needed yet
    Clock clock;
    std::unique_ptr<Disk> disk = std::make_unique<Disk>();
    Law cpu_cost;
    std::uint64_t armed_marks = 0;  // bit m % 64: some trigger waits for mark m here
    Machine machine;
    Process process;
    // These follow from the state of machine and process: note_obstacles() after each change.
    bool reachable = true;   // its host sends and receives segments
    bool unhindered = true;  // its process lives, and nothing stops any of its tasks

    bool is_stopped() const { return (process.pauses | machine.freezes) != 0 || process.doomed; }
    bool obstacles_noted() const;
    void note_obstacles();
    void reset(std::string_view new_name);
  };

  NodeId add(std::string_view name);  // 1, 2, …; 0 is the world itself
  NodeId count() const { return static_cast<NodeId>(used_); }
  std::optional<NodeId> find(std::string_view name) const;
  void reset() { used_ = 0; }

  Node& operator[](NodeId n) { return nodes_[n]; }
  const Node& operator[](NodeId n) const { return nodes_[n]; }
  const std::string& name(NodeId n) const { return nodes_[n].name; }

  // --- the process
  bool alive(NodeId n) const { return nodes_[n].process.alive; }
  bool paused(NodeId n) const { return nodes_[n].process.pauses != 0; }
  std::uint32_t incarnation(NodeId n) const { return nodes_[n].process.incarnation; }
  Mailbox& mailbox(NodeId n) { return nodes_[n].process.mailbox; }  // stays where it is
  Ring<Message>& inbox(NodeId n) { return nodes_[n].process.mailbox.inbox; }

  // --- the machine
  bool powered(NodeId n) const { return nodes_[n].machine.powered; }
  bool reachable(NodeId n) const { return nodes_[n].reachable; }
  const Clock& clock(NodeId n) const { return nodes_[n].clock; }
  Clock& initial_clock(NodeId n) { return nodes_[n].clock; }  // call it before anything is started on the node
  Disk& disk(NodeId n) { return *nodes_[n].disk; }            // stays where it is until the world is reset
  const Law& cpu_cost(NodeId n) const { return nodes_[n].cpu_cost; }
  void set_cpu_cost(NodeId n, Law law) { nodes_[n].cpu_cost = std::move(law); }

  std::size_t bytes_reserved() const { return nodes_.bytes_reserved(); }

 private:
  StableVector<Node> nodes_;
  std::size_t used_ = 0;  // later ones are left from earlier runs
};

}  // namespace picklock
