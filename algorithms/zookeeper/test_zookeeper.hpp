// For the tests of this folder's ZooKeeper locks: clients in the laboratory of sim/zookeeper, each with a
// lock that the table makes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/kinds.hpp"
#include "sim/task/check.hpp"
#include "sim/zookeeper/zookeeper_lab.hpp"

namespace picklock::testing {

// One process; its threads share a client library.
class ZooLockProcess {
 public:
  ZooLockProcess(ZooLab& l, std::string_view name, ZooClientOptions options = {})
      : lab(l), process(l.process(name, std::move(options))) {}
  ~ZooLockProcess() { lab.world.kill(process.node); }
  ZooLockProcess(const ZooLockProcess&) = delete;
  ZooLockProcess& operator=(const ZooLockProcess&) = delete;

  Host host() const { return lab.world.host(process.node); }
  NodeId node() const { return process.node; }
  LockContext context(std::uint32_t thread, std::string_view name = "/door") {
    LockContext c{host(), name, {}};
    c.zookeeper = &process.client;
    c.process = &locals;
    c.thread = thread;
    return c;
  }
  // Nothing of what it sends arrives, nor what is sent to it.
  void cut() {
    rules_ = {lab.rule({node()}, {lab.zk}, Fate::drop), lab.rule({lab.zk}, {node()}, Fate::drop)};
  }
  void deafen() { rules_ = {lab.rule({lab.zk}, {node()}, Fate::drop)}; }  // what it sends arrives
  void mend() {
    for (const std::uint32_t rule : rules_) lab.world.network.uninstall(rule);
    rules_.clear();
  }

  ZooLab& lab;
  ZooLab::Process& process;
  ProcessLocals locals;

 private:
  std::vector<std::uint32_t> rules_;
};

// Of the families whose locks ask an ensemble.
inline const LockKind* find_zookeeper_kind(std::string_view name) {
  for (const auto family : {curator_kinds, go_zookeeper_kinds, kazoo_kinds, zookeeper_kinds}) {
    for (const LockKind& kind : family()) {
      if (kind.name == name) return &kind;
    }
  }
  PICKLOCK_CHECK(false);
  return nullptr;
}

// One of its threads, with a lock.
class ZooLockClient {
 public:
  using SetOptions = std::function<void(Options&)>;
  ZooLockClient(ZooLockProcess& p, std::string_view kind, const SetOptions& set = {}, std::uint32_t thread = 1,
                const std::function<void(LockContext&)>& set_context = {})
      : process(p), task(thread == 1 ? "client" : "client-" + std::to_string(thread)) {
    const LockKind* const found = find_zookeeper_kind(kind);
    options = found->default_options();
    if (set) set(*options);
    LockContext c = process.context(thread);
    if (set_context) set_context(c);
    lock = found->make(c, *options);
  }
  // A process of its own.
  ZooLockClient(ZooLab& lab, std::string_view name, std::string_view kind, const SetOptions& set = {},
                ZooClientOptions library = {})
      : own_(std::make_unique<ZooLockProcess>(lab, name, std::move(library))), process(*own_) {
    const LockKind* const found = find_zookeeper_kind(kind);
    options = found->default_options();
    if (set) set(*options);
    lock = found->make(process.context(1), *options);
  }
  ~ZooLockClient() { process.lab.world.kill(process.node()); }
  ZooLockClient(const ZooLockClient&) = delete;
  ZooLockClient& operator=(const ZooLockClient&) = delete;

  Host host() const { return process.host(); }
  void acquire() { acquire(Patience::unlimited(host())); }
  void acquire(Duration patience) { acquire(Patience::lasting(host(), patience)); }
  void acquire(Patience patience) { host().spawn(task, run_acquire(this, host(), patience)); }
  void acquire_and_abandon(Duration after) { host().spawn(task, run_abandoned(this, host(), after)); }
  void release() { release(acquired && acquired->yes() ? acquired->value() : Hold()); }
  void release(Hold hold) { host().spawn(task, run_release(this, host(), std::move(hold))); }
  void force() { host().spawn(task, run_force(this, host())); }
  bool holds() const { return acquired && acquired->yes(); }
  bool lost() const { return lock->lost() != nullptr && lock->lost()->is_set(); }

  std::unique_ptr<ZooLockProcess> own_;
  ZooLockProcess& process;
  std::string task = "client";  // of its own name: tasks of one name share their draws
  std::unique_ptr<Options> options;
  std::unique_ptr<Lock> lock;
  std::optional<Acquired> acquired;
  std::optional<Outcome<>> released, forced;
  Duration acquired_at, released_at;

 private:
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
  static Task<void> run_release(ZooLockClient* self, Host, Hold hold) {
    self->released.reset();
    auto answer = co_await self->lock->release(hold);
    self->released_at = self->process.lab.now();
    self->released = std::move(answer);
  }
  static Task<void> run_force(ZooLockClient* self, Host) {
    auto answer = co_await self->lock->force_release();
    self->forced = std::move(answer);
  }
};

template <class T, class Edit>
std::function<void(Options&)> zoo_options(Edit edit) {
  return [edit](Options& options) { edit(static_cast<OptionsOf<T>&>(options).value); };
}

// The names of a node's children, sorted.
inline std::vector<std::string> children_of(const ZooLab& lab, std::string_view path) {
  std::vector<std::string> names;
  if (const auto* node = lab.server.tree.find(path)) {
    for (const auto& child : node->children) names.push_back(child.second);
  }
  std::sort(names.begin(), names.end());
  return names;
}
inline std::size_t count_of(const ZooLab& lab, std::string_view path) { return children_of(lab, path).size(); }

}  // namespace picklock::testing
