// For tests of the locks on etcd: a lone member in a world, client processes with locks from the table, and
// what is to happen when.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/kinds.hpp"
#include "base/check.hpp"
#include "sim/etcd/lone_member_lab.hpp"

namespace picklock::testing {

class EtcdLockLab {
 public:
  // One process, which may have several threads with a lock each.
  struct Process {
    NodeId node = 0;
    std::unique_ptr<EtcdClient> etcd;
    ProcessLocals locals;
    std::uint32_t threads = 0;
  };
  struct Client {
    Process* process = nullptr;
    std::unique_ptr<Options> options;
    std::unique_ptr<Lock> lock;
    std::uint32_t hold = 0;  // hold that its requests belong to
    std::optional<Acquired> acquired;
    std::optional<Outcome<>> released;
    std::optional<Duration> acquired_at, released_at, lost_at;
    bool holds() const { return acquired && acquired->yes(); }
  };

  explicit EtcdLockLab(EtcdClientOptions options = {}) : options_(options) {
    world.reset(1);
    world.network.set_latency(Law::constant(milliseconds(1)));
    servers_.push_back(world.nodes.add("etcd"));
    member.loopback = &world.channels.open(servers_[0], servers_[0], etcd_channel({}));
    world.install(servers_[0], member);
  }
  ~EtcdLockLab() {
    world.reset(0);
    clients_.clear();
  }

  Process& process(const std::string& name) {
    Process& p = processes_.emplace_back();
    p.node = world.nodes.add(name);
    std::vector<Channel*> ways;
    for (const NodeId n : servers_) ways.push_back(&world.channels.open(p.node, n, etcd_channel(options_)));
    p.etcd = std::make_unique<EtcdClient>(world.host(p.node), ways, options_);
    return p;
  }
  template <class T, class Edit>
  Client& client(Process& process, std::string_view kind, Edit edit, Sharing sharing = Sharing::exclusive,
                 const std::string& name = "door") {
    Client& c = clients_.emplace_back();
    c.process = &process;
    c.hold = static_cast<std::uint32_t>(clients_.size());
    const auto kinds = etcd_kinds();
    const auto k = std::find_if(kinds.begin(), kinds.end(), [&](const LockKind& one) { return one.name == kind; });
    PICKLOCK_CHECK(k != kinds.end());
    c.options = k->default_options();
    edit(static_cast<OptionsOf<T>&>(*c.options).value);
    LockContext context{world.host(process.node), name};
    context.reach.put<Etcd>(*process.etcd);
    context.process = &process.locals;
    context.thread = ++process.threads;
    context.sharing = sharing;
    c.lock = k->make(context, *c.options);
    if (c.lock->lost() != nullptr)
      world.tasks.start(process.node, "loss", see_loss(world.host(process.node), this, &c));
    return c;
  }
  void acquire(Client& c, Duration when, std::optional<Duration> patience = {}) {
    at(when, [this, &c, patience](World& w) {
      const Host host = w.host(c.process->node);
      w.tasks.start(
          c.process->node, "main",
          run_acquire(host, this, &c, patience ? Patience::lasting(host, *patience) : Patience::unlimited(host)));
    });
  }
  void release(Client& c, Duration when) {
    at(when, [this, &c](World& w) {
      PICKLOCK_CHECK(c.holds());
      w.tasks.start(c.process->node, "main", run_release(w.host(c.process->node), this, &c, c.acquired->value()));
    });
  }

  using Act = std::function<void(World&)>;
  void at(Duration when, Act act) {
    acts_.push_back(std::move(act));
    world.actions.at(TrueTime{} + when,
                     {[](World& w, void* f, std::uint64_t) { (*static_cast<Act*>(f))(w); }, &acts_.back(), 0});
  }
  // Only requests (or only answers) of that process are lost.
  void cut(const Process& p, bool requests, bool answers, Duration from, Duration until) {
    for (const bool out : {true, false}) {
      if (!(out ? requests : answers)) continue;
      at(from, [this, &p, out, until](World& w) {
        NetworkRule rule;
        (out ? rule.from : rule.to).set(p.node);
        for (const NodeId n : servers_) (out ? rule.to : rule.from).set(n);
        const std::uint32_t id = w.network.install(rule);
        at(until, [id](World& x) { x.network.uninstall(id); });
      });
    }
  }
  void pause(NodeId n, Duration from, Duration lasts) {
    at(from, [this, n, lasts](World& w) {
      const std::uint32_t incarnation = w.faults.pause(n);
      at((w.now() - TrueTime{}) + lasts, [n, incarnation](World& x) { x.faults.resume(n, incarnation); });
    });
  }
  void run_until(Duration when) { world.run({.until = TrueTime{} + when}); }
  EtcdReply run(const EtcdRequest& request) { return member.run(world, servers_[0], request); }
  const EtcdMvcc& store() const { return member.state.store(); }
  NodeId server() const { return servers_[0]; }

  World world;
  LoneEtcdMember member;

 private:
  static Task<void> run_acquire(Host, EtcdLockLab* lab, Client* c, Patience patience) {
    lab->world.tasks.begin_operation(1, c->hold);
    c->acquired.reset();
    auto answer = co_await c->lock->acquire(patience);
    c->acquired = std::move(answer);
    c->acquired_at = lab->world.now() - TrueTime{};
  }
  static Task<void> run_release(Host, EtcdLockLab* lab, Client* c, Hold hold) {
    lab->world.tasks.begin_operation(2, c->hold);
    c->acquired.reset();
    c->released.reset();
    auto answer = co_await c->lock->release(std::move(hold));
    c->released = std::move(answer);
    c->released_at = lab->world.now() - TrueTime{};
  }
  static Task<void> see_loss(Host, EtcdLockLab* lab, Client* c) {
    co_await c->lock->lost()->wait();
    c->lost_at = lab->world.now() - TrueTime{};
  }

  EtcdClientOptions options_;
  std::vector<NodeId> servers_;
  std::deque<Process> processes_;
  std::deque<Client> clients_;
  std::deque<Act> acts_;
};

}  // namespace picklock::testing
