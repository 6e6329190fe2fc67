// The tasks of a world: the Runtime behind every Host.
//
//   world.tasks.start(a, "main", client(world.host(a)));
//
// One task runs at a time.  It runs on behalf of an operation, after which its draws and its segments are named.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/draws.hpp"
#include "sim/core/nodes.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/core/stable_vector.hpp"
#include "sim/core/task_names.hpp"
#include "sim/task/host.hpp"

namespace picklock {

class World;

struct Waiting {     // one line of a stall report
  std::string task;  // "a.renewal"
  std::string what;  // "sleep", "reply", an event's name
  std::optional<TrueTime> until;
};

class Tasks final : public Runtime {
 public:
  // A task that was started on a node, and runs until it returns or its process ends.
  struct Root {
    PromiseBase* promise = nullptr;
    Entity entity;
    std::uint64_t name_hash = 0;
    Operation operation;
    std::array<std::uint32_t, static_cast<std::size_t>(Purpose::count_)> draws{};
    std::uint32_t first_number = 0;  // the draws of an operation are numbered from here on
    std::uint32_t place = 0;         // index in its node's list
    std::uint32_t stops = 0;
    SlotId first_step = 0;  // step that the task has not taken yet
    NodeId node = 0;
    bool state_declared = false;
    std::uint64_t state = 0;
  };
  // Draws that serve segment n of an operation are numbered from this times n on.
  static constexpr std::uint32_t kNumbersPerSegment = 64;

  explicit Tasks(World& world) : world_(world) {}
  void reset();
  void start(NodeId n, std::string_view name, Task<void> task) { Host(*this, n).spawn(name, std::move(task)); }

  // --- the running task and its operation
  void begin_operation(std::uint32_t ordinal, std::uint32_t hold);
  void serve(const Message& request);            // it now acts on behalf of this request
  void serve_background(std::uint32_t ordinal);  // it now acts for the ordinal-th time on behalf of no client
  Operation current_operation() const { return roots_[current_].operation; }
  std::uint32_t next_segment() { return next_segment(current_); }  // its number within the operation

  // --- reports
  std::vector<Waiting> waiting() const;  // each waiting task and its reason
  std::size_t alive() const;
  std::string entity_name(std::uint32_t id) const;
  std::string draw_name(const DrawRecord& r) const;
  std::size_t bytes_reserved() const { return arena_.bytes_reserved() + roots_.bytes_reserved(); }

  // --- for the world
  TaskNames names;
  Root& operator[](std::uint32_t root) { return roots_[root]; }
  const Root& operator[](std::uint32_t root) const { return roots_[root]; }
  const Root& current() const { return roots_[current_]; }  // the world's own if no task runs
  std::uint32_t current_root() const { return current_; }
  std::uint32_t switch_to(std::uint32_t root) { return std::exchange(current_, root); }
  bool is_executing() const { return executing_ != 0; }
  bool executes_on(NodeId n) const { return executing_ != 0 && roots_[executing_].node == n; }
  bool is_stopped(NodeId node, std::uint32_t root) const;
  bool is_stopped(const Slot& s) const { return is_stopped(s.node, s.root); }
  std::uint32_t next_segment(std::uint32_t root) {
    Root& r = roots_[root];
    return ++r.draws[static_cast<std::size_t>(Purpose::latency)];
  }
  void ready(SlotId id);  // its task goes on now, or as soon as it may
  void hand_over(Mailbox& mailbox, Message&& message);
  void execute(std::uint32_t root, std::coroutine_handle<> coroutine);
  void destroy_all(Nodes::Process& process);
  // The running task passes a mark.  It passes unseen if it is not stopped, and neither a trigger nor a trace looks.
  bool passes(NodeId n, MarkSide side, Mark m) { return passes_unseen(n, m) || passes_seen(n, side, m); }
  bool passes_unseen(NodeId node, Mark m) const;
  bool passes_seen_for(std::uint32_t root, MarkSide, Mark);  // use it outside of the task's coroutines

  // --- Runtime
  void root_finished(PromiseBase& root) noexcept override { finished_ = &root; }
  MonoTime monotonic_now(NodeId n) const override;
  WallTime wall_now(NodeId n) const override;
  std::uint64_t draw(NodeId, Purpose) override;
  std::int64_t draw(NodeId, Purpose, const Law&) override;
  WaitId wait(NodeId n, std::coroutine_handle<> me, const char* what) override;
  WaitId wait_until(NodeId n, std::coroutine_handle<> me, MonoTime due, const char* what) override;
  WaitId work(NodeId, std::coroutine_handle<>, Duration amount) override;
  void lasts_as_drawn(WaitId, Purpose, const Law&, Duration drawn) override;
  void wake(WaitId id) override;
  void release(WaitId id) noexcept override;
  bool pass(NodeId n, MarkSide side, Mark m) override { return passes(n, side, m); }
  WaitId wait_until_continued(NodeId, std::coroutine_handle<>) override;
  void spawn(NodeId, std::string_view name, PromiseBase& root) override;
  void panic(NodeId, const char* why) override;
  void announce_deadline(NodeId, DeadlineKind, MonoTime due) override;
  void declare_state(NodeId, std::uint64_t state) override;

 private:
  std::uint32_t allocate();
  bool passes_seen(NodeId, MarkSide, Mark);
  void go_on(SlotId id);
  void reap();
  std::uint64_t full_hash(Nodes::Node& n, std::uint32_t name_id);

  World& world_;
  StableVector<Root> roots_;  // 0: no task; those beyond `used_` are left from earlier runs
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> free_;
  std::uint32_t current_ = 0;
  std::uint32_t executing_ = 0;  // the root whose coroutine is on the stack; 0: none
  PromiseBase* finished_ = nullptr;
};

}  // namespace picklock
