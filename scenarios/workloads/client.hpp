// A client of a run: think, acquire, work, release, again.
//
// The client's process may be killed and restarted; what outlives it here (rounds done, the process
// number of the history) is the experimenter's, not the process's memory.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/lock.hpp"
#include "scenarios/workloads/workload.hpp"
#include "sim/core/rpc_channel.hpp"
#include "sim/core/world.hpp"

namespace picklock {

enum class OnLoss : std::uint8_t { stop, ignore };
inline constexpr std::array<std::string_view, 2> kOnLossNames = {"stop", "ignore"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<OnLoss> = kOnLossNames;

struct ClientSpec {
  std::string name;
  Law start;                                    // when it begins, after the start of the run
  Law hold = Law::constant(milliseconds(50));   // work within the critical section
  Law think = Law::constant(milliseconds(10));  // pause between two rounds
  std::int64_t rounds = 1;                      // how often it acquires; 0: as long as the load lasts
  std::optional<Duration> patience;             // of an acquire; none: without limit
  std::optional<Duration> abandon_after;        // walks away from an acquire in mid-flight
  bool honours_deadline = false;                // stops when the grant's local deadline has passed
  OnLoss on_loss = OnLoss::stop;                // when the lock says that the hold was lost

  void fields(FieldVisitor& v);
  bool operator==(const ClientSpec&) const = default;
};

// What all clients of a run share.
struct RunState {
  World* world = nullptr;
  const LockKind* lock_kind = nullptr;
  const Options* lock_options = nullptr;
  std::string_view lock_name;
  Workload* workload = nullptr;
  std::int32_t concurrency = 0;   // a process that crashed is succeeded by process + concurrency
  std::uint32_t holds = 0;        // ids given so far
  std::uint32_t unfinished = 0;   // clients that have rounds to do; the world stops at 0
  bool load_over = false;         // nobody begins another round
};

// Connections of one client, opened once per run.
struct ClientChannels {
  std::vector<RpcChannel*> redis, subscriptions;
  RpcChannel* storage = nullptr;
};

class Client final : public Program {
 public:
  // Valid for one run; called again before each.
  void prepare(RunState& run, const ClientSpec& spec, std::int32_t process, ClientChannels channels);
  void boot(World& world, NodeId node) override;

 private:
  friend struct ClientSteps;

  RunState* run_ = nullptr;
  const ClientSpec* spec_ = nullptr;
  ClientChannels channels_;
  std::vector<Redis> redis_, subscriptions_;
  ProcessLocals locals_;  // ahead of the lock, which may refer to it
  std::unique_ptr<Lock> lock_;
  std::int32_t process_ = 0;
  std::uint32_t rounds_ = 0;  // begun, over all incarnations
  bool in_round_ = false;     // so a process that boots knows that its predecessor died in one
  bool finished_ = false;
};

// After healing and settling: one fresh client acquires the lock and reads the resource.
class Probe final : public Program {
 public:
  void prepare(RunState& run, std::int32_t process, ClientChannels channels, Duration patience,
               ResourceId resources);
  void boot(World& world, NodeId node) override;

 private:
  static Task<void> main(Host host, Probe* self);

  RunState* run_ = nullptr;
  ClientChannels channels_;
  std::vector<Redis> redis_, subscriptions_;
  ProcessLocals locals_;
  std::unique_ptr<Lock> lock_;
  std::int32_t process_ = 0;
  Duration patience_;
  ResourceId resources_ = 0;
};

}  // namespace picklock
