// A client of a run: think, acquire, work, release, again.
//
// A client is a thread of a process on a machine of its own, or one of several on a machine that
// they name: then they share its connections and what their library keeps for the process, and die
// together.
//
// The process may be killed and restarted; what outlives it here (rounds done, the process number of
// the history) is the experimenter's, not the process's memory.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "scenarios/workloads/client_process.hpp"
#include "scenarios/workloads/client_spec.hpp"

namespace picklock {

class Client {
 public:
  // Valid for one run; called again before each.
  void prepare(ClientProcess& process, const ClientSpec& spec, const LockPlan& plan, std::int32_t number,
               std::uint32_t thread);
  void forget();  // forgets all that the dead process knew
  void boot(const Host& host, std::string_view task);

 private:
  friend struct ClientSteps;
  struct Held {  // one acquisition that has not been released
    Hold hold;
    std::uint32_t id = 0;
    std::uint32_t use = 0;  // index of its use in the plan
    bool outermost = true;  // true: the outermost acquisition of its hold
    bool believes = true;
    bool waits = false;   // true: a reader within a writer, which holds once the writer has let go
    bool granted = true;  // false: its client works without the lock
    TrueTime since = {};  // start of the hold
  };

  ClientProcess* process_state_ = nullptr;
  RunState* run_ = nullptr;
  const ClientSpec* spec_ = nullptr;
  const LockPlan* plan_ = nullptr;
  bool downgrades_ = false;                   // true: goes on as a reader of what it wrote
  std::vector<std::unique_ptr<Lock>> locks_;  // index: LockPlan::uses
  std::vector<Held> held_;                    // acquisitions in their order
  std::int32_t process_ = 0;
  std::uint32_t thread_ = 1;
  std::uint32_t rounds_ = 0;  // rounds begun, over all incarnations
  bool in_round_ = false;     // true: a booting process sees that its predecessor died in a round
  bool finished_ = false;
  bool thrown_ = false;  // true: an uncaught exception has ended the thread
};

// A machine that runs clients.
class Machine final : public Program {
 public:
  // Runs before each run: nothing of the last one is left.
  void prepare(RunState& run, Connections connections);
  // Adds threads in their order.  `task` must live as long: "main" of a client that is alone.
  void add(Client& client, std::string_view task) { threads_.push_back({&client, task}); }
  ClientProcess& process() { return process_; }
  void boot(World& world, NodeId node) override;

 private:
  struct Thread {
    Client* client;
    std::string_view task;
  };
  void forget();
  ClientProcess process_;  // declared before the members that refer to it
  std::vector<Thread> threads_;
};

}  // namespace picklock
