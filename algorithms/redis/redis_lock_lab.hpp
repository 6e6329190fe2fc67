// A lab for the tests of locks on Redis: servers, processes with connections to all of them, and clients
// whose locks the table makes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/lock.hpp"
#include "algorithms/options_lab.hpp"
#include "algorithms/redis/redis_servers.hpp"
#include "algorithms/redis/server_lab.hpp"
#include "algorithms/runtime_lab.hpp"
#include "base/check.hpp"
#include "sim/redis/wire.hpp"

namespace picklock::testing {

// Connections to every server, shared by all threads of a process.
class LabProcess {
 public:
  LabProcess(std::vector<LabServer*> servers, NodeId node) : runtime(servers.front()->runtime) {
    for (LabServer* server : servers) {
      redis_.emplace_back(channels_.emplace_back(*server, node));
      subscriptions_.emplace_back(channels_.emplace_back(*server, node));
    }
  }
  LockContext context(std::uint32_t thread) {
    servers_ = {redis_, subscriptions_};
    LockContext c{host(), "door"};
    c.reach.put<RedisServers>(servers_);
    c.process = &locals_;
    c.thread = thread;
    return c;
  }
  const Host& host() const { return channels_.front().host(); }

  LabRuntime& runtime;

 private:
  std::deque<LabChannel> channels_;
  std::vector<Redis> redis_, subscriptions_;
  RedisServers servers_;
  ProcessLocals locals_;
};

// One client process with a lock of its own, made by the table.
class LabClient {
 public:
  LabClient(LabServer& server, NodeId node, std::string_view lock_kind,
            const std::function<void(Options&)>& set_options = {})
      : LabClient(std::make_shared<LabProcess>(std::vector{&server}, node), 1, lock_kind, set_options) {}
  // One thread of a process that others may share.
  LabClient(std::shared_ptr<LabProcess> process, std::uint32_t thread, std::string_view lock_kind,
            const std::function<void(Options&)>& set_options = {})
      : runtime_(process->runtime), process_(std::move(process)) {
    const LockKind* const kind = find_lock_kind(lock_kind);
    PICKLOCK_CHECK(kind != nullptr);
    options = kind->default_options();
    if (set_options) set_options(*options);
    lock = kind->make(process_->context(thread), *options);
  }
  ~LabClient() { runtime_.kill(host().node()); }
  LabClient(const LabClient&) = delete;
  LabClient& operator=(const LabClient&) = delete;
  const Host& host() const { return process_->host(); }

  // Answers received so far.
  std::optional<Acquired> acquired;
  std::optional<Outcome<>> released;
  std::optional<Outcome<MonoTime>> extended;

  void acquire() { acquire(Patience::unlimited(host())); }
  void acquire(Patience patience) { host().spawn("client", run_acquire(this, host(), patience)); }
  void acquire_within(Patience patience, Duration d) {  // gives up by abandoning the task
    host().spawn("client", run_acquire_within(this, host(), patience, d));
  }
  void release(Hold hold) { host().spawn("client", run_release(this, host(), std::move(hold))); }
  void extend(Hold hold) { host().spawn("client", run_extend(this, host(), std::move(hold))); }
  bool holds() const { return acquired && acquired->yes(); }
  const Hold& hold() const { return acquired->value(); }

  std::unique_ptr<Options> options;
  std::unique_ptr<Lock> lock;

 private:
  static Task<void> run_acquire(LabClient* self, Host, Patience patience) {
    self->acquired.reset();
    auto answer = co_await self->lock->acquire(patience);
    self->acquired = std::move(answer);
  }
  static Task<void> run_acquire_within(LabClient* self, Host host, Patience patience, Duration d) {
    self->acquired.reset();
    auto answer = co_await with_timeout(host, self->lock->acquire(patience), d);
    self->acquired = std::move(answer);
  }
  static Task<void> run_release(LabClient* self, Host, Hold hold) {
    self->released.reset();
    auto answer = co_await self->lock->release(hold);
    self->released = std::move(answer);
  }
  static Task<void> run_extend(LabClient* self, Host, Hold hold) {
    self->extended.reset();
    auto answer = co_await self->lock->extend(hold);
    self->extended = std::move(answer);
  }

  LabRuntime& runtime_;
  std::shared_ptr<LabProcess> process_;
};

// A world with a server, or several; clients are made on it.
struct RedisLockLab {
  explicit RedisLockLab(std::size_t n = 1) {
    while (servers.size() < n) servers.emplace_back(runtime);
  }
  // As many servers as a lock needs.
  static std::size_t servers_of(const LockKind& kind) {
    return kind.servers != nullptr ? kind.servers(*kind.default_options()) : kind.independent_servers;
  }
  std::shared_ptr<LabProcess> process(NodeId node) {
    std::vector<LabServer*> all;
    for (LabServer& s : servers) all.push_back(&s);
    return std::make_shared<LabProcess>(std::move(all), node);
  }
  void run(Duration until) { runtime.run_until(until); }
  void run_on(Duration more) { run(Duration{runtime.now} + more); }
  // Counts the first server's commands that begin so; below: answers of the first server.
  long count(std::string_view command) const {
    const auto& log = servers.front().log;
    return std::count_if(log.begin(), log.end(), [&](const std::string& line) { return line.starts_with(command); });
  }
  std::int64_t pttl(const std::string& key = "door") { return std::stoll(server.ask("PTTL", key)); }
  std::string value(const std::string& key = "door") { return server.ask("GET", key); }
  std::size_t commands() const {
    std::size_t n = 0;
    for (const LabServer& s : servers) n += s.log.size();
    return n;
  }

  LabRuntime runtime;
  std::deque<LabServer> servers;
  LabServer& server = servers.emplace_back(runtime);
};

}  // namespace picklock::testing
