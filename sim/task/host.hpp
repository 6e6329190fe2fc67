// A Host is the machine that a lock's code runs on, as far as the code can see it.
//
// It is a cheap value; copy it.  All that is not deterministic comes through it: the two clocks, sleeping,
// random draws, further tasks.
#pragma once

#include <utility>

#include "sim/task/task.hpp"

namespace picklock {

// A wait that its awaiter owns.
class OwnedWait {
 public:
  OwnedWait() = default;
  OwnedWait(const OwnedWait&) = delete;
  OwnedWait& operator=(const OwnedWait&) = delete;
  [[gnu::always_inline]] ~OwnedWait() { reset(); }
  void set(Runtime& runtime, WaitId id) { runtime_ = &runtime, id_ = id; }
  [[gnu::always_inline]] void reset() noexcept {
    if (id_ != 0) runtime_->release(std::exchange(id_, 0));
  }
  WaitId id() const { return id_; }

 private:
  Runtime* runtime_ = nullptr;
  WaitId id_ = 0;
};

class Host {
 public:
  class [[nodiscard]] Sleep;
  class [[nodiscard]] Work;
  class [[nodiscard]] Yield;
  class [[nodiscard]] Pass;
  class [[nodiscard]] Panic;

  Host(Runtime& runtime, NodeId node) : runtime_(&runtime), node_(node) {}

  MonoTime monotonic_now() const { return runtime_->monotonic_now(node_); }
  WallTime wall_now() const { return runtime_->wall_now(node_); }

  Sleep sleep(Duration d) const;
  Sleep sleep_until(MonoTime due) const;
  // Computes for `amount` of this node's time; unlike sleep, a pause prolongs it.
  Work work(Duration amount) const;
  // Both, for a time that is drawn here.  `law` outlives the wait.
  Sleep sleep(Purpose p, const Law& law) const;
  Work work(Purpose p, const Law& law) const;
  // A point where a real library may be overtaken by its own other threads: they run first, and a
  // fault may be injected (`on = "a yields"`).  `why` is a static string.
  Yield yield(const char* why) const;
  // Tells triggers what happens here; a fault may stop the task right at this point.
  Pass pass(Mark m, MarkSide side = MarkSide::at) const;
  // An uncaught error, such as a nil dereference in Go, ends the whole process with all its threads.
  // Never resumes.  `why` is a static string.
  Panic panic(const char* why) const;

  std::uint64_t random(Purpose p) const { return runtime_->draw(node_, p); }
  std::int64_t draw(Purpose p, const Law& law) const { return runtime_->draw(node_, p, law); }
  Duration draw_duration(Purpose p, const Law& law) const { return {draw(p, law)}; }

  // Runs `task` beside the caller, from this instant on, until it returns or the process dies.
  // `name` is what a fault calls it ("renewal").
  void spawn(std::string_view name, Task<void> task) const {
    const auto handle = task.release();
    handle.promise().self = handle;
    handle.promise().runtime = runtime_;
    runtime_->spawn(node_, name, handle.promise());
  }

  // Tells fault generators which deadline is in play: durations are drawn relative to it.
  void announce_deadline(DeadlineKind kind, MonoTime due) const { runtime_->announce_deadline(node_, kind, due); }
  // Declares all that the calling task's future depends on, as a hash.  A task that never does so
  // makes every fingerprint of its world unique.
  void declare_state(std::uint64_t state) const { runtime_->declare_state(node_, state); }

  const Host& host() const { return *this; }
  Arena& arena() const { return runtime_->arena(); }
  Runtime& runtime() const { return *runtime_; }
  NodeId node() const { return node_; }

 private:
  Runtime* runtime_;
  NodeId node_;
};

class Host::Sleep {
 public:
  Sleep(const Host& host, MonoTime due) : host_(host), due_(due) {}
  Sleep(const Host& host, Purpose purpose, const Law& law)
      : host_(host), drawn_(host.draw_duration(purpose, law)), purpose_(purpose), law_(&law) {
    due_ = host.monotonic_now() + drawn_;
  }
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> me) {
    wait_.set(host_.runtime(), host_.runtime().wait_until(host_.node(), me, due_, "sleep"));
    if (law_ != nullptr) host_.runtime().lasts_as_drawn(wait_.id(), purpose_, *law_, drawn_);
  }
  void await_resume() {}

 private:
  Host host_;
  MonoTime due_;
  Duration drawn_{};
  Purpose purpose_{};
  const Law* law_ = nullptr;
  OwnedWait wait_;
};

class Host::Work {
 public:
  Work(const Host& host, Duration amount) : host_(host), amount_(amount) {}
  Work(const Host& host, Purpose purpose, const Law& law)
      : host_(host), amount_(host.draw_duration(purpose, law)), purpose_(purpose), law_(&law) {}
  bool await_ready() const { return amount_.ns <= 0; }
  void await_suspend(std::coroutine_handle<> me) {
    wait_.set(host_.runtime(), host_.runtime().work(host_.node(), me, amount_));
    if (law_ != nullptr) host_.runtime().lasts_as_drawn(wait_.id(), purpose_, *law_, amount_);
  }
  void await_resume() {}

 private:
  Host host_;
  Duration amount_;
  Purpose purpose_{};
  const Law* law_ = nullptr;
  OwnedWait wait_;
};

class Host::Yield {
 public:
  Yield(const Host& host, const char* why) : host_(host), why_(why) {}
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> me) {
    Runtime& runtime = host_.runtime();
    if (!runtime.pass(host_.node(), MarkSide::at, mark::yields)) {
      wait_.set(runtime, runtime.wait_until_continued(host_.node(), me));
      return;
    }
    wait_.set(runtime, runtime.wait(host_.node(), me, why_));
    runtime.wake(wait_.id());
  }
  void await_resume() {}

 private:
  Host host_;
  const char* why_;
  OwnedWait wait_;
};

class Host::Pass {
 public:
  Pass(const Host& host, MarkSide side, Mark m) : host_(host), mark_(m), side_(side) {}
  bool await_ready() const { return host_.runtime().pass(host_.node(), side_, mark_); }
  void await_suspend(std::coroutine_handle<> me) {
    wait_.set(host_.runtime(), host_.runtime().wait_until_continued(host_.node(), me));
  }
  void await_resume() {}

 private:
  Host host_;
  Mark mark_;
  MarkSide side_;
  OwnedWait wait_;
};

// The kernel lives on and closes the connections; no clean-up code of the process runs, since there is none.
class Host::Panic {
 public:
  Panic(const Host& host, const char* why) : host_(host), why_(why) {}
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> me) {
    host_.runtime().panic(host_.node(), why_);
    wait_.set(host_.runtime(), host_.runtime().wait_until_continued(host_.node(), me));
  }
  void await_resume() {}

 private:
  Host host_;
  const char* why_;
  OwnedWait wait_;
};

inline Host::Sleep Host::sleep(Duration d) const { return Sleep(*this, monotonic_now() + d); }
inline Host::Sleep Host::sleep_until(MonoTime due) const { return Sleep(*this, due); }
inline Host::Work Host::work(Duration amount) const { return Work(*this, amount); }
inline Host::Sleep Host::sleep(Purpose p, const Law& law) const { return Sleep(*this, p, law); }
inline Host::Work Host::work(Purpose p, const Law& law) const { return Work(*this, p, law); }
inline Host::Yield Host::yield(const char* why) const { return Yield(*this, why); }
inline Host::Pass Host::pass(Mark m, MarkSide side) const { return Pass(*this, side, m); }
inline Host::Panic Host::panic(const char* why) const { return Panic(*this, why); }

}  // namespace picklock
