// A lab for the tests of this folder: clients "a" and "b" ping "server", 1 ms each way.
//
// Node 1 is the server: it appends one byte to its log for each request, and syncs it if told to.
// Each client sends a ping (the verb `writes`) every millisecond, and beside that a task "renewal"
// ticks every millisecond.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "base/text.hpp"
#include "faults/armed.hpp"
#include "faults/executed.hpp"
#include "faults/text.hpp"
#include "sim/core/rpc_channel.hpp"
#include "sim/core/service.hpp"

namespace picklock::testing {

class [[nodiscard]] Ping : public ExchangeAwaiter {
 public:
  explicit Ping(Channel& channel) : ExchangeAwaiter(channel, mark::writes) {}
  void await_suspend(std::coroutine_handle<> me) { send("ping", me); }
  bool await_resume() { return replied(); }
};

class PingServer final : public Program {
 public:
  bool syncs = false;
  void boot(World& world, NodeId node) override {
    log_ = world.nodes.disk(node).open("log");
    world.tasks.start(node, "main", serve(Service(world, node), this));
  }
  std::size_t logged(World& world) { return world.nodes.disk(1).contents(log_).size(); }

 private:
  static Task<void> serve(Service service, PingServer* self) {
    for (;;) {
      const Message request = co_await service.receive();
      if (request.kind != SegmentKind::data) continue;
      DiskWrite write(service.world(), service.host(), self->log_, std::string_view("."));
      co_await write;
      if (self->syncs) {
        DiskSync sync(service.world(), service.host(), self->log_);
        co_await sync;
      }
      service.reply(request, "pong");
    }
  }
  FileId log_ = 0;
};

class PingClient final : public Program {
 public:
  struct Answer {
    TrueTime at;
    bool ok = false;
    MonoTime local;
    WallTime wall;
  };
  std::vector<Answer> answers;
  std::vector<TrueTime> ticks;
  std::uint32_t boots = 0;

  RpcChannel* channel = nullptr;
  World* world = nullptr;
  void boot(World& w, NodeId node) override {
    ++boots;
    w.tasks.start(node, "main", ping_for_ever(w.host(node), this));
    w.tasks.start(node, "renewal", tick_for_ever(w.host(node), this));
  }

 private:
  static Task<void> ping_for_ever(Host host, PingClient* self) {
    for (;;) {
      self->world->tasks.begin_operation(++self->rounds_, 0);
      co_await host.pass(mark::acquires);
      Ping ping(*self->channel);
      const bool ok = co_await ping;
      self->answers.push_back({self->world->now(), ok, host.monotonic_now(), host.wall_now()});
      co_await host.sleep(milliseconds(1));
    }
  }
  static Task<void> tick_for_ever(Host host, PingClient* self) {
    for (;;) {
      co_await host.sleep(milliseconds(1));
      self->ticks.push_back(self->world->now());
    }
  }
  std::uint32_t rounds_ = 0;
};

struct PingLab {
  static inline const std::vector<std::string> kNodes = {"server", "a", "b"};
  static constexpr NodeId kServer = 1, kA = 2, kB = 3;

  World world;
  ArmedPlan armed;
  PingServer server;
  PingClient a, b;

  void reset(std::uint64_t seed = 1, Law latency = Law::constant(milliseconds(1))) {
    a = {};
    b = {};
    world.reset(seed);
    for (const std::string& name : kNodes) world.nodes.add(name);
    world.network.set_latency(std::move(latency));
    world.nodes.disk(kServer).write_latency = Law::constant(std::int64_t{0});
    world.nodes.disk(kServer).sync_latency = Law::constant(std::int64_t{0});
  }
  void compile(std::string_view plan_text) {
    FaultPlan plan;
    const auto misread = parse_plan(plan_text, plan);
    ASSERT_FALSE(misread) << to_text(*misread);
    const auto error = armed.compile(plan, kNodes);
    ASSERT_FALSE(error) << to_text(*error);
  }
  void start() {
    armed.arm(world);
    world.install(kServer, server);
    for (const auto& [client, node] : {std::pair(&a, kA), std::pair(&b, kB)}) {
      client->world = &world;
      client->channel = &world.channels.open(node, kServer, {});
      world.install(node, *client);
    }
  }
  // A whole load phase under this plan, from a fresh start.
  void run(std::string_view plan_text, Duration length = milliseconds(1000), std::uint64_t seed = 1,
           Law latency = Law::constant(milliseconds(1))) {
    reset(seed, std::move(latency));
    compile(plan_text);
    start();
    run_until(length);
  }
  void run_until(Duration until) { world.run({.until = TrueTime{} + until}); }
  Executed executed() const {
    Executed e;
    measure(world, world.trace.journal(), e);
    return e;
  }
};

// Number of instants in [from, to).
template <class Instants>
std::size_t between(const Instants& instants, Duration from, Duration to) {
  std::size_t n = 0;
  for (const TrueTime t : instants) n += t >= TrueTime{} + from && t < TrueTime{} + to;
  return n;
}
inline std::vector<TrueTime> answered(const PingClient& c, bool ok = true) {
  std::vector<TrueTime> instants;
  for (const auto& answer : c.answers) {
    if (answer.ok == ok) instants.push_back(answer.at);
  }
  return instants;
}

}  // namespace picklock::testing
