// A lab: a runtime for tests, with a true time that the test moves, tasks, waits, and each node's clocks.
//
// Everything is as calm as can be; what a task meets at its preemption points the test says (`at_mark`).
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/task/host.hpp"

namespace picklock::testing {

class LabRuntime final : public Runtime {
 public:
  static constexpr std::int64_t kEpochNs = 1'700'000'000'000'000'000;  // wall clock at the start

  ~LabRuntime() {
    while (!roots_.empty()) kill(roots_.front().node);
  }

  // --- for tests
  std::int64_t now = 0;                            // true time, in ns
  std::map<NodeId, std::int64_t> wall_offset;      // offset of each node's wall clock
  std::map<NodeId, std::vector<MonoTime>> leases;  // announced deadlines
  std::vector<std::pair<NodeId, std::string>> spawned;
  std::vector<std::uint64_t> declared;
  // Called at each preemption point; false stops the task there until `go_on`.
  std::function<bool(NodeId, MarkSide, Mark)> at_mark;

  void at(std::int64_t due, std::function<void()> event) {
    events_.emplace(std::pair(due, ++events_made_), std::move(event));
  }
  // Lets everything happen up to and including `until`.
  void run_until(Duration until) {
    while (!events_.empty() && events_.begin()->first.first <= until.ns) {
      const auto first = events_.extract(events_.begin());
      now = first.key().first;
      first.mapped()();
      bury();
    }
    now = until.ns;
  }
  void go_on(NodeId node) {
    for (const auto& [id, wait] : waits_) {
      if (wait.node == node && wait.stopped) wake(id);
    }
  }
  void kill(NodeId node) {
    for (std::size_t i = roots_.size(); i-- > 0;) {
      if (roots_[i].node != node) continue;
      const auto handle = roots_[i].promise->self;
      roots_.erase(roots_.begin() + static_cast<std::ptrdiff_t>(i));
      handle.destroy();
    }
  }
  std::size_t tasks() const { return roots_.size(); }
  std::size_t waits() const { return waits_.size(); }

  // --- Runtime
  void root_finished(PromiseBase& root) noexcept override { finished_.push_back(&root); }
  MonoTime monotonic_now(NodeId) const override { return MonoTime{now}; }
  WallTime wall_now(NodeId node) const override {
    const auto offset = wall_offset.find(node);
    return WallTime{kEpochNs + now + (offset == wall_offset.end() ? 0 : offset->second)};
  }
  std::uint64_t draw(NodeId node, Purpose) override {
    std::uint64_t z = (std::uint64_t{node} << 32) + ++draws_ * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 31)) * 0x94d049bb133111ebU;
    return z ^ (z >> 29);
  }
  std::int64_t draw(NodeId node, Purpose p, const Law& law) override { return law.sample(draw(node, p)); }
  WaitId wait(NodeId node, std::coroutine_handle<> waiter, const char*) override {
    waits_.emplace(++waits_made_, Wait{waiter, node, false, false});
    return waits_made_;
  }
  WaitId wait_until(NodeId node, std::coroutine_handle<> waiter, MonoTime due, const char* what) override {
    const WaitId id = wait(node, waiter, what);
    at(std::max(due.ns, now), [this, id] { resume(id); });
    return id;
  }
  WaitId work(NodeId node, std::coroutine_handle<> waiter, Duration amount) override {
    return wait_until(node, waiter, MonoTime{now + amount.ns}, "work");
  }
  void wake(WaitId id) override {
    at(now, [this, id] { resume(id); });
  }
  void release(WaitId id) noexcept override { waits_.erase(id); }
  bool pass(NodeId node, MarkSide side, Mark m) override { return !at_mark || at_mark(node, side, m); }
  WaitId wait_until_continued(NodeId node, std::coroutine_handle<> waiter) override {
    const WaitId id = wait(node, waiter, "stopped");
    waits_.at(id).stopped = true;
    return id;
  }
  void spawn(NodeId node, std::string_view name, PromiseBase& root) override {
    spawned.emplace_back(node, name);
    roots_.push_back({&root, node});
    at(now, [this, &root] {
      for (const Root& r : roots_) {
        if (r.promise == &root) return run(root.self);
      }
    });
  }
  void panic(NodeId node, const char*) override {
    at(now, [this, node] { kill(node); });
  }
  void announce_deadline(NodeId node, DeadlineKind kind, MonoTime due) override {
    if (kind == DeadlineKind::lease) leases[node].push_back(due);
  }
  void declare_state(NodeId, std::uint64_t state) override { declared.push_back(state); }

 private:
  struct Wait {
    std::coroutine_handle<> waiter;
    NodeId node;
    bool stopped;
    bool fired;
  };
  struct Root {
    PromiseBase* promise;
    NodeId node;
  };
  void resume(WaitId id) {
    const auto found = waits_.find(id);
    if (found == waits_.end() || std::exchange(found->second.fired, true)) return;
    run(found->second.waiter);
  }
  void bury() {
    for (PromiseBase* root : std::exchange(finished_, {})) {
      std::erase_if(roots_, [&](const Root& r) { return r.promise == root; });
      root->self.destroy();
    }
  }

  std::map<std::pair<std::int64_t, std::uint64_t>, std::function<void()>> events_;
  std::map<WaitId, Wait> waits_;
  std::vector<Root> roots_;
  std::vector<PromiseBase*> finished_;
  std::uint64_t events_made_ = 0, draws_ = 0;
  WaitId waits_made_ = 0;
};

}  // namespace picklock::testing
