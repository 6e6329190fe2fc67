// Deaths of processes and hosts, and what their peers notice.

#include <gtest/gtest.h>

#include "sim/core/world_lab.hpp"
#include "sim/task/combinators.hpp"

namespace picklock {
namespace {

using testing::Ask;
using testing::ms;
using testing::Pair;
using testing::Probe;
using testing::Seen;
using testing::us;

// --- kill ----------------------------------------------------------------------------------------

TEST(Kill, WhatWasSentIsStillDeliveredAndThenTheConnectionCloses) {
  Pair pair;
  pair.call(1);
  pair.at(us(10), [&](World& w) { w.faults.kill(pair.n); });
  EXPECT_EQ(pair.run(), RunEnd::quiescent);
  EXPECT_EQ(pair.echo.requests(), std::vector<std::string>{"1"});
  EXPECT_EQ(pair.echo.news, std::vector<SegmentKind>{SegmentKind::close});
  EXPECT_TRUE(pair.seen.empty());
}

TEST(Kill, ThePeersRequestEndsAsDisconnected) {
  Pair pair;
  pair.world.nodes.set_cpu_cost(pair.server, Law::constant(ms(100)));
  pair.call(2);
  pair.at(ms(50), [&](World& w) { w.faults.kill(pair.server); });
  pair.run();
  // Afterwards no process listens there: the kernel refuses.
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"disconnected", ms(51)}, {"not connected", ms(63)}}));
}

TEST(Kill, UnreadDataMakesItAReset) {
  for (const bool unread : {false, true}) {
    Pair pair;
    if (unread) pair.pause(pair.server, Duration{}, seconds(9));
    pair.world.nodes.set_cpu_cost(pair.server, Law::constant(ms(100)));
    pair.world.trace.record_fully(true);
    pair.call(1);
    pair.at(ms(50), [&](World& w) { w.faults.kill(pair.server); });
    pair.run_until(ms(60));
    std::vector<std::uint64_t> how;
    for (const TraceRecord& r : pair.world.trace.full()) {
      if (r.kind == trace::connection_closed) how.push_back(r.b);
    }
    EXPECT_EQ(how,
              std::vector<std::uint64_t>{static_cast<std::uint64_t>(unread ? SegmentKind::reset : SegmentKind::close)});
    EXPECT_EQ(pair.seen, (std::vector<Seen>{{"disconnected", ms(51)}}));
  }
}

TEST(Kill, AnswersThatWereSentAreDelivered) {
  Pair pair;
  pair.call(1);
  pair.at(ms(1) + us(1), [&](World& w) { w.faults.kill(pair.server); });
  pair.run();
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"ok 1", ms(2)}}));
}

TEST(Kill, RestartBootsTheProgramAgainAndClientsConnectAgain) {
  Pair pair;
  pair.call(4);
  pair.at(ms(5), [&](World& w) { w.faults.kill(pair.server); });
  pair.at(ms(20), [&](World& w) { w.faults.restart(pair.server); });
  pair.at(ms(20), [&](World& w) { w.faults.restart(pair.server); });  // no effect on a living process
  pair.run();
  // The close at 6 ms is noticed at once, the next request finds a closed port, the third an open one.
  EXPECT_EQ(pair.seen,
            (std::vector<Seen>{{"ok 1", ms(2)}, {"not connected", ms(14)}, {"ok 3", ms(28)}, {"ok 4", ms(40)}}));
  EXPECT_EQ(pair.channel->connections_opened(), 2u);
}

TEST(Kill, AClientThatIsStartedAgainConnectsAnew) {
  Pair pair;
  pair.call(5);
  pair.at(ms(5), [&](World& w) { w.faults.kill(pair.n); });
  pair.at(ms(50), [&](World& w) {
    w.faults.restart(pair.n);
    pair.call(1);
  });
  pair.run();
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"ok 1", ms(2)}, {"ok 1", ms(54)}}));
  EXPECT_EQ(pair.echo.news, std::vector<SegmentKind>{SegmentKind::close});
}

TEST(Kill, AFrozenHostsKernelSpeaksOnlyWhenItRunsAgain) {
  Pair pair;
  pair.call(1);
  pair.world.nodes.set_cpu_cost(pair.server, Law::constant(ms(500)));
  pair.freeze(pair.server, ms(10), ms(300));
  pair.at(ms(50), [&](World& w) { w.faults.kill(pair.server); });
  pair.run();
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"disconnected", ms(311)}}));
}

// --- from inside ---------------------------------------------------------------------------------

Task<void> passes_and_asks(Host host, RpcChannel* channel, std::vector<std::string>* out) {
  Probe p;
  co_await host.sleep(ms(10));
  co_await host.pass(mark::enters);
  out->push_back("entered");
  const auto answer = co_await Ask(*channel, "write", mark::writes);
  out->push_back(testing::text_of(answer));
  co_await host.yield("between");
  out->push_back("yielded");
  co_await host.sleep(ms(10));
  out->push_back("left");
}
Task<int> in_two_frames(Host host, RpcChannel* channel, std::vector<std::string>* out) {
  Probe p;
  std::vector<Task<int>> tasks;
  tasks.push_back([](Host h, RpcChannel* c, std::vector<std::string>* o) -> Task<int> {
    Probe q;
    co_await passes_and_asks(h, c, o);
    co_return 1;
  }(host, channel, out));
  const auto first = co_await first_of(host, std::move(tasks));
  co_return first.second;
}
Task<void> deep(Host host, RpcChannel* channel, std::vector<std::string>* out) {
  Probe p;
  const auto n = co_await with_timeout(host, in_two_frames(host, channel, out), seconds(10));
  out->push_back(std::to_string(n.value_or(-1)));
}

struct Inside {
  Mark m;
  MarkSide side;
  std::vector<std::string> said;      // words that the process said before it ended
  std::vector<std::string> executed;  // requests that the server executed
};

TEST(FromInside, AProcessDiesAtTheMarkAndDoesNothingMore) {
  const std::vector<Inside> cases = {
      {mark::enters, MarkSide::at, {}, {}},
      {mark::writes, MarkSide::before, {"entered"}, {}},
      {mark::writes, MarkSide::after, {"entered"}, {"write"}},
      {mark::yields, MarkSide::at, {"entered", "ok write"}, {"write"}},
  };
  const std::vector<std::function<void(World&, NodeId)>> ways = {
      [](World& w, NodeId n) { w.faults.kill(n); },
      [](World& w, NodeId n) { w.faults.lose_power(n); },
      [](World& w, NodeId n) { w.faults.kill(n), w.faults.kill(n), w.faults.lose_power(n); },
      [](World& w, NodeId n) { w.faults.pause(n), w.faults.kill(n); },
      [](World& w, NodeId n) { w.faults.kill(n), w.faults.restart(n); },
      [](World& w, NodeId n) { w.faults.lose_power(n), w.faults.restart(n); },
  };
  for (const Inside& c : cases) {
    for (std::size_t way = 0; way < ways.size(); ++way) {
      Pair pair;
      std::vector<std::string> out;
      pair.on(
          pair.n, c.m, [&](World& w) { ways[way](w, pair.n); }, c.side);
      pair.world.tasks.start(pair.n, "main", deep(pair.world.host(pair.n), pair.channel, &out));
      EXPECT_EQ(pair.run(), RunEnd::quiescent);
      EXPECT_EQ(out, c.said) << way;
      EXPECT_EQ(pair.echo.requests(), c.executed) << way;
      EXPECT_EQ(Probe::live, 0);
      EXPECT_EQ(pair.world.nodes.alive(pair.n), way >= 4) << way;
      EXPECT_EQ(pair.world.nodes.powered(pair.n), way != 1 && way != 2) << way;
      EXPECT_EQ(pair.world.tasks.alive(), 1u);
    }
  }
}

TEST(FromInside, AProcessMayEndAnotherAndStartItAgain) {
  Pair pair;
  std::vector<std::string> out;
  pair.world.draws.log(true);
  pair.on(pair.n, mark::enters, [&](World& w) {
    w.faults.kill(pair.server);
    w.faults.restart(pair.server);
  });
  pair.world.tasks.start(pair.n, "main", deep(pair.world.host(pair.n), pair.channel, &out));
  pair.run();
  // It has not heard of the death when it writes: the new process knows nothing of the connection.
  EXPECT_EQ(out, (std::vector<std::string>{"entered", "disconnected", "yielded", "left", "1"}));
  for (const DrawRecord& r : pair.world.draws.logged()) {  // its draws are still its own
    if (r.time == testing::true_at(ms(10)) && r.purpose == Purpose::latency) {
      EXPECT_TRUE(pair.world.tasks.draw_name(r) == "n>server/latency@n#0.1" ||
                  pair.world.tasks.draw_name(r) == "server>n/latency@world#1.1")
          << pair.world.tasks.draw_name(r);
    }
  }
  pair.world.draws.log(false);
}

// --- panics --------------------------------------------------------------------------------------

Task<int> panics_in_a_child(Host host, Duration when) {
  Probe p;
  co_await host.sleep(when);
  co_await host.panic("nil dereference");
  co_return 1;
}
Task<void> panics(Host host, Duration when, std::vector<std::string>* out) {
  Probe p;
  const auto n = co_await with_timeout(host, panics_in_a_child(host, when), seconds(10));
  out->push_back(std::to_string(n.value_or(-1)));
}
Task<void> works(Host host, Duration amount, std::vector<std::string>* out) {
  Probe p;
  co_await host.work(amount);
  out->push_back("worked");
}
std::vector<TraceRecord> deaths(World& w) {
  std::vector<TraceRecord> all;
  for (const TraceRecord& r : w.trace.journal()) {
    if (r.kind == trace::process_panicked || r.kind == trace::process_killed) all.push_back(r);
  }
  return all;
}

TEST(Panic, EndsAllTasksOfItsProcessAndNoOtherAndSaysWhy) {
  Pair pair;
  std::vector<std::string> out, others;
  World& w = pair.world;
  w.tasks.start(pair.n, "main", panics(w.host(pair.n), ms(10), &out));
  w.tasks.start(pair.n, "before", works(w.host(pair.n), ms(5), &out));
  w.tasks.start(pair.n, "same", works(w.host(pair.n), ms(10), &out));  // due at that instant, and behind the panic
  w.tasks.start(pair.n, "asks", deep(w.host(pair.n), pair.channel, &out));
  w.tasks.start(pair.server, "other", works(w.host(pair.server), ms(20), &others));
  pair.on(pair.n, mark::enters, [](World&) {});
  EXPECT_EQ(pair.run(), RunEnd::quiescent);
  EXPECT_EQ(out, std::vector<std::string>{"worked"});
  EXPECT_EQ(others, std::vector<std::string>{"worked"});
  EXPECT_EQ(Probe::live, 0);
  EXPECT_FALSE(w.nodes.alive(pair.n));
  EXPECT_TRUE(w.nodes.powered(pair.n));
  const auto ends = deaths(w);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].kind, trace::process_panicked);
  EXPECT_EQ(ends[0].time, ms(10).ns);
  EXPECT_EQ(ends[0].a, 3U) << "its tasks: one had ended by then";
  EXPECT_EQ(w.faults.last_words(ends[0].b), "nil dereference");
  EXPECT_EQ(w.faults.last_words(1), "");
}

// Sent messages arrive, and then the kernel closes the connection, as after a kill.
TEST(Panic, ItsKernelLivesOn) {
  Pair pair;
  std::vector<std::string> out;
  pair.call(1);
  pair.world.tasks.start(pair.n, "main", panics(pair.world.host(pair.n), us(10), &out));
  pair.run();
  EXPECT_EQ(pair.echo.requests(), std::vector<std::string>{"1"});
  EXPECT_EQ(pair.echo.news, std::vector<SegmentKind>{SegmentKind::close});
  EXPECT_TRUE(pair.seen.empty());
}

// Between its last step and its end the world may act: to start it again is to wait until it is dead, and if
// it has been killed in that instant, the new process is not meant.
TEST(Panic, ANewProcessIsNotMeant) {
  for (const bool killed : {false, true}) {
    Pair pair;
    World& w = pair.world;
    std::vector<std::string> out;
    w.tasks.start(pair.n, "main", panics(w.host(pair.n), ms(10), &out));
    const auto again = [&, killed](World& world) {
      EXPECT_TRUE(world.nodes.alive(pair.n));
      if (killed) world.faults.kill(pair.n);
      world.faults.restart(pair.n);
    };
    pair.at(ms(5), [&](World&) { pair.at(ms(10), again); });  // it fires after the panic's own timer
    pair.run();
    EXPECT_TRUE(w.nodes.alive(pair.n));
    EXPECT_EQ(w.nodes.incarnation(pair.n), 1U);
    ASSERT_EQ(deaths(w).size(), 1U);
    EXPECT_EQ(deaths(w)[0].kind, killed ? trace::process_killed : trace::process_panicked);
    w.tasks.start(pair.n, "main", works(w.host(pair.n), ms(1), &out));
    pair.run();
    EXPECT_EQ(out, std::vector<std::string>{"worked"});
  }
}

TEST(Panic, TwiceAtOneInstantIsOneDeath) {
  Pair pair;
  std::vector<std::string> out;
  for (const char* name : {"one", "two"}) {
    pair.world.tasks.start(pair.n, name, panics(pair.world.host(pair.n), ms(10), &out));
  }
  pair.run();
  EXPECT_EQ(deaths(pair.world).size(), 1U);
  EXPECT_EQ(Probe::live, 0);
  pair.world.reset(2);
  EXPECT_EQ(pair.world.faults.last_words(hash_of("nil dereference")), "") << "of the run before";
}

// --- power loss ----------------------------------------------------------------------------------

TEST(PowerLoss, IsSilentUntilTheRebootedHostIsAddressed) {
  Pair pair({.request_timeout = seconds(10)});
  pair.world.nodes.set_cpu_cost(pair.server, Law::constant(ms(100)));
  pair.call(2);
  pair.at(ms(50), [&](World& w) { w.faults.lose_power(pair.server); });
  pair.at(seconds(3), [&](World& w) { w.faults.restart(pair.server); });
  pair.run();
  // The first request had been acknowledged: nothing makes the client's kernel speak, so it waits in
  // vain.  The second goes out on a new connection.
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"timed out", seconds(10)}, {"ok 2", seconds(10) + ms(10 + 104)}}));
}

TEST(PowerLoss, ARetransmissionToTheRebootedHostIsReset) {
  Pair pair({.request_timeout = seconds(10)});
  pair.call(2);
  pair.at(ms(5), [&](World& w) { w.faults.lose_power(pair.server); });
  pair.at(seconds(1), [&](World& w) { w.faults.restart(pair.server); });
  pair.run();
  // Sent at 12 ms, lost at 13 ms; again after 200 ms (lost at 214), 400 ms (at 615), 800 ms: 1415 ms.
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"ok 1", ms(2)}, {"disconnected", ms(1417)}}));
  EXPECT_EQ(pair.world.network.segments_lost(), 3u);
}

TEST(PowerLoss, WhatIsOnTheWireArrives) {
  Pair pair;
  pair.world.network.set_latency(pair.n, pair.server, Law::constant(seconds(2)));
  pair.call(1);
  pair.at(ms(5), [&](World& w) { w.faults.lose_power(pair.n); });
  pair.run_until(seconds(900));
  ASSERT_EQ(pair.echo.executed.size(), 1u);
  EXPECT_EQ(pair.echo.executed[0].when, seconds(2));
  EXPECT_TRUE(pair.echo.news.empty());  // its host is silent …
  EXPECT_EQ(pair.run(), RunEnd::quiescent);
  EXPECT_EQ(pair.echo.news, std::vector<SegmentKind>{SegmentKind::reset});  // it is given up
}

TEST(PowerLoss, WhatTheNetworkHoldsArrivesWhenLetGo) {
  Pair pair;
  const auto rule = pair.rule({pair.n}, {pair.server}, Fate::hold);
  pair.call(1);
  pair.at(ms(5), [&](World& w) { w.faults.lose_power(pair.n); });
  pair.at(seconds(2), [=](World& w) { w.network.uninstall(rule); });
  EXPECT_EQ(pair.run(), RunEnd::quiescent);
  ASSERT_EQ(pair.echo.executed.size(), 1u);
  EXPECT_EQ(pair.echo.executed[0].when, seconds(2) + ms(1));
}

TEST(PowerLoss, WhatWasLostIsNotSentAgain) {
  for (const bool reboot : {false, true}) {
    Pair pair;
    const auto rule = pair.rule({pair.n}, {pair.server}, Fate::drop);
    pair.call(1);
    pair.at(ms(5), [&](World& w) { w.faults.lose_power(pair.n); });
    if (reboot) pair.at(ms(6), [&](World& w) { w.faults.restart(pair.n); });
    pair.at(ms(10), [=](World& w) { w.network.uninstall(rule); });
    EXPECT_EQ(pair.run(), RunEnd::quiescent);
    EXPECT_TRUE(pair.echo.executed.empty());
  }
}

TEST(PowerLoss, WhatIsOnTheWireToAHostThatDiesTooIsGone) {
  Pair pair;
  pair.world.network.set_latency(pair.n, pair.server, Law::constant(ms(100)));
  pair.call(1);
  pair.at(ms(5), [&](World& w) { w.faults.lose_power(pair.n); });
  pair.at(ms(50), [&](World& w) { w.faults.lose_power(pair.server); });
  pair.at(ms(200), [&](World& w) {  // the sender's kernel has not retransmitted yet
    w.faults.restart(pair.server);
    w.faults.restart(pair.n);
  });
  EXPECT_EQ(pair.run(), RunEnd::quiescent);
  EXPECT_TRUE(pair.echo.executed.empty());
  EXPECT_EQ(pair.world.now(), testing::true_at(ms(300)));  // instant of the retransmission; nothing comes after it
}

TEST(PowerLoss, WhatARebootedHostSendsIsRetransmittedAsUsual) {
  Pair pair;
  pair.world.network.set_latency(pair.n, pair.server, Law::constant(ms(100)));
  pair.call(1);
  pair.at(ms(5), [&](World& w) { w.faults.lose_power(pair.n); });
  pair.at(ms(50), [&](World& w) { w.faults.restart(pair.n); });
  std::uint32_t rule = 0;
  pair.at(ms(60), [&](World&) { rule = pair.rule({pair.n}, {pair.server}, Fate::drop); });
  pair.at(ms(150), [&](World& w) { w.network.uninstall(rule); });
  EXPECT_EQ(pair.run(), RunEnd::quiescent);
  // The request of the old kernel arrives; its answer is refused by the new one, in a segment that is
  // lost at first.
  EXPECT_EQ(pair.echo.requests(), std::vector<std::string>{"1"});
  EXPECT_EQ(pair.echo.news, std::vector<SegmentKind>{SegmentKind::reset});
}

TEST(Kill, OfAProcessThatIsConnectingLeavesNothingBehind) {
  Pair pair({.connect_timeout = seconds(60), .connected_at_start = false});
  const auto rule = pair.rule({pair.n}, {pair.server}, Fate::drop);
  pair.call(1);
  pair.at(ms(5), [&](World& w) { w.faults.kill(pair.n); });
  pair.at(ms(10), [=](World& w) { w.network.uninstall(rule); });
  EXPECT_EQ(pair.run(), RunEnd::quiescent);
  EXPECT_EQ(pair.world.now(), testing::true_at(ms(10)));
  EXPECT_TRUE(pair.echo.news.empty());
}

TEST(PowerLoss, AfterAKillTakesTheKernelToo) {
  Pair pair;
  const auto rule = pair.rule({pair.n}, {pair.server}, Fate::drop);
  pair.call(1);
  pair.at(ms(5), [&](World& w) { w.faults.kill(pair.n); });
  pair.at(ms(6), [&](World& w) { w.faults.lose_power(pair.n); });
  pair.at(ms(10), [=](World& w) { w.network.uninstall(rule); });
  EXPECT_EQ(pair.run(), RunEnd::quiescent);
  EXPECT_TRUE(pair.echo.executed.empty());
}

}  // namespace
}  // namespace picklock
