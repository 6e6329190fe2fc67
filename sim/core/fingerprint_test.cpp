// Equal states have equal fingerprints, whatever led to them and whenever; all others differ.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/core/world_lab.hpp"
#include "sim/task/combinators.hpp"

namespace picklock {
namespace {

using testing::Ask;
using testing::Lab;
using testing::ms;
using testing::us;

// A server that counts, and declares its count modulo three.
struct Counter final : Program {
  bool declares = true;
  void boot(World& w, NodeId n) override { w.tasks.start(n, "main", serve(Service(w, n), declares)); }
  static Task<void> serve(Service service, bool declares) {
    std::uint64_t count = 0;
    for (;;) {
      if (declares) service.host().declare_state(count % 3);
      const Message request = co_await service.receive();
      if (request.kind != SegmentKind::data) continue;
      ++count;
      service.reply(request, request.body.view());
    }
  }
};

// Asks `requests` times, each within 100 ms, then rests for ever.
Task<void> client(Host host, World* world, RpcChannel* channel, int requests, std::uint64_t final_state) {
  for (int i = 0; i < requests; ++i) {
    world->tasks.begin_operation(static_cast<std::uint32_t>(i + 1), 0);
    host.declare_state(1000 + static_cast<std::uint64_t>(i % 3));
    const auto answer = co_await Ask(*channel, "ask");
    (void)answer;
    host.declare_state(2000 + static_cast<std::uint64_t>(i % 3));
    co_await host.sleep(ms(98));
  }
  host.declare_state(final_state);
  co_await host.sleep(kForever / 16);
}

struct Small : Lab {
  Counter counter;
  NodeId server, n;
  RpcChannel* channel;
  explicit Small(std::uint64_t seed = 1, bool declares = true) : Lab(seed) {
    counter.declares = declares;
    server = world.nodes.add("server");
    n = world.nodes.add("n");
    world.install(server, counter);
    channel = &world.channels.open(n, server, {});
  }
  ~Small() { world.reset(0); }
  void go(int requests, std::uint64_t final_state = 7) {
    world.tasks.start(n, "main", client(world.host(n), &world, channel, requests, final_state));
  }
};

TEST(Fingerprint, TheSameStateLaterInTime) {
  Small lab;
  lab.go(1000);
  std::map<std::int64_t, std::uint64_t> seen;  // keyed by the phase of a cycle of 300 ms
  for (std::int64_t t = 10; t < 3000; t += 7) {
    lab.run_until(us(t * 1000 + 300));
    const auto [at, fresh] = seen.emplace(t % 300, lab.world.fingerprint());
    EXPECT_EQ(at->second, lab.world.fingerprint()) << t;
  }
  std::set<std::uint64_t> distinct;
  for (const auto& [phase, f] : seen) distinct.insert(f);
  EXPECT_EQ(distinct.size(), seen.size());
  EXPECT_GE(seen.size(), 200u);
}

TEST(Fingerprint, TheSameStateByAnotherPath) {
  const auto at_rest = [](std::uint64_t seed, int requests, const Lab::Act& detour) {
    Small lab(seed);
    if (detour) lab.at(us(500), detour);
    lab.go(requests);
    lab.run_until(seconds(10));
    // The last sleep began when the requests were done: look at equal distances from that.
    lab.run_until(seconds(20) + ms(100) * requests);
    return lab.world.fingerprint();
  };
  const std::uint64_t direct = at_rest(1, 3, {});
  EXPECT_EQ(at_rest(2, 3, {}), direct);
  EXPECT_EQ(at_rest(1, 6, {}), direct);  // the count is the same modulo three
  EXPECT_EQ(at_rest(1, 30, {}), direct);
  EXPECT_NE(at_rest(1, 4, {}), direct);
  EXPECT_EQ(at_rest(1, 3,
                    [](World& w) {  // a rule that came and went
                      const auto id = w.network.install({});
                      w.network.uninstall(id);
                    }),
            direct);
  EXPECT_EQ(at_rest(1, 3, [](World& w) { w.faults.resume(2, w.faults.pause(2)); }), direct);
  EXPECT_EQ(at_rest(1, 3,
                    [](World& w) {  // a clock that was wrong and was put right
                      w.faults.step_clock(1, seconds(5));
                      w.faults.step_clock(1, seconds(-5));
                    }),
            direct);
}

Task<void> silent_client(Host host, World* world, RpcChannel* channel, int requests) {
  for (int i = 0; i < requests; ++i) {
    world->tasks.begin_operation(static_cast<std::uint32_t>(i + 1), 0);
    const auto answer = co_await Ask(*channel, "ask");
    (void)answer;
    co_await host.sleep(ms(98));
  }
  co_await host.sleep(kForever / 16);
}

// Tasks that declare nothing are known by what they were told, and when.
TEST(Fingerprint, LivesTellStatesThatNobodyDeclares) {
  const auto after = [](bool keeps, const Lab::Act& detour, int requests = 5) {
    Small lab(1, false);
    lab.world.lives.keep(keeps);
    lab.at(ms(150), detour);  // every task rests at that instant
    lab.world.tasks.start(lab.n, "main", silent_client(lab.world.host(lab.n), &lab.world, lab.channel, requests));
    lab.run_until(seconds(2));
    return lab.world.fingerprint();
  };
  const Lab::Act nothing = [](World&) {};
  const Lab::Act no_effect = [](World& w) {
    w.faults.resume(1, w.faults.pause(1));
    w.network.uninstall(w.network.install({}));
  };
  const Lab::Act late_answer = [](World& w) {
    w.faults.pause(1);
    w.actions.at(w.now() + ms(120), {[](World& later, void*, std::uint64_t) { later.faults.resume(1, 0); }});
  };
  EXPECT_EQ(after(true, no_effect), after(true, nothing));
  EXPECT_NE(after(true, late_answer), after(true, nothing));
  EXPECT_NE(after(true, nothing, 4), after(true, nothing));
  EXPECT_NE(after(true, [](World& w) { w.faults.step_clock(2, ms(1)); }), after(true, nothing));
  EXPECT_NE(after(false, no_effect), after(false, nothing)) << "each state is unique unless lives are kept";
}

TEST(Fingerprint, DoesNotDependOnNamesOfConnections) {
  const auto opened = [](bool detour, bool a_first) {
    Lab lab;
    Counter counter;
    const NodeId server = lab.world.nodes.add("server"), a = lab.world.nodes.add("a"), b = lab.world.nodes.add("b"),
                 x = lab.world.nodes.add("x");
    lab.world.install(server, counter);
    const ChannelOptions options{.connected_at_start = false};
    RpcChannel& from_x = lab.world.channels.open(x, server, options);
    RpcChannel& from_a = lab.world.channels.open(a, server, options);
    RpcChannel& from_b = lab.world.channels.open(b, server, options);
    if (detour) {  // connections that are gone have used up indices
      for (int i = 0; i < 3; ++i) {
        lab.world.tasks.start(x, "main", [](Host, RpcChannel* c) -> Task<void> {
          const auto answer = co_await Ask(*c, "x");
          (void)answer;
          c->disconnect();
        }(lab.world.host(x), &from_x));
        lab.run_until(ms(10 * (i + 1)));
      }
    }
    for (const bool turn : {true, false}) {
      RpcChannel* const channel = turn == a_first ? &from_a : &from_b;
      const NodeId n = turn == a_first ? a : b;
      for (int i = 0; i < 3; ++i) {
        lab.world.tasks.start(n, "main", [](Host h, RpcChannel* c) -> Task<void> {
          h.declare_state(1);
          const auto answer = co_await Ask(*c, "x");
          (void)answer;
        }(lab.world.host(n), channel));
      }
      lab.run_until(lab.world.now() - TrueTime{} + ms(50));
    }
    lab.run_until(seconds(1));
    const auto f = lab.world.fingerprint();
    lab.world.reset(0);
    return f;
  };
  EXPECT_EQ(opened(false, true), opened(false, false));
  EXPECT_EQ(opened(false, true), opened(true, false));
}

TEST(Fingerprint, DiffersWhenAnythingRelevantDiffers) {
  using Change = std::function<void(Small&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"nothing", [](Small&) {}},
      {"pause", [](Small& s) { s.world.faults.pause(s.n); }},
      {"pause twice", [](Small& s) { s.world.faults.pause(s.n), s.world.faults.pause(s.n); }},
      {"pause of the server", [](Small& s) { s.world.faults.pause(s.server); }},
      {"pause of a task", [](Small& s) { s.world.faults.pause_task(s.n, "main"); }},
      {"pause of a task that is not there", [](Small& s) { s.world.faults.pause_task(s.n, "renewal"); }},
      {"freeze", [](Small& s) { s.world.faults.freeze(s.n); }},
      {"kill", [](Small& s) { s.world.faults.kill(s.n); }},
      {"power loss", [](Small& s) { s.world.faults.lose_power(s.n); }},
      {"rate", [](Small& s) { s.world.faults.set_rate(s.n, 100); }},
      {"rate of the server", [](Small& s) { s.world.faults.set_rate(s.server, 100); }},
      {"wall clock", [](Small& s) { s.world.faults.step_clock(s.n, nanoseconds(1)); }},
      {"wall clock of the server", [](Small& s) { s.world.faults.step_clock(s.server, nanoseconds(1)); }},
      {"a rule", [](Small& s) { s.rule({s.n}, {s.server}, Fate::drop); }},
      {"another direction", [](Small& s) { s.rule({s.server}, {s.n}, Fate::drop); }},
      {"another fate", [](Small& s) { s.rule({s.n}, {s.server}, Fate::hold); }},
      {"another share", [](Small& s) { s.rule({s.n}, {s.server}, Fate::drop, 5); }},
      {"a delay", [](Small& s) { s.rule({s.n}, {s.server}, Fate::delay, 1'000'000, Law::constant(ms(1))); }},
      {"another delay", [](Small& s) { s.rule({s.n}, {s.server}, Fate::delay, 1'000'000, Law::constant(ms(2))); }},
      {"latency", [](Small& s) { s.world.network.set_latency(Law::constant(ms(2))); }},
      {"latency of a link", [](Small& s) { s.world.network.set_latency(s.n, s.server, Law::constant(ms(2))); }},
      {"CPU cost", [](Small& s) { s.world.nodes.set_cpu_cost(s.server, Law::constant(ms(2))); }},
      {"disk", [](Small& s) { s.world.nodes.disk(s.server).append(s.world.nodes.disk(s.server).open("f"), "x"); }},
      {"disk, synced",
       [](Small& s) {
         Disk& d = s.world.nodes.disk(s.server);
         d.append(d.open("f"), "x");
         d.finish_sync(0, d.begin_sync(0));
       }},
      {"slow disk", [](Small& s) { s.world.nodes.disk(s.server).slowdown = Law::constant(ms(2)); }},
      {"disconnected", [](Small& s) { s.channel->disconnect(); }},
      {"an action to come", [](Small& s) { s.at(seconds(5), [](World&) {}); }},
      {"a later one", [](Small& s) { s.at(seconds(6), [](World&) {}); }},
      {"a trigger", [](Small& s) { s.on(s.n, mark::writes, [](World&) {}); }},
      {"its count",
       [](Small& s) {
         s.on(
             s.n, mark::writes, [](World&) {}, MarkSide::at, 2);
       }},
      {"its side",
       [](Small& s) {
         s.on(
             s.n, mark::writes, [](World&) {}, MarkSide::before);
       }},
      {"its mark", [](Small& s) { s.on(s.n, mark::reads, [](World&) {}); }},
      {"its offset",
       [](Small& s) {
         s.on(
             s.n, mark::writes, [](World&) {}, MarkSide::at, 1, ms(1));
       }},
  };
  // At rest; with a request, and with an answer under way; with a request in a paused server's buffer.
  for (const std::int64_t at_us : {50'000, 100'500, 101'500}) {
    std::map<std::uint64_t, std::string> seen;
    for (const auto& [name, change] : changes) {
      Small lab;
      lab.go(1000);
      lab.run_until(us(at_us));
      change(lab);
      const auto [at, fresh] = seen.emplace(lab.world.fingerprint(), name);
      EXPECT_TRUE(fresh) << name << " looks like " << at->second << " at " << at_us;
    }
  }
}

Task<void> asks(Host, RpcChannel* channel, std::string text) {
  const auto answer = co_await Ask(*channel, text);
  (void)answer;
}

TEST(Fingerprint, SeesWhatIsUnderWayAndWhatWaits) {
  // The same instant, another content or another place.
  std::map<std::uint64_t, std::string> seen;
  for (const std::string text : {"x", "y", "xx"}) {
    for (const std::string where :
         {"on the way there", "on the way back", "held", "lost", "in a buffer", "for a stopped client"}) {
      Small lab;
      if (where == "held") lab.rule({lab.n}, {lab.server}, Fate::hold);
      if (where == "lost") lab.rule({lab.n}, {lab.server}, Fate::drop);
      if (where == "in a buffer") lab.world.faults.pause(lab.server);
      lab.world.tasks.start(lab.n, "main", [](Host h, RpcChannel* c, std::string t) -> Task<void> {
        h.declare_state(1);
        co_await asks(h, c, t);
      }(lab.world.host(lab.n), lab.channel, text));
      if (where == "for a stopped client") lab.at(us(900), [&](World& w) { w.faults.pause(lab.n); });
      lab.run_until(where == "on the way there" ? us(500) : where == "on the way back" ? us(1500) : us(5000));
      const auto [at, fresh] = seen.emplace(lab.world.fingerprint(), where + " " + text);
      EXPECT_TRUE(fresh) << where << " " << text << " looks like " << at->second;
    }
  }
}

TEST(Fingerprint, SeesHowOftenASegmentWasLost) {
  std::set<std::uint64_t> seen;
  for (const std::int64_t t : {150, 550, 1350}) {  // each instant is 50 ms before a retransmission
    Small lab;
    lab.rule({lab.n}, {lab.server}, Fate::drop);
    lab.go(1);
    lab.at(ms(1), [&](World& w) { w.faults.kill(lab.n); });
    lab.run_until(ms(t));
    seen.insert(lab.world.fingerprint());
  }
  EXPECT_EQ(seen.size(), 3u);
}

TEST(Fingerprint, IsUniqueWhereATaskDeclaresNothing) {
  std::set<std::uint64_t> seen;
  int looked = 0;
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    Small lab(seed);
    lab.world.faults.kill(lab.server);
    lab.counter.declares = false;
    lab.world.faults.restart(lab.server);
    lab.go(1000);
    for (int i = 0; i < 50; ++i) {
      lab.run_until(us(100'000 * i + 300));
      seen.insert(lab.world.fingerprint());
      ++looked;
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(looked));
}

}  // namespace
}  // namespace picklock
