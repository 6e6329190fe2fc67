// Clients and the probe write down what they do: holds, operations, beliefs (journal.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "checker/history.hpp"
#include "scenarios/recording/journal.hpp"
#include "scenarios/workloads/client_process.hpp"

namespace picklock {

// Records for one process.
struct ClientRecorder {
  RunState& run;
  NodeId node;
  std::int32_t process;

  void operation(std::uint32_t hold, Function f, OperationEnd end) const {
    World& w = *run.world;
    w.record(trace::operation, node, hold, pack_operation(f, end, process),
             static_cast<std::uint64_t>(w.tasks.monotonic_now(node).ns));
  }
  void operation(std::uint32_t hold, Function f, OperationEnd end, std::int64_t value,
                 std::optional<std::int64_t> token, ResourceId resource = 0) const {
    operation(hold, f, end);
    if (value != kNoValue || token || resource != 0) {
      run.world->record(trace::operation_value, node, resource, static_cast<std::uint64_t>(value),
                        static_cast<std::uint64_t>(token.value_or(kNoValue)));
    }
  }
  void belief(const LockUse& use, std::uint32_t hold) const {
    for (std::size_t i = 0; i < use.locks.size(); ++i) {
      run.world->record(trace::belief_begins, node, use.part(hold, i));
    }
  }
  void belief_ends(const LockUse& use, std::uint32_t hold, BeliefEnd how, TrueTime at) const {
    for (std::size_t i = 0; i < use.locks.size(); ++i) {
      run.world->record(trace::belief_ends, node, use.part(hold, i), static_cast<std::uint64_t>(how),
                        static_cast<std::uint64_t>(at.ns));
    }
  }
  std::uint32_t new_hold(const LockUse& use, HoldKind kind = HoldKind::whole) const {
    const std::uint32_t hold = ++run.holds;
    const bool shared = use.sharing == Sharing::shared;
    request(hold, use.number, shared, kind);
    if (use.several()) {
      for (const std::uint32_t lock : use.locks) request(++run.holds, lock, shared, HoldKind::part);
    }
    return hold;
  }

 private:
  void request(std::uint32_t hold, std::uint32_t lock, bool shared, HoldKind kind) const {
    run.world->record(trace::hold_requested, node, hold, static_cast<std::uint64_t>(process),
                      pack_request(lock, shared, kind));
  }
};

inline OperationEnd end_of(bool yes, bool unknown) {
  return yes ? OperationEnd::ok : unknown ? OperationEnd::unknown : OperationEnd::failed;
}

}  // namespace picklock
