// For the tests of the locks on ZooKeeper: a world with one server, clients whose locks the table makes, and what
// may happen to them.
//
//   ZooLabOf<KazooLockOptions> lab("kazoo-lock");
//   auto &a = lab.client("a"), &b = lab.client("b", [](auto& o) { o.watch = KazooWatch::exists; });
//   lab.acquire(a, b);              // each asks, and a second passes
//   lab.cut(b, seconds(20));        // b's messages are lost both ways for 20 s
//   EXPECT_EQ(lab.nodes(), 1U);     // counts nodes below /door, the lock's name
//
// Time goes on in `pass`, in `acquire` and `release` of the lab, and in mishaps that last; `at` counts from the
// world's beginning.  An order to a client itself begins once time goes on.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/lock.hpp"
#include "algorithms/options_lab.hpp"
#include "base/check.hpp"
#include "sim/zookeeper/zookeeper_lab.hpp"

namespace picklock::testing {

// One process; its threads share a client library.
struct ZooLockProcess {
  ZooLockProcess(ZooLab& l, std::string_view name, ZooClientOptions options)
      : lab(l), process(l.process(name, std::move(options))) {}
  NodeId node() const { return process.node; }

  // Nothing of what it sends arrives, nor what is sent to it.
  void cut() { rules = {lab.rule({node()}, {lab.zk}, Fate::drop), lab.rule({lab.zk}, {node()}, Fate::drop)}; }
  void deafen() { rules = {lab.rule({lab.zk}, {node()}, Fate::drop)}; }  // its own messages still arrive
  void repair() {
    for (const std::uint32_t rule : std::exchange(rules, {})) lab.world.network.uninstall(rule);
  }

  ZooLab& lab;
  ZooLab::Process& process;
  ProcessLocals locals;
  std::vector<std::uint32_t> rules;
};

// One thread of a process, with a lock.
class ZooLockClient {
 public:
  using SetOptions = std::function<void(Options&)>;
  using SetContext = std::function<void(LockContext&)>;

  ZooLockClient(ZooLockProcess& p, std::uint32_t thread, std::string_view kind, const SetOptions& set_options,
                const SetContext& set_context)
      : process(p), task(thread == 1 ? "client" : "client-" + std::to_string(thread)) {
    const LockKind* const found = find_lock_kind(kind);
    PICKLOCK_CHECK(found != nullptr);
    const std::unique_ptr<Options> options = found->default_options();
    if (set_options) set_options(*options);
    LockContext context{host(), "/door"};
    context.reach.put<ZooConnector>(process.process.client);
    context.process = &process.locals;
    context.thread = thread;
    if (set_context) set_context(context);
    lock = found->make(context, *options);
  }

  Host host() const { return process.lab.world.host(process.node()); }
  NodeId node() const { return process.node(); }

  void acquire() { acquire(Patience::unlimited(host())); }
  void acquire(Duration patience) { acquire(Patience::lasting(host(), patience)); }
  void acquire_at_once() { acquire(Patience::one_attempt(host())); }
  void acquire_and_abandon(Duration after) { host().spawn(task, run_abandoned(this, host(), after)); }
  void release() { release(holds() ? hold() : Hold()); }
  void release(Hold held) { host().spawn(task, run_release(this, host(), std::move(held))); }
  void force() { host().spawn(task, run_force(this, host())); }

  // Last answers that it has been told.
  bool holds() const { return acquired && acquired->yes(); }
  bool refused() const { return acquired && acquired->refused(); }
  bool in_doubt() const { return acquired && acquired->unknown(); }
  bool gave_back() const { return released && released->yes(); }
  bool lost() const { return lock->lost() != nullptr && lock->lost()->is_set(); }
  const Hold& hold() const { return acquired->value(); }
  std::int64_t token() const { return holds() ? hold().token.value_or(0) : 0; }

  ZooLockProcess& process;
  const std::string task;  // its name: tasks of one name share their draws
  std::unique_ptr<Lock> lock;
  std::optional<Acquired> acquired;
  std::optional<Outcome<>> released, forced;
  Duration acquired_at;

 private:
  void acquire(Patience patience) { host().spawn(task, run_acquire(this, host(), patience)); }
  static Task<void> run_acquire(ZooLockClient* self, Host, Patience patience) {
    self->acquired.reset();
    auto answer = co_await self->lock->acquire(patience);
    self->acquired_at = self->process.lab.now();
    self->acquired = std::move(answer);
  }
  static Task<void> run_abandoned(ZooLockClient* self, Host host, Duration after) {
    self->acquired.reset();
    auto answer = co_await with_timeout(host, self->lock->acquire(Patience::unlimited(host)), after);
    self->acquired = std::move(answer);
  }
  static Task<void> run_release(ZooLockClient* self, Host, Hold held) {
    self->released.reset();
    auto answer = co_await self->lock->release(held);
    self->released = std::move(answer);
  }
  static Task<void> run_force(ZooLockClient* self, Host) {
    auto answer = co_await self->lock->force_release();
    self->forced = std::move(answer);
  }
};

inline void shares(LockContext& context) { context.sharing = Sharing::shared; }

// The world: its server, its processes, their clients.
class ZooLockLab : public ZooLab {
 public:
  using Client = ZooLockClient;
  using Process = ZooLockProcess;
  using ZooLab::ZooLab;
  ~ZooLockLab() {
    for (const Process& p : lock_processes_) world.faults.kill(p.node());
  }

  // Locks of go-zookeeper want its own library's options.
  Process& process(std::string_view name, ZooClientOptions library = {}) {
    return lock_processes_.emplace_back(*this, name, std::move(library));
  }
  Client& add(Process& p, std::uint32_t thread, std::string_view kind, const Client::SetOptions& set_options = {},
              const Client::SetContext& set_context = {}) {
    return clients_.emplace_back(p, thread, kind, set_options, set_context);
  }

  void pass(Duration d) { run_until(now() + d); }
  void acquire(auto&... clients) { ((clients.acquire(), pass(seconds(1))), ...); }
  void release(auto&... clients) { ((clients.release(), pass(seconds(1))), ...); }
  void enter_and_leave(Client& c) {
    acquire(c);
    release(c);
  }

  void cut(Client& c, Duration lasts) {
    c.process.cut();
    pass(lasts);
    c.process.repair();
  }
  void deafen(Client& c, Duration lasts) {
    c.process.deafen();
    pass(lasts);
    c.process.repair();
  }
  void restart_server(Duration after) {
    world.faults.kill(zk);
    pass(after);
    world.faults.restart(zk);
  }
  void kill(Client& c) { world.faults.kill(c.node()); }
  using Lab::pause;
  void pause(Client& c, Duration lasts) { pause(c.node(), now(), lasts); }

  // Acts when the client's process comes to the verb, or comes back from it, for the `count`th time from now on.
  void before(Client& c, Mark verb, std::function<void()> act, std::uint32_t count = 1) {
    on(
        c.node(), verb, [act = std::move(act)](World&) { act(); }, MarkSide::before, count);
  }
  void after(Client& c, Mark verb, std::function<void()> act, std::uint32_t count = 1) {
    on(
        c.node(), verb, [act = std::move(act)](World&) { act(); }, MarkSide::after, count);
  }
  void stop(Client& c, std::string_view task) { world.faults.pause_task(c.node(), task); }
  void go_on(Client& c, std::string_view task) { world.faults.resume_task(c.node(), task); }

  const ZooTree::Node* find(std::string_view path) const { return server.tree.find(path); }
  std::vector<std::string> names(std::string_view path = "/door") const {  // sorted
    std::vector<std::string> all;
    if (const auto* node = find(path)) {
      for (const ZooPath& child : node->children) all.emplace_back(child.name());
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  std::size_t nodes(std::string_view path = "/door") const { return names(path).size(); }
  std::string first() const { return "/door/" + names().front(); }
  // A stranger changes nodes at once.
  void make(const std::string& path) { execute(ZooKeeper::create_part(path)); }
  void remove(const std::string& path) { execute(ZooKeeper::remove_part(path)); }

 private:
  std::deque<Process> lock_processes_;
  std::deque<Client> clients_;  // clients are destroyed first
};

// For the tests of one lock: its clients have the usual options, of type T, each with an edit of its own.
template <class T>
class ZooLabOf : public ZooLockLab {
 public:
  using Edit = std::function<void(T&)>;
  explicit ZooLabOf(std::string_view kind, Edit usual = {}, ZooClientOptions library = {})
      : kind_(kind), usual_(std::move(usual)), library_(std::move(library)) {}

  // Makes a client in its own process.
  Client& client(std::string_view name, const Edit& edit = {}) { return thread(process(name, library_), 1, edit); }
  Client& thread(Process& p, std::uint32_t number, const Edit& edit = {}, const Client::SetContext& set_context = {}) {
    const auto both = [this, &edit](T& options) {
      if (usual_) usual_(options);
      if (edit) edit(options);
    };
    return add(p, number, kind_, options_of<T>(both), set_context);
  }

 private:
  std::string kind_;
  Edit usual_;
  ZooClientOptions library_;
};

}  // namespace picklock::testing
