// The world: one simulated distributed system and its one true time.
//
// A run is a pure function of its inputs.  Every event goes through one queue, every random value through
// a named draw, and a digest over the trace tells two runs apart.  A world is reset and used again, so
// that a run allocates next to nothing.
//
//   World world;
//   world.reset(seed);
//   const NodeId a = world.add_node("a");
//   world.start(a, "main", client(world.host(a)));
//   world.run({.until = TrueTime{} + seconds(10)});
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "sim/core/disk.hpp"
#include "sim/core/draws.hpp"
#include "sim/core/network.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/core/stable_vector.hpp"
#include "sim/core/trace.hpp"
#include "sim/task/exchange.hpp"
#include "sim/task/host.hpp"

namespace picklock {

class World;
class RpcChannel;
struct ChannelOptions;

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

enum class Thaw : std::uint8_t { lags, catches_up };  // effect of a freeze on the wall clock

enum class RunEnd : std::uint8_t {
  quiescent,  // nothing is left that could happen
  stopped,    // stop() was called
  time,       // the limit of true time was reached
  budget,     // the limit of events was reached: every verdict is undecided
  livelock,   // a million events without time advancing: an error of the simulation
  exhausted   // the world has no room for more of what exhausted() names: an error of the simulation
};

struct RunLimits {
  TrueTime until = kNever;
  std::uint64_t events = UINT64_MAX;
};

// A request whose sender stopped waiting: for an answer, or for a connection to send it on.
struct Unanswered {
  TrueTime at;
  NodeId from = 0, to = 0;
  Mark verb;
  std::uint32_t hold = 0;  // on whose behalf; 0: none
  bool sent = false;       // false: there was no connection
};

struct Waiting {     // one line of a stall report
  std::string task;  // "a.renewal"
  std::string what;  // "sleep", "reply", an event's name
  std::optional<TrueTime> until;
};

// A trigger point: `node` passes `mark` on `side` for the `count`-th time.
struct TriggerPoint {
  NodeId node = 0;
  MarkSide side = MarkSide::at;
  Mark mark;
  std::uint32_t count = 1;
  Duration offset{};       // wait in true time, after that
  std::uint64_t task = 0;  // only by its task of this name, as a hash; 0: by any
};

// An action of the world: a function and its subject.
struct Action {
  void (*act)(World&, void* subject, std::uint64_t argument) = nullptr;
  void* subject = nullptr;
  std::uint64_t argument = 0;
};

// What has come for a process, and who waits for it.
struct Mailbox {
  Ring<Message> inbox;
  WaitId reader = 0;  // 0: nobody
};

class World final : public Runtime {
 public:
  World();
  ~World();

  // Makes the world as new, with its laws, rules and overrides.  Only the switches of trace and draws stay.
  void reset(std::uint64_t seed);

  // --- building
  NodeId add_node(std::string_view name);  // 1, 2, …; 0 is the world itself
  NodeId node_count() const { return static_cast<NodeId>(used_nodes_); }
  std::optional<NodeId> find_node(std::string_view name) const;
  const std::string& node_name(NodeId n) const { return nodes_[n].name; }
  void install(NodeId n, Program& program);  // boots it now, and again after each restart
  // Starts a task on a node.
  void start(NodeId n, std::string_view name, Task<void> task) { host(n).spawn(name, std::move(task)); }
  RpcChannel& open_channel(NodeId from, NodeId to, const ChannelOptions& options);
  Host host(NodeId n) { return Host(*this, n); }

  // --- running
  RunEnd run(const RunLimits& limits = {});
  void stop() { stop_ = true; }  // run() returns after the event that fires now
  // The same, and this run goes on no more: there is no room for more of `what`.
  void run_out_of(const char* what) {
    exhausted_ = what;
    stop_ = true;
  }
  const char* exhausted() const { return exhausted_; }  // null: nothing
  // In the order of their times.
  const std::vector<Unanswered>& unanswered() const { return unanswered_; }
  TrueTime now() const { return now_; }
  std::uint64_t events() const { return events_; }
  void at(TrueTime when, Action action);
  void on(const TriggerPoint& point, Action action);
  // All draws from now on are others.  With reveal_lengths(true) before the run, so is what is left of each drawn latency,
  // work and pause between rounds, given how long it has lasted; faults draw theirs again in faults/armed.hpp.
  void reseed(std::uint64_t seed);
  void reveal_lengths(bool on) { reveals_ = on; }
  std::vector<Waiting> waiting() const;  // each waiting task and its reason
  std::uint64_t fingerprint() const;
  // Before a run: keeps a hash of all that each machine's processes are told, and when.  Then fingerprint() knows the state of
  // tasks and programs that declare none by it, and tells the names of draws to come as well: equal fingerprints at one true time
  // of runs with one seed have one future.
  void keep_lives(bool on) { keeps_lives_ = on; }
  // Equal lives, equal states of the processes; of a world that keeps no lives each is unique.
  std::uint64_t life(NodeId n) const;

  // --- faults; stops of one kind nest and are counted
  // A pause stops a process and a freeze a host.  Each returns a number of the process or boot that it
  // stopped; resuming by that number has no effect on a later one.  A fault that is injected from inside the
  // process's own coroutines stops it at once; its other effects follow at the same instant.
  std::uint32_t pause(NodeId n);
  void resume(NodeId n, std::uint32_t incarnation);
  void pause_task(NodeId n, std::string_view task);  // those of this name that run now or start later
  void resume_task(NodeId n, std::string_view task);
  std::uint32_t freeze(NodeId n);
  void thaw(NodeId n, Thaw how, std::uint32_t boot);
  void kill(NodeId n);
  void lose_power(NodeId n);
  void restart(NodeId n);  // boots the program again; no effect on a living process
  // The last words of a process that panicked, by the hash in its trace record.
  std::string_view last_words(std::uint64_t hash) const;
  void set_rate(NodeId n, std::int32_t ppm);
  void step_clock(NodeId n, Duration d);
  bool alive(NodeId n) const { return nodes_[n].alive; }
  bool powered(NodeId n) const { return nodes_[n].powered; }
  bool reachable(NodeId n) const { return nodes_[n].reachable; }
  bool stopped(NodeId n) const { return nodes_[n].pauses != 0; }
  std::uint32_t incarnation(NodeId n) const { return nodes_[n].incarnation; }

  // --- what servers and workloads use
  void begin_operation(NodeId n, std::uint32_t ordinal, std::uint32_t hold);  // names the running task's operation
  void serve(const Message& request);            // the running task now acts on behalf of this request
  void serve_background(std::uint32_t ordinal);  // …, or on behalf of no client: the ordinal-th time
  Operation current_operation() const { return roots_[current_root_].operation; }
  std::uint32_t next_segment() { return next_segment(current_root_); }
  // Draws that serve segment n of an operation are numbered from this times n on.
  static constexpr std::uint32_t kNumbersPerSegment = 64;
  [[gnu::always_inline]] void record(TraceKind kind, NodeId n, std::uint32_t a = 0, std::uint64_t b = 0,
                                     std::uint64_t c = 0) {
    const bool is_kept = (kind & kJournal) != 0 || trace.records_fully();
    if (is_kept) trace.add({now_.ns, kind, n, a, b, c});
  }
  const Clock& clock(NodeId n) const { return nodes_[n].clock; }
  Clock& initial_clock(NodeId n) { return nodes_[n].clock; }  // before anything is started on it
  Disk& disk(NodeId n) { return *nodes_[n].disk; }            // stays where it is until reset()
  void set_cpu_cost(NodeId n, Law law) { nodes_[n].cpu_cost = std::move(law); }
  const Law& cpu_cost(NodeId n) const { return nodes_[n].cpu_cost; }
  Ring<Message>& inbox(NodeId n) { return nodes_[n].mailbox.inbox; }
  Mailbox& mailbox(NodeId n) { return nodes_[n].mailbox; }  // stays where it is

  std::string entity_name(std::uint32_t id) const;
  std::string draw_name(const DrawRecord& r) const;
  std::size_t bytes_reserved() const;
  std::size_t tasks_alive() const;

  Trace trace;
  Draws draws;
  Network network;

  // --- Runtime
  void root_finished(PromiseBase& root) noexcept override { finished_ = &root; }
  MonoTime monotonic_now(NodeId n) const override { return nodes_[n].clock.monotonic(now_); }
  WallTime wall_now(NodeId n) const override { return nodes_[n].clock.wall(now_); }
  std::uint64_t draw(NodeId, Purpose) override;
  std::int64_t draw(NodeId, Purpose, const Law&) override;
  std::int64_t draw_for_fault(std::uint32_t n, const Law& law);  // its n-th, of the world: not counted
  // The same after a re-seeding, for a length of which so much is over.
  std::int64_t redraw_for_fault(std::uint32_t n, const Law& law, Duration over, Duration drawn);
  WaitId wait(NodeId n, std::coroutine_handle<> me, const char* what) override {
    return open_slot(SlotKind::wait, n, me.address(), what);
  }
  WaitId wait_until(NodeId n, std::coroutine_handle<> me, MonoTime due, const char* what) override {
    const SlotId id = open_slot(SlotKind::timer, n, me.address(), what);
    arm(id, due);
    return id;
  }
  WaitId work(NodeId, std::coroutine_handle<>, Duration amount) override;
  void lasts_as_drawn(WaitId, Purpose, const Law&, Duration drawn) override;
  void wake(WaitId id) override {
    if (!scheduler_.is_scheduled(id)) scheduler_.schedule(id, now_);
  }
  void release(WaitId id) noexcept override { scheduler_.close(id); }
  // Of waits that their task keeps.  While it rests nothing wakes the task; a timer runs on, to be there for the next wait.
  void rest(WaitId id) {
    Slot& s = scheduler_[id];
    s.target = nullptr;
    if (s.key != 0) scheduler_.cancel(id);
  }
  void rest_timer(WaitId id) {
    Slot& s = scheduler_[id];
    s.target = nullptr;
    if (s.key >= Scheduler::kParked && s.key != Scheduler::kFrozen) s.key = 0;  // it was due while the task was stopped
  }
  void wait_again(WaitId id, std::coroutine_handle<> me) { scheduler_[id].target = me.address(); }
  bool is_set(WaitId timer, MonoTime due) const {
    const Slot& s = scheduler_[timer];
    return s.key != 0 && s.due == due.ns;
  }
  void wait_again_until(WaitId timer, std::coroutine_handle<> me, MonoTime due) {
    wait_again(timer, me);
    if (is_set(timer, due)) return;
    scheduler_.cancel(timer);
    arm(timer, due);
  }
  bool pass(NodeId n, MarkSide side, Mark m) override { return passes(n, side, m); }
  WaitId wait_until_continued(NodeId, std::coroutine_handle<>) override;
  void spawn(NodeId, std::string_view name, PromiseBase& root) override;
  void panic(NodeId, const char* why) override;
  void announce_deadline(NodeId, DeadlineKind, MonoTime due) override;
  void declare_state(NodeId, std::uint64_t state) override;

 private:
  friend class Network;
  friend class RpcChannel;

  struct Parked {
    SlotId slot = 0;  // or 0 and a message
    std::uint64_t key = 0;
    RpcChannel* channel = nullptr;  // whose message it is; null: the mailbox's
    Message message;
  };
  struct Node {
    std::string name;
    std::uint64_t hash = 0;
    std::vector<std::uint64_t> task_hashes;  // of its tasks' full names, by number of the name; 0: not needed yet
    Clock clock;
    std::unique_ptr<Disk> disk = std::make_unique<Disk>();
    Law cpu_cost;
    std::uint64_t armed_marks = 0;  // bit m % 64: some trigger waits for mark m here
    std::uint64_t life = 0;         // if lives are kept
    std::uint32_t pauses = 0, freezes = 0, continuations = 0, incarnation = 0, boots = 0;
    bool alive = false, powered = true, doomed = false;
    // What follows from these and from stopped_names: note_obstacles() after each change of them.
    bool reachable = true;   // its host sends and receives segments
    bool unhindered = true;  // its process lives, and nothing stops any of its tasks
    TrueTime frozen_since;
    Mailbox mailbox;
    std::vector<Parked> parked;
    std::vector<std::uint32_t> roots;
    std::vector<std::uint64_t> stopped_names;  // hashes of task names that are paused
    Program* program = nullptr;

    void note_obstacles() {
      reachable = powered && freezes == 0;
      unhindered = alive && (pauses | freezes) == 0 && !doomed && stopped_names.empty();
    }
  };
  struct Root {
    PromiseBase* promise = nullptr;
    Entity entity;
    std::uint64_t name_hash = 0;
    Operation operation;
    std::array<std::uint32_t, static_cast<std::size_t>(Purpose::count_)> draws{};
    std::uint32_t first_number = 0;  // the draws of an operation are numbered from here on
    std::uint32_t place = 0;         // in its node's list
    std::uint32_t stops = 0;
    SlotId first_step = 0;  // until it has taken it
    NodeId node = 0;
    bool state_declared = false;
    std::uint64_t state = 0;
  };
  struct Trigger {
    TriggerPoint point;
    Action action;
  };

  bool task_stopped(NodeId node, std::uint32_t root) const {
    const Node& n = nodes_[node];
    return !n.unhindered && ((n.pauses | n.freezes) != 0 || n.doomed || roots_[root].stops != 0);
  }
  bool task_stopped(const Slot& s) const { return task_stopped(s.node, s.root); }
  // The running task passes a mark, mostly where nobody looks and nothing stops it.
  [[gnu::always_inline]] bool passes(NodeId n, MarkSide side, Mark m) {
    return passes_unseen(n, m) || passes_seen(n, side, m);
  }
  bool passes_unseen(NodeId node, Mark m) const {
    const Node& n = nodes_[node];
    const bool seen = trace.records_fully() || (n.armed_marks >> (m.id % 64) & 1) != 0;
    return !seen && n.unhindered;
  }
  bool passes_seen(NodeId, MarkSide, Mark);
  bool passes_seen_for(std::uint32_t root, MarkSide, Mark);  // outside of its coroutines
  // The number of the next segment within a task's current operation.
  std::uint32_t next_segment(std::uint32_t root) {
    Root& r = roots_[root];
    return ++r.draws[static_cast<std::size_t>(Purpose::latency)];
  }
  SlotId open_slot(SlotKind kind, NodeId n, void* target, const char* what) {
    const SlotId id = scheduler_.open(kind, n, target);
    Slot& s = scheduler_[id];
    s.root = current_root_;
    s.what = what;
    return id;
  }
  void arm(SlotId id, MonoTime due) {
    Slot& s = scheduler_[id];
    s.due = due.ns;
    scheduler_.schedule(id, std::max(nodes_[s.node].clock.when(due), now_));
  }
  [[gnu::always_inline]] void arm_timeout(SlotId id, Duration time) {
    Slot& s = scheduler_[id];
    const Clock& clock = nodes_[s.node].clock;
    const MonoTime due = clock.monotonic(now_) + time;
    s.due = due.ns;
    scheduler_.schedule_timeout(id, std::max(clock.when(due), now_));
  }
  RunEnd end_of_run(const RunLimits& limits);  // why no more events fire
  void fire(SlotId id);
  void ready(SlotId id) {  // goes on now, or as soon as it may
    const Slot& s = scheduler_[id];
    if (task_stopped(s)) {
      park(id);
    } else if (s.kind == SlotKind::exchange || keeps_lives_ || roots_[s.root].first_step == id) {
      go_on(id);
    } else {
      execute(s.root, std::coroutine_handle<>::from_address(s.target));
    }
  }
  void go_on(SlotId id);
  void put_in_mailbox(Node& n, Message&& message);
  void execute(std::uint32_t root, std::coroutine_handle<> coroutine) {
    PICKLOCK_CHECK(executing_ == 0);
    executing_ = current_root_ = root;
    Runtime::run(coroutine);
    executing_ = 0;
    if (finished_ != nullptr) reap();
    current_root_ = 0;
  }
  void act_on_triggers(NodeId node, MarkSide side, Mark m);
  void park(SlotId id);
  void drain(NodeId n);
  void resume_task(NodeId n, std::uint64_t name);
  void redraw_waits();
  void suspend_work(NodeId n);
  void resume_work(NodeId n);
  void rearm_timers(NodeId n);
  bool doom(NodeId n);  // false: it was doomed before
  void end_process(NodeId n, TraceKind how, std::uint64_t why = 0);
  bool executes_on(NodeId n) const { return executing_ != 0 && roots_[executing_].node == n; }
  void destroy_roots(Node& n);
  void reap();
  void clear();
  std::uint32_t task_name_id(std::string_view name);  // 0: "main"
  std::uint64_t task_hash(Node& n, std::uint32_t name_id);
  void hear(NodeId n, const Message& message);  // lives are kept
  void live_on(SlotId id);                      // lives are kept, and its task goes on
  std::uint64_t unique() const;
  std::uint64_t fingerprint_of(const Node& n, NodeId id) const;
  std::uint64_t fingerprint_of(SlotId id) const;

  TrueTime now_;
  Scheduler scheduler_;
  StableVector<Node> nodes_;
  std::size_t used_nodes_ = 0;
  StableVector<Root> roots_;  // 0: no task; those beyond `used_roots_` are left from earlier runs
  std::uint32_t used_roots_ = 0;
  std::vector<std::uint32_t> free_roots_;
  std::uint32_t current_root_ = 0;
  std::uint32_t executing_ = 0;  // the root whose coroutine is on the stack; 0: none
  bool stop_ = false;
  const char* exhausted_ = nullptr;
  std::vector<Unanswered> unanswered_;
  PromiseBase* finished_ = nullptr;
  std::vector<Trigger> triggers_;
  std::vector<Action> actions_;
  std::vector<std::uint32_t> free_actions_;
  std::vector<std::unique_ptr<RpcChannel>> channels_;
  std::size_t used_channels_ = 0;
  struct TaskName {
    std::uint64_t hash;
    std::string name;
    const char* last_seen_at;  // where its letters stood when it was last looked up
  };
  std::vector<TaskName> task_names_ = {{hash_of("main"), "main", nullptr}};  // kept across runs; ids enter no digest
  std::vector<const char*> last_words_;
  std::vector<Parked> draining_;
  struct DrawnWait {  // a wait whose length was drawn; its slot's argument is its index + 1
    SlotId slot;
    Entity entity;
    Operation operation;
    Purpose purpose;
    std::uint32_t n;
    const Law* law;
    Duration drawn;
  };
  std::vector<DrawnWait> drawn_waits_;
  bool reveals_ = false, keeps_lives_ = false;
  std::uint64_t events_ = 0, parked_count_ = 0, calls_ = 0;
  std::uint32_t same_instant_ = 0;
};

}  // namespace picklock
