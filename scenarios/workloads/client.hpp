// A client of a run: think, acquire, work, release, again.
//
// A client is a thread of a process on a machine of its own, or one of several on a machine that
// they name: then they share its connections and what their library keeps for the process, and die
// together.
//
// The process may be killed and restarted; what outlives it here (rounds done, the process number of
// the history) is the experimenter's, not the process's memory.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/lock.hpp"
#include "scenarios/workloads/lock_plan.hpp"
#include "scenarios/workloads/workload.hpp"
#include "sim/core/rpc_channel.hpp"
#include "sim/core/world.hpp"
#include "sim/etcd/client.hpp"
#include "sim/zookeeper/client.hpp"

namespace picklock {

enum class OnLoss : std::uint8_t { stop, ignore };
inline constexpr std::array<std::string_view, 2> kOnLossNames = {"stop", "ignore"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<OnLoss> = kOnLossNames;

enum class ClientRole : std::uint8_t {
  holder,    // acquires, works, releases
  operator_  // at its start ends, once, whatever holds there are: Lock::force_release
};
inline constexpr std::array<std::string_view, 2> kClientRoleNames = {"holder", "operator"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<ClientRole> = kClientRoleNames;

// Of several acquisitions of one round, which is given back first.
enum class ReleaseOrder : std::uint8_t {
  newest_first,  // as one nests
  oldest_first   // a writer that has taken the read lock as well lets go of the write lock, and reads on
};
inline constexpr std::array<std::string_view, 2> kReleaseOrderNames = {"newest-first", "oldest-first"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<ReleaseOrder> = kReleaseOrderNames;

struct ClientSpec {
  std::string name;
  std::string machine;                          // whose process it is a thread of; empty: its own
  ClientRole role = ClientRole::holder;
  std::vector<std::string> locks;               // taken in this order; none: the scenario's lock
  Law start;                                    // when it begins, after the start of the run
  Law hold = Law::constant(milliseconds(50));   // work within the critical section
  Law think = Law::constant(milliseconds(10));  // pause between two rounds
  Law between;                                  // pause between two acquisitions of one round
  std::int64_t rounds = 1;                      // how often it acquires; 0: as long as the load lasts
  std::optional<Duration> patience;             // of an acquire; none: without limit
  std::optional<Duration> abandon_after;        // walks away from an acquire in mid-flight
  bool honours_deadline = false;                // stops when the grant's local deadline has passed
  OnLoss on_loss = OnLoss::stop;                // when the lock says that the hold was lost
  ReleaseOrder releases = ReleaseOrder::newest_first;

  const std::string& machine_name() const { return machine.empty() ? name : machine; }
  void fields(FieldVisitor& v);
  bool operator==(const ClientSpec&) const = default;
};

// What all clients of a run share.
struct RunState {
  World* world = nullptr;
  const LockKind* lock_kind = nullptr;
  const Options* lock_options = nullptr;
  const LockTable* locks = nullptr;
  ResourceId resources = 1;       // that each lock protects, its own ones
  const WorkloadKind* workload_kind = nullptr;
  Workload* workload = nullptr;
  std::int32_t concurrency = 0;   // a process that crashed is succeeded by process + concurrency
  std::uint32_t holds = 0;        // ids given so far
  std::uint32_t unfinished = 0;   // clients that have rounds to do; the world stops at 0
  bool load_over = false;         // nobody begins another round
};

// Connections of one machine, opened once per run.
struct MachineChannels {
  std::vector<RpcChannel*> redis, subscriptions, etcd;
  EtcdClientOptions etcd_options;
  std::vector<NodeId> zookeeper;  // the servers; its library makes connections by itself
  ZooClientOptions zookeeper_options;
  RpcChannel* storage = nullptr;
};

// The process of one machine, as far as its threads share it.
struct ClientProcess {
  void prepare(RunState& state, MachineChannels c);
  // A process begins: what its libraries knew is gone.
  void boot(World& world, NodeId node);
  // `thread`: 1, 2, …
  std::unique_ptr<Lock> make_lock(const Host& host, const LockUse& use, std::uint32_t thread);
  // After the locks, whose options their libraries' clients have.
  Stores stores(const Host& host);

  RunState* run = nullptr;
  MachineChannels channels;
  std::vector<Redis> redis, subscriptions;
  std::unique_ptr<EtcdClient> etcd;
  ZooClient zookeeper;
  ProcessLocals locals;
};

class Client {
 public:
  // Valid for one run; called again before each.
  void prepare(ClientProcess& process, const ClientSpec& spec, const LockPlan& plan, std::int32_t number,
               std::uint32_t thread);
  void forget();  // all that the dead process knew
  void boot(const Host& host, std::string_view task);

 private:
  friend struct ClientSteps;
  struct Held {  // one acquisition that has not been released
    Hold hold;
    std::uint32_t id = 0;
    std::uint32_t use = 0;   // in the plan
    bool outermost = true;   // of its hold
    bool believes = true;
    bool waits = false;      // a reader within a writer: it holds once the writer has let go
    TrueTime since = {};     // when it began to hold
  };

  ClientProcess* process_state_ = nullptr;
  RunState* run_ = nullptr;
  const ClientSpec* spec_ = nullptr;
  const LockPlan* plan_ = nullptr;
  bool downgrades_ = false;                   // goes on as a reader of what it wrote
  std::vector<std::unique_ptr<Lock>> locks_;  // by LockPlan::uses
  std::vector<Held> held_;                    // in the order of the acquisitions
  std::int32_t process_ = 0;
  std::uint32_t thread_ = 1;
  std::uint32_t rounds_ = 0;  // begun, over all incarnations
  bool in_round_ = false;     // so a process that boots knows that its predecessor died in one
  bool finished_ = false;
};

// A machine that runs clients.
class Machine final : public Program {
 public:
  void clear() { threads_.clear(); }
  void prepare(RunState& run, MachineChannels channels) { process_.prepare(run, std::move(channels)); }
  // In the order of their threads.  `task` must live as long: "main" of a client that is alone.
  void add(Client& client, std::string_view task) { threads_.push_back({&client, task}); }
  ClientProcess& process() { return process_; }
  void boot(World& world, NodeId node) override;

 private:
  struct Thread {
    Client* client;
    std::string_view task;
  };
  ClientProcess process_;  // ahead of what refers to it
  std::vector<Thread> threads_;
};

// After healing and settling: one fresh client acquires each lock and reads what it protects.
class Probe final : public Program {
 public:
  void prepare(RunState& run, std::int32_t process, MachineChannels channels, Duration patience);
  void boot(World& world, NodeId node) override;

 private:
  static Task<void> main(Host host, Probe* self);
  static Task<void> probe(Host host, Probe* self, std::uint32_t number);

  ClientProcess process_state_;
  std::vector<LockUse> uses_;
  std::vector<std::unique_ptr<Lock>> locks_;
  std::int32_t process_ = 0;
  Duration patience_;
};

}  // namespace picklock
