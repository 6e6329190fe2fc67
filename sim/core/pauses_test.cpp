// Pauses of processes and of single tasks: what goes on, what waits, and in which order it is made up
// for.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace pauses_test {

using testing::caller;
using testing::Lab;
using testing::ms;
using testing::Pair;
using testing::Seen;
using testing::true_at;
using testing::us;

Task<void> ticker(Host host, World* world, int n, Duration each, std::vector<Duration>* ticks) {
  for (int i = 0; i < n; ++i) {
    co_await host.sleep(each);
    ticks->push_back(world->now() - TrueTime{});
  }
}
Task<void> sleeper(Host host, World* world, Duration d, int id, std::vector<std::pair<int, Duration>>* out) {
  co_await host.sleep(d);
  out->push_back({id, world->now() - TrueTime{}});
}
Task<void> worker(Host host, World* world, Duration amount, Duration* done) {
  co_await host.work(amount);
  *done = world->now() - TrueTime{};
}

// --- pause ---------------------------------------------------------------------------------------

TEST(Pause, TimersAreLateAndInOrder) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<std::pair<int, Duration>> woken;
  for (int i = 5; i >= 1; --i) {
    lab.world.tasks.start(n, "s" + std::to_string(i), sleeper(lab.world.host(n), &lab.world, ms(10 * i), i, &woken));
  }
  lab.pause(n, ms(15), ms(30));
  lab.run();
  EXPECT_EQ(woken,
            (std::vector<std::pair<int, Duration>>{{1, ms(10)}, {2, ms(45)}, {3, ms(45)}, {4, ms(45)}, {5, ms(50)}}));
}

TEST(Pause, TheClocksRunOn) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  lab.pause(n, ms(10), ms(100));
  lab.run_until(ms(50));
  EXPECT_TRUE(lab.world.nodes.paused(n));
  EXPECT_EQ(lab.world.tasks.monotonic_now(n), MonoTime{ms(50).ns});
}

// Work is done at the first instant by which the process has run for so long.
RC_GTEST_PROP(Pause, ProlongsWorkExactly, ()) {
  struct Stop {
    std::int64_t from, lasts;
    bool freeze;
  };
  const auto stops = *rc::gen::container<std::vector<Stop>>(rc::gen::build<Stop>(
      rc::gen::set(&Stop::from, rc::gen::inRange<std::int64_t>(0, 1000)),
      rc::gen::set(&Stop::lasts, rc::gen::inRange<std::int64_t>(0, 300)), rc::gen::set(&Stop::freeze)));
  const auto amount = *rc::gen::inRange<std::int64_t>(1, 1500);
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  Duration done{};
  lab.world.tasks.start(n, "main", worker(lab.world.host(n), &lab.world, ms(amount), &done));
  for (const Stop& s : stops) {
    s.freeze ? lab.freeze(n, us(s.from * 1000 + 1), ms(s.lasts)) : lab.pause(n, us(s.from * 1000 + 1), ms(s.lasts));
  }
  lab.run();
  std::int64_t left = amount * 1000, t = 0;  // unit: µs
  for (; left > 0; ++t) {
    bool runs = true;
    for (const Stop& s : stops) {
      if (t >= s.from * 1000 + 1 && t < s.from * 1000 + 1 + s.lasts * 1000) runs = false;
    }
    left -= runs;
  }
  RC_ASSERT(done.ns == t * 1000);
}

TEST(Pause, ProlongsWorkInLocalTime) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  lab.world.nodes.initial_clock(n).set_rate(TrueTime{}, 1'000'000);
  Duration done{};
  lab.world.tasks.start(n, "main", worker(lab.world.host(n), &lab.world, ms(50), &done));
  lab.pause(n, ms(10), ms(100));
  lab.at(ms(50), [n](World& w) { w.faults.set_rate(n, 0); });  // the task waits at that instant
  lab.run();
  EXPECT_EQ(done, ms(110 + 30));
}

TEST(Pause, NestsAndIsCounted) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> ticks;
  lab.world.tasks.start(n, "main", ticker(lab.world.host(n), &lab.world, 3, ms(10), &ticks));
  lab.pause(n, ms(15), ms(100));  // till 115
  lab.pause(n, ms(50), ms(200));  // till 250
  lab.pause(n, ms(60), ms(10));   // till 70
  lab.run();
  EXPECT_EQ(ticks, (std::vector<Duration>{ms(10), ms(250), ms(260)}));
}

TEST(Pause, EndsWithItsProcess) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> ticks;
  lab.pause(n, ms(1), ms(99));  // the continuation at 100 ms belongs to a process that is gone
  lab.at(ms(10), [n](World& w) { w.faults.kill(n); });
  lab.at(ms(20), [&, n](World& w) {
    w.faults.restart(n);
    w.tasks.start(n, "main", ticker(w.host(n), &w, 3, ms(10), &ticks));
  });
  lab.pause(n, ms(35), ms(100));
  lab.run();
  EXPECT_EQ(ticks, (std::vector<Duration>{ms(30), ms(135), ms(145)}));
}

TEST(Pause, TheKernelBuffersWhatArrives) {
  Pair pair;
  pair.pause(pair.server, us(100), ms(100));
  std::vector<Seen> seen[3];
  RpcChannel* channels[3];
  for (int i = 0; i < 3; ++i) {
    const NodeId c = pair.world.nodes.add("c" + std::to_string(i));
    channels[i] = &pair.world.channels.open(c, pair.server, {});
    pair.at(ms(10 * (3 - i)),
            [&, i, c](World& w) { w.tasks.start(c, "main", caller(w.host(c), &w, channels[i], 1, &seen[i])); });
  }
  pair.run();
  for (const auto& s : seen) EXPECT_EQ(s, (std::vector<Seen>{{"ok 1", us(100) + ms(101)}}));
  const auto sent_to = [&](int i) { return pair.echo.executed[static_cast<std::size_t>(i)].when; };
  EXPECT_EQ(sent_to(0), us(100) + ms(100));
}

TEST(Pause, ANewConnectionIsAcceptedByTheKernel) {
  Pair pair({.request_timeout = seconds(5), .connect_timeout = ms(50), .connected_at_start = false});
  pair.pause(pair.server, Duration{}, ms(500));
  pair.call(1);
  pair.run();
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"ok 1", ms(501)}}));
}

TEST(Pause, BeforeAVerbNothingIsSentUntilContinued) {
  Pair pair;
  pair.on(
      pair.n, mark::writes,
      [&](World& w) {
        const auto incarnation = w.faults.pause(pair.n);
        w.actions.at(w.now() + seconds(5),
                     pair.action([&, incarnation](World& x) { x.faults.resume(pair.n, incarnation); }));
      },
      MarkSide::before, 2);
  pair.call(2, mark::writes);
  pair.run();
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"ok 1", ms(2)}, {"ok 2", ms(12) + seconds(5) + ms(2)}}));
  EXPECT_EQ(pair.echo.executed[1].when, ms(12) + seconds(5) + ms(1));
}

TEST(Pause, AfterAVerbTheAnswerIsThereButNobodySeesIt) {
  Pair pair;
  pair.on(
      pair.n, mark::writes,
      [&](World& w) {
        const auto incarnation = w.faults.pause(pair.n);
        w.actions.at(w.now() + seconds(5),
                     pair.action([&, incarnation](World& x) { x.faults.resume(pair.n, incarnation); }));
      },
      MarkSide::after, 2);
  pair.call(2, mark::writes);
  pair.run();
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"ok 1", ms(2)}, {"ok 2", ms(14) + seconds(5)}}));
  EXPECT_EQ(pair.echo.executed[1].when, ms(13));
}

Task<void> passes(Host host, World* world, std::vector<Duration>* out) {
  for (int i = 0; i < 3; ++i) {
    co_await host.sleep(ms(10));
    co_await host.pass(mark::enters);
    out->push_back(world->now() - TrueTime{});
  }
}

TEST(Pause, AtAMarkTheProcessStopsExactlyThere) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> out;
  lab.on(
      n, mark::enters,
      [&](World& w) {
        const auto incarnation = w.faults.pause(n);
        w.actions.at(w.now() + ms(100), lab.action([=](World& x) { x.faults.resume(n, incarnation); }));
      },
      MarkSide::at, 2);
  lab.world.tasks.start(n, "main", passes(lab.world.host(n), &lab.world, &out));
  lab.run();
  EXPECT_EQ(out, (std::vector<Duration>{ms(10), ms(120), ms(130)}));
}

TEST(Pause, ContinuedByTheVeryActionThatPausedIt) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> out;
  lab.on(n, mark::enters, [&](World& w) { w.faults.resume(n, w.faults.pause(n)); });
  lab.world.tasks.start(n, "main", passes(lab.world.host(n), &lab.world, &out));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(out, (std::vector<Duration>{ms(10), ms(20), ms(30)}));
}

Task<void> ask_each(Host host, RpcChannel* channel, int from, int to, std::vector<std::string>* out) {
  for (int i = from; i <= to; ++i) {
    const auto answer = co_await testing::Ask(*channel, std::to_string(i));
    out->push_back(testing::text_of(answer));
  }
  co_await host.sleep(ms(1));
}

// Continued from inside another process's coroutine at the very instant at which more arrives: the
// older messages still come first.
TEST(Pause, ContinuedFromElsewhereKeepsTheOrderOfAConnection) {
  for (int shift = -1; shift <= 1; ++shift) {
    Pair pair;
    const NodeId other = pair.world.nodes.add("other");
    std::vector<std::string> out;
    for (int i = 0; i < 5; ++i) {
      pair.at(us(500 * i), [&, i](World& w) {
        w.tasks.start(pair.n, "t" + std::to_string(i), ask_each(w.host(pair.n), pair.channel, i, i, &out));
      });
    }
    std::uint32_t incarnation = 0;
    pair.at(us(1), [&](World& w) { incarnation = w.faults.pause(pair.server); });
    pair.on(other, mark::enters, [&](World& w) { w.faults.resume(pair.server, incarnation); });
    std::vector<Duration> passed;
    pair.at(ms(2) + nanoseconds(shift), [&](World& w) {
      w.tasks.start(other, "main", [](Host h) -> Task<void> { co_await h.pass(mark::enters); }(w.host(other)));
    });
    pair.run();
    EXPECT_EQ(pair.echo.requests(), (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  }
}

TEST(Pause, WhileItCatchesUpTheRestWaitsOn) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> a, b;
  lab.world.tasks.start(n, "a", passes(lab.world.host(n), &lab.world, &a));
  lab.world.tasks.start(n, "b", passes(lab.world.host(n), &lab.world, &b));
  lab.pause(n, ms(5), ms(50));
  lab.on(n, mark::enters, [&](World& w) {  // a pauses it again as it catches up; b has not gone on
    const auto incarnation = w.faults.pause(n);
    w.actions.at(w.now() + ms(100), lab.action([=](World& x) { x.faults.resume(n, incarnation); }));
  });
  lab.run();
  EXPECT_EQ(a, (std::vector<Duration>{ms(155), ms(165), ms(175)}));
  EXPECT_EQ(b, a);
}

// --- the pause of one task -----------------------------------------------------------------------

TEST(PauseTask, StopsItAloneAndIsCounted) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> main, renewal;
  Duration worked{};
  lab.world.tasks.start(n, "main", ticker(lab.world.host(n), &lab.world, 4, ms(10), &main));
  lab.world.tasks.start(n, "renewal", ticker(lab.world.host(n), &lab.world, 3, ms(10), &renewal));
  lab.world.tasks.start(n, "job", worker(lab.world.host(n), &lab.world, ms(40), &worked));
  for (const std::int64_t t : {15, 17}) lab.at(ms(t), [n](World& w) { w.faults.pause_task(n, "renewal"); });
  for (const std::int64_t t : {30, 32}) lab.at(ms(t), [n](World& w) { w.faults.resume_task(n, "renewal"); });
  lab.at(ms(10), [n](World& w) { w.faults.pause_task(n, "job"); });
  lab.at(ms(30), [n](World& w) { w.faults.resume_task(n, "job"); });
  lab.run();
  EXPECT_EQ(main, (std::vector<Duration>{ms(10), ms(20), ms(30), ms(40)}));
  EXPECT_EQ(renewal, (std::vector<Duration>{ms(10), ms(32), ms(42)}));
  EXPECT_EQ(worked, ms(60));
}

TEST(PauseTask, StopsOneThatStartsLater) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> ticks;
  lab.world.faults.pause_task(n, "renewal");
  lab.at(ms(5), [&](World& w) { w.tasks.start(n, "renewal", ticker(w.host(n), &w, 2, ms(10), &ticks)); });
  lab.at(ms(50), [n](World& w) { w.faults.resume_task(n, "renewal"); });
  lab.run();
  EXPECT_EQ(ticks, (std::vector<Duration>{ms(60), ms(70)}));
}

TEST(PauseTask, EndsWithItsProcess) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> ticks;
  lab.world.faults.pause_task(n, "renewal");
  lab.at(ms(5), [&](World& w) {
    w.faults.kill(n);
    w.faults.restart(n);
    w.tasks.start(n, "renewal", ticker(w.host(n), &w, 1, ms(10), &ticks));
  });
  lab.run();
  EXPECT_EQ(ticks, (std::vector<Duration>{ms(15)}));
}

TEST(PauseTask, ItsAnswerWaitsForItAndTheOthersGetTheirs) {
  Pair pair;
  std::vector<std::string> out;
  std::vector<Seen> seen;
  pair.world.tasks.start(pair.n, "main", caller(pair.world.host(pair.n), &pair.world, pair.channel, 3, &pair.seen));
  pair.world.tasks.start(pair.n, "renewal", caller(pair.world.host(pair.n), &pair.world, pair.channel, 2, &seen));
  pair.at(us(500), [&](World& w) { w.faults.pause_task(pair.n, "renewal"); });
  pair.at(ms(100), [&](World& w) { w.faults.resume_task(pair.n, "renewal"); });
  pair.run();
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"ok 1", ms(2)}, {"ok 2", ms(14)}, {"ok 3", ms(26)}}));
  EXPECT_EQ(seen, (std::vector<Seen>{{"ok 1", ms(100)}, {"ok 2", ms(112)}}));
}

TEST(PauseTask, InsideAPauseOfTheProcess) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> main, renewal;
  lab.world.tasks.start(n, "main", ticker(lab.world.host(n), &lab.world, 2, ms(10), &main));
  lab.world.tasks.start(n, "renewal", ticker(lab.world.host(n), &lab.world, 2, ms(10), &renewal));
  Duration worked{};
  lab.world.tasks.start(n, "job", worker(lab.world.host(n), &lab.world, ms(10), &worked));
  lab.pause(n, ms(5), ms(45));
  for (const char* task : {"renewal", "job"}) {
    lab.at(ms(7), [=](World& w) { w.faults.pause_task(n, task); });
    lab.at(ms(*task == 'j' ? 20 : 80), [=](World& w) { w.faults.resume_task(n, task); });
  }
  lab.run();
  EXPECT_EQ(worked, ms(55));
  EXPECT_EQ(main, (std::vector<Duration>{ms(50), ms(60)}));
  EXPECT_EQ(renewal, (std::vector<Duration>{ms(80), ms(90)}));
}

// --- after a stop: overdue timers against buffered messages --------------------------------------

struct Order {
  std::string name;
  std::int64_t value = 0;
  std::string seen;
};

// The answer comes at 2 ms, or at 71 ms; the timeout at 50 ms; the process is stopped all the while.
Order order_of(std::uint64_t seed, bool answer_first, std::optional<std::int64_t> override = {}) {
  Pair pair({.request_timeout = ms(50)}, seed);
  if (!answer_first) pair.world.network.set_latency(pair.server, pair.n, Law::constant(ms(70)));
  if (override) {
    const auto bad = pair.world.draws.set_overrides({{"n/timer-order@n#1.1", *override}});
    EXPECT_FALSE(bad);
  }
  pair.world.draws.log(true);
  pair.call(1);
  pair.pause(pair.n, us(500), ms(100));
  pair.run();
  Order order;
  for (const DrawRecord& r : pair.world.draws.logged()) {
    if (r.purpose != Purpose::timer_order) continue;
    EXPECT_EQ(order.name, "");
    order.name = pair.world.tasks.draw_name(r);
    order.value = r.value;
  }
  pair.world.draws.log(false);
  order.seen = pair.seen.at(0).what;
  return order;
}

TEST(AfterAPause, TheOrderOfTimersAndMessagesIsADraw) {
  for (const bool answer_first : {false, true}) {
    std::map<std::int64_t, std::string> seen_by_order;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const Order order = order_of(seed, answer_first);
      EXPECT_EQ(order.name, "n/timer-order@n#1.1");
      seen_by_order.emplace(order.value, order.seen);
    }
    // The orders: of arrival; timers first; messages first.
    EXPECT_EQ(seen_by_order, (std::map<std::int64_t, std::string>{
                                 {0, answer_first ? "ok 1" : "timed out"}, {1, "timed out"}, {2, "ok 1"}}));
    for (const auto& [order, seen] : seen_by_order) {
      EXPECT_EQ(order_of(1, answer_first, order).seen, seen);
    }
  }
}

}  // namespace pauses_test
}  // namespace picklock
