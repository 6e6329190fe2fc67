// Everything at once: ten nodes that do a bit of everything under every fault.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/core/world_lab.hpp"
#include "sim/task/combinators.hpp"

namespace picklock::testing {

struct ChaosOptions {
  int clients = 8;
  int faults = 60;
  Duration lasts = seconds(2);
  int without_fault = -1;  // leaves this one out
};

class Chaos {
 public:
  static constexpr NodeId kServer = 1, kFirstClient = 2;

  // Fills `lab`, which was just reset with this seed, and runs it.
  RunEnd run(Lab& lab, std::uint64_t seed, const ChaosOptions& options = {}) {
    build(lab, seed, options);
    const RunEnd end = lab.world.run({.until = true_at(options.lasts), .events = 3'000'000});
    return end;
  }
  void build(Lab& lab, std::uint64_t seed, const ChaosOptions& options) {
    World& w = lab.world;
    w.network.set_latency(Law::uniform(us(50), ms(2)));
    w.nodes.add("server");
    server_.durable = true;
    server_.executed.clear();
    server_.news.clear();
    w.nodes.set_cpu_cost(kServer, Law::exponential(us(30).ns, ms(5).ns));
    w.install(kServer, server_);
    clients_.clear();
    for (int i = 0; i < options.clients; ++i) {
      const NodeId n = w.nodes.add("c" + std::to_string(i));
      RpcChannel& channel = w.channels.open(
          n, kServer, {.request_timeout = ms(80), .connect_timeout = ms(300), .connected_at_start = i % 2 == 0});
      clients_.push_back(std::make_unique<Client>(channel));
    }
    for (int i = 0; i < options.clients; ++i) {
      w.install(static_cast<NodeId>(kFirstClient + i), *clients_[static_cast<std::size_t>(i)]);
    }
    plan(lab, seed, options);
  }
  EchoServer& server() { return server_; }

 private:
  struct Client final : Program {
    explicit Client(RpcChannel& c) : channel(c) {}
    void boot(World& w, NodeId n) override { w.tasks.start(n, "main", main(w.host(n), &w, this)); }
    RpcChannel& channel;
    std::uint32_t operations = 0;  // counts on over restarts

    static Task<int> think(Host host, Purpose p, Probe) {
      const Duration d = host.draw_duration(p, Law::uniform(us(1), ms(9)));
      co_await host.sleep(d);
      co_return 1;
    }
    static Task<int> ask(Host, RpcChannel* channel, int depth, Mark m, Probe p) {
      if (depth > 0) {
        const int below = co_await ask(channel->host(), channel, depth - 1, m, p);
        co_return below + 1;
      }
      const auto answer = co_await Ask(*channel, "x", m);
      co_return answer.yes() ? 1 : 0;
    }
    static Task<void> renewal(Host host, RpcChannel* channel) {
      Probe p;
      for (int i = 0; i < 3; ++i) {
        co_await host.sleep(ms(7));
        const auto answer = co_await Ask(*channel, "renew", mark::renews);
        if (!answer.yes()) co_return;
      }
    }
    static Task<void> main(Host host, World* world, Client* self) {
      Probe p;
      for (;;) {
        world->tasks.begin_operation(++self->operations, 0);
        const Duration patience = host.draw_duration(Purpose::application, Law::uniform(us(100), ms(90)));
        const auto got = co_await with_timeout(host, ask(host, &self->channel, 3, mark::writes, p), patience);
        if (got.value_or(0) > 0) {
          co_await host.pass(mark::enters);
          host.spawn("renewal", renewal(host, &self->channel));
          std::vector<Task<int>> tasks;
          tasks.push_back(think(host, Purpose::think, p));
          tasks.push_back(ask(host, &self->channel, 5, mark::reads, p));
          tasks.push_back(think(host, Purpose::choice, p));
          const auto first = co_await first_of(host, std::move(tasks));
          if (first.first == 0) {
            std::vector<Task<int>> both;
            both.push_back(ask(host, &self->channel, 0, mark::none, p));
            both.push_back(think(host, Purpose::hold, p));
            const auto all = co_await all_of(host, std::move(both));
            (void)all;
          }
          co_await host.work(us(500));
          co_await host.yield("between");
          co_await host.pass(mark::leaves);
        }
        const Duration pause = host.draw_duration(Purpose::retry_delay, Law::heavy_tailed(us(200).ns, 1500, ms(30).ns));
        co_await host.sleep(pause);
      }
    }
  };

  void plan(Lab& lab, std::uint64_t seed, const ChaosOptions& options) {
    Dice dice(seed ^ 0xfa17);
    for (int i = 0; i < options.faults; ++i) {
      const auto at = Duration{dice.between(0, options.lasts.ns * 3 / 4)};
      const auto what = dice.between(0, 13);
      const auto n = static_cast<NodeId>(dice.between(1, options.clients + 1));
      const auto m = static_cast<NodeId>(dice.between(1, options.clients + 1));
      const auto lasts = us(dice.between(0, 60'000));
      const auto ppm = static_cast<std::int32_t>(dice.between(-400'000, 400'000));
      if (i == options.without_fault) continue;
      inject(lab, static_cast<int>(what), at, n, m, lasts, ppm);
    }
  }
  void inject(Lab& lab, int what, Duration at, NodeId n, NodeId m, Duration lasts, std::int32_t ppm) {
    const auto later = [&lab, lasts](World& w, Lab::Act act) {
      w.actions.at(w.now() + lasts, lab.action(std::move(act)));
    };
    const auto rule_for_a_while = [later](World& w, NodeSet from, NodeSet to, Fate fate, std::int64_t share,
                                          Law delay) {
      NetworkRule r;
      r.from = from;
      r.to = to;
      r.fate = fate;
      r.out_of_million = share;
      r.delay = std::move(delay);
      const auto id = w.network.install(std::move(r));
      later(w, [id](World& x) { x.network.uninstall(id); });
    };
    NodeSet all;
    all.set();
    NodeSet one;
    one.set(n);
    switch (what) {
      case 0:
        lab.pause(n, at, lasts);
        break;
      case 1:
        lab.freeze(n, at, lasts, ppm > 0 ? Thaw::lags : Thaw::catches_up);
        break;
      case 2:
        lab.at(at, [=](World& w) { w.faults.kill(n), later(w, [n](World& x) { x.faults.restart(n); }); });
        break;
      case 3:
        lab.at(at, [=](World& w) { w.faults.lose_power(n), later(w, [n](World& x) { x.faults.restart(n); }); });
        break;
      case 4:
        lab.at(at, [=](World& w) { w.faults.set_rate(n, ppm); });
        break;
      case 5:
        lab.at(at, [=](World& w) { w.faults.step_clock(n, Duration{ppm * 1000}); });
        break;
      case 6:
        lab.at(at, [=](World& w) { rule_for_a_while(w, one, all, Fate::drop, 1'000'000, {}); });
        break;
      case 7:
        lab.at(at, [=](World& w) { rule_for_a_while(w, all, one, Fate::hold, 1'000'000, {}); });
        break;
      case 8:
        lab.at(at, [=](World& w) { rule_for_a_while(w, all, all, Fate::drop, 200'000, {}); });
        break;
      case 9:
        lab.at(at, [=](World& w) {
          rule_for_a_while(w, one, all, Fate::delay, 500'000, Law::exponential(ms(5).ns, ms(50).ns));
        });
        break;
      case 10:
        lab.at(at, [=](World& w) {
          w.faults.pause_task(n, "renewal"), later(w, [n](World& x) { x.faults.resume_task(n, "renewal"); });
        });
        break;
      case 11:  // a process that falls over its own feet
        lab.at(at, [=, &lab](World& w) {
          const auto side = ppm % 2 == 0 ? MarkSide::before : MarkSide::after;
          w.actions.on({n, side, mark::writes, 2, {}}, lab.action([=](World& x) {
            ppm % 3 == 0 ? x.faults.lose_power(n) : x.faults.kill(n);
            later(x, [n](World& y) { y.faults.restart(n); });
          }));
        });
        break;
      case 12:  // a task that stops where another acts
        lab.at(at, [=, &lab](World& w) {
          w.actions.on({n, MarkSide::at, mark::enters, 1, {}}, lab.action([=](World& x) {
            const auto incarnation = x.faults.pause(m);
            later(x, [m, incarnation](World& y) { y.faults.resume(m, incarnation); });
          }));
        });
        break;
      default:
        lab.at(at, [=](World& w) { w.nodes.disk(kServer).slowdown = Law::uniform(us(0), lasts); });
        break;
    }
  }

  EchoServer server_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace picklock::testing
