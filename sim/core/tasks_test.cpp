// Tasks and combinators, on the real runtime.

#include <gtest/gtest.h>

#include "sim/core/world_lab.hpp"
#include "sim/task/combinators.hpp"

namespace picklock {
namespace {

using testing::EchoServer;
using testing::Lab;
using testing::ms;
using testing::Probe;
using testing::true_at;

// --- depth ---------------------------------------------------------------------------------------

Task<long> next_of(Host, long x) { co_return x + 1; }

Task<void> many_awaits(Host host, long n, long* out) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    const long x = co_await next_of(host, i);
    sum += x;
  }
  *out = sum;
}

Task<long> nested(Host host, long depth, Duration d) {
  Probe probe;
  if (depth == 0) {
    co_await host.sleep(d);
    co_return 0;
  }
  const long below = co_await nested(host, depth - 1, d);
  co_return below + 1;
}

Task<void> measure_depth(Host host, long depth, Duration d, long* out) {
  const long reached = co_await nested(host, depth, d);
  *out = reached;
}

TEST(Tasks, AMillionAwaitsInARowNeedNoStack) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  long sum = 0;
  const long k = 1'000'000;
  lab.world.tasks.start(n, "main", many_awaits(lab.world.host(n), k, &sum));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(sum, k * (k + 1) / 2);
  EXPECT_EQ(lab.world.tasks.arena().live(), 0u);
}

TEST(Tasks, ReturnThroughAHundredThousandFrames) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  long depth = 0;
  lab.world.tasks.start(n, "main", measure_depth(lab.world.host(n), 100'000, ms(1), &depth));
  lab.run();
  EXPECT_EQ(depth, 100'000);
  EXPECT_EQ(Probe::live, 0);
  EXPECT_EQ(lab.world.tasks.arena().live(), 0u);
}

// --- combinators ---------------------------------------------------------------------------------

Task<int> after(Host host, Duration d, int value, Probe) {
  co_await host.sleep(d);
  co_return value;
}
Task<int> at_once(Host, int value) { co_return value; }
Task<std::unique_ptr<int>> movable(Host host, int value) {
  co_await host.sleep(ms(1));
  co_return std::make_unique<int>(value);
}

Task<void> timeouts(Host host, std::vector<int>* out) {
  Probe p;
  const auto in_time = co_await with_timeout(host, after(host, ms(10), 5, p), ms(20));
  out->push_back(in_time.value_or(-1));
  const auto too_late = co_await with_timeout(host, after(host, ms(30), 5, p), ms(20));
  out->push_back(too_late.value_or(-1));
  const auto deep = co_await with_timeout(host, nested(host, 50, ms(30)), ms(20));
  out->push_back(static_cast<int>(deep.value_or(-1)));
  const auto without_waiting = co_await with_timeout(host, at_once(host, 9), ms(20));
  out->push_back(without_waiting.value_or(-1));
  const auto tie = co_await with_timeout(host, after(host, ms(20), 5, p), ms(20));
  out->push_back(tie.value_or(-1));
  const auto no_patience = co_await with_timeout(host, after(host, Duration{}, 5, p), Duration{});
  out->push_back(no_patience.value_or(-1));
  const auto at_once_all_the_same = co_await with_timeout(host, at_once(host, 4), ms(-3));
  out->push_back(at_once_all_the_same.value_or(-1));
  auto moved = co_await with_timeout(host, movable(host, 3), ms(2));
  out->push_back(moved ? **moved : -1);
}

TEST(WithTimeout, GivesTheValueOrNothingAndATieIsATimeout) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<int> out;
  lab.world.tasks.start(n, "main", timeouts(lab.world.host(n), &out));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(out, (std::vector<int>{5, -1, -1, 9, -1, -1, 4, 3}));
  EXPECT_EQ(lab.world.now(),
            true_at(ms(10 + 20 + 20 + 20 + 1)));  // cancelled waits left no timer
  EXPECT_EQ(Probe::live, 0);
  EXPECT_EQ(lab.world.tasks.arena().live(), 0u);
}

Task<void> races(Host host, std::vector<std::pair<std::size_t, int>>* out) {
  Probe p;
  std::vector<Task<int>> tasks;
  tasks.push_back(after(host, ms(3), 1, p));
  tasks.push_back(after(host, ms(2), 2, p));
  tasks.push_back(after(host, ms(2), 3, p));
  const auto earliest = co_await first_of(host, std::move(tasks));
  out->push_back(earliest);
  std::vector<Task<int>> ready;
  ready.push_back(after(host, ms(3), 1, p));
  ready.push_back(at_once(host, 7));
  ready.push_back(after(host, ms(1), 2, p));  // this task is never started
  const auto without_waiting = co_await first_of(host, std::move(ready));
  out->push_back(without_waiting);
}

TEST(FirstOf, GivesTheEarliestAndCancelsTheOthers) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<std::pair<std::size_t, int>> out;
  lab.world.tasks.start(n, "main", races(lab.world.host(n), &out));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(out, (std::vector<std::pair<std::size_t, int>>{{1, 2}, {1, 7}}));
  EXPECT_EQ(lab.world.now(), true_at(ms(2)));
  EXPECT_EQ(Probe::live, 0);
}

Task<void> together(Host host, std::vector<std::vector<int>>* out) {
  Probe p;
  std::vector<Task<int>> tasks;
  tasks.push_back(after(host, ms(3), 1, p));
  tasks.push_back(at_once(host, 2));
  tasks.push_back(after(host, ms(1), 3, p));
  const auto values = co_await all_of(host, std::move(tasks));
  out->push_back(values);
  std::vector<Task<int>> ready;
  ready.push_back(at_once(host, 4));
  ready.push_back(at_once(host, 5));
  const auto immediately = co_await all_of(host, std::move(ready));
  out->push_back(immediately);
  const auto none = co_await all_of(host, std::vector<Task<int>>());
  out->push_back(none);
}

TEST(AllOf, GivesAllValuesInTheirOrder) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<std::vector<int>> out;
  lab.world.tasks.start(n, "main", together(lab.world.host(n), &out));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(out, (std::vector<std::vector<int>>{{1, 2, 3}, {4, 5}, {}}));
  EXPECT_EQ(lab.world.now(), true_at(ms(3)));
  EXPECT_EQ(Probe::live, 0);
}

// first_of inside all_of inside with_timeout, cancelled half-way.
Task<int> inner_race(Host host, int ms_each, Probe p) {
  std::vector<Task<int>> tasks;
  for (int i = 1; i <= 3; ++i) tasks.push_back(after(host, ms(ms_each * i), i, p));
  const auto won = co_await first_of(host, std::move(tasks));
  co_return won.second;
}
Task<int> sum_of_races(Host host, Probe p) {
  std::vector<Task<int>> tasks;
  for (int i = 1; i <= 4; ++i) tasks.push_back(inner_race(host, 5 * i, p));
  const auto all = co_await all_of(host, std::move(tasks));
  int sum = 0;
  for (const int v : all) sum += v;
  co_return sum;
}
Task<void> nest_combinators(Host host, std::vector<int>* out) {
  Probe p;
  const auto whole = co_await with_timeout(host, sum_of_races(host, p), ms(21));
  out->push_back(whole.value_or(-1));
  const auto cut = co_await with_timeout(host, sum_of_races(host, p), ms(12));
  out->push_back(cut.value_or(-1));
}

TEST(Combinators, NestAndAreCancelledAsAWhole) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<int> out;
  lab.world.tasks.start(n, "main", nest_combinators(lab.world.host(n), &out));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(out, (std::vector<int>{4, -1}));
  EXPECT_EQ(lab.world.now(), true_at(ms(20 + 12)));
  EXPECT_EQ(Probe::live, 0);
  EXPECT_EQ(lab.world.tasks.arena().live(), 0u);
}

// --- events --------------------------------------------------------------------------------------

Task<void> wait_for(Host host, Event* event, int id, std::vector<int>* out) {
  co_await event->wait();
  out->push_back(id);
  co_await host.sleep(ms(1));
}
Task<bool> wait_and_say(Host, Event* event) {
  co_await event->wait();
  co_return true;
}
Task<void> impatient(Host host, Event* event, std::vector<int>* out) {
  const auto came = co_await with_timeout(host, wait_and_say(host, event), ms(2));
  out->push_back(came ? 1 : -1);
}

TEST(Event, WakesEveryWaiterInOrderAndStaysSet) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  const Host host = lab.world.host(n);
  std::vector<int> out;
  Event event(host, "the bell");
  for (int i = 1; i <= 3; ++i) lab.world.tasks.start(n, "waiter", wait_for(host, &event, i, &out));
  lab.world.tasks.start(n, "impatient", impatient(host, &event, &out));
  lab.run();
  EXPECT_EQ(out, std::vector<int>{-1});
  ASSERT_EQ(lab.world.tasks.waiting().size(), 3u);
  EXPECT_EQ(lab.world.tasks.waiting()[0].what, "the bell");
  EXPECT_EQ(lab.world.tasks.waiting()[0].task, "n.waiter");
  event.notify();
  event.notify();  // the second notification finds no waiter
  lab.run();
  EXPECT_EQ(out, (std::vector<int>{-1, 1, 2, 3}));
  event.set();
  lab.world.tasks.start(n, "late", wait_for(host, &event, 4, &out));
  lab.run();
  EXPECT_EQ(out.back(), 4);
  event.clear();
  lab.world.tasks.start(n, "later", wait_for(host, &event, 5, &out));
  lab.run();
  EXPECT_EQ(out.back(), 4);
  lab.world.faults.kill(n);  // a waiter that dies is unlinked
  event.set();
}

Task<void> holds_an_event(Host host, Event** out) {
  Event event(host, "mine");
  *out = &event;
  co_await host.sleep(ms(5));
}

TEST(Event, MayEndBeforeItsWaiters) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  const Host host = lab.world.host(n);
  std::vector<int> out;
  Event* event = nullptr;
  lab.world.tasks.start(n, "owner", holds_an_event(host, &event));
  lab.run_until(ms(1));
  lab.world.tasks.start(n, "waiter", wait_for(host, event, 1, &out));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(lab.world.tasks.alive(), 1u);
  EXPECT_TRUE(out.empty());
}

// --- tasks of their own --------------------------------------------------------------------------

Task<void> ticking(Host host, int n, std::vector<int>* out) {
  Probe p;
  for (int i = 0; i < n; ++i) {
    co_await host.sleep(ms(10));
    out->push_back(i);
  }
}
Task<void> spawner(Host host, std::vector<int>* out) {
  host.spawn("ticking", ticking(host, 3, out));
  out->push_back(100);
  co_await host.sleep(ms(5));
}

TEST(Spawn, OutlivesTheTaskThatStartedIt) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<int> out;
  lab.world.tasks.start(n, "main", spawner(lab.world.host(n), &out));
  lab.run_until(ms(7));
  EXPECT_EQ(lab.world.tasks.alive(), 1u);
  lab.run();
  EXPECT_EQ(out, (std::vector<int>{100, 0, 1, 2}));
  EXPECT_EQ(lab.world.tasks.alive(), 0u);
  EXPECT_EQ(Probe::live, 0);
}

Task<void> yields(Host host, char id, std::string* out) {
  for (int i = 0; i < 3; ++i) {
    *out += id;
    co_await host.yield("another thread");
  }
}

TEST(Yield, LetsTheOthersGoFirst) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::string out;
  for (const char id : {'a', 'b', 'c'}) {
    lab.world.tasks.start(n, std::string(1, id), yields(lab.world.host(n), id, &out));
  }
  lab.run();
  EXPECT_EQ(out, "abcabcabc");
  EXPECT_EQ(lab.world.now(), TrueTime{});
}

// --- cancellation --------------------------------------------------------------------------------

Task<int> asks_deep_down(Host host, RpcChannel* channel, int depth, Probe p) {
  if (depth == 0) {
    const auto answer = co_await testing::Ask(*channel, "from below");
    co_return answer.yes() ? 1 : 0;
  }
  const int below = co_await asks_deep_down(host, channel, depth - 1, p);
  co_return below;
}
Task<void> everything_at_once(Host host, RpcChannel* channel, Event* event, std::vector<int>* out) {
  Probe p;
  std::vector<Task<int>> tasks;
  for (int depth = 0; depth < 20; ++depth) tasks.push_back(asks_deep_down(host, channel, depth, p));
  tasks.push_back(inner_race(host, 400, p));
  tasks.push_back(after(host, ms(500), 1, p));
  host.spawn("ticker", ticking(host, 1000, out));
  host.spawn("waiter", wait_for(host, event, 9, out));
  const auto all = co_await with_timeout(
      host,
      [](Host h, std::vector<Task<int>> many) -> Task<int> {
        const auto values = co_await all_of(h, std::move(many));
        co_return static_cast<int>(values.size());
      }(host, std::move(tasks)),
      seconds(5));
  out->push_back(all.value_or(-1));
}

TEST(Cancellation, KillingAProcessDestroysEveryFrameAndSendsNothing) {
  // Killed at every stage, from before its first step to the end.
  for (std::int64_t tenths = -1; tenths < 60; ++tenths) {
    Lab lab;
    const NodeId server = lab.world.nodes.add("server"), n = lab.world.nodes.add("n");
    EchoServer echo;
    lab.world.install(server, echo);
    RpcChannel& channel = lab.world.channels.open(n, server, {});
    lab.run();
    const std::size_t live = lab.world.tasks.arena().live(), waits = lab.world.tasks.waiting().size();
    Event event(lab.world.host(n), "nothing");
    std::vector<int> out;
    lab.world.tasks.start(n, "main", everything_at_once(lab.world.host(n), &channel, &event, &out));
    if (tenths >= 0) {
      lab.run_until(Duration{ms(1).ns * tenths / 10});
      EXPECT_GT(Probe::live, 20);
    }
    lab.world.faults.kill(n);
    EXPECT_EQ(Probe::live, 0);
    EXPECT_EQ(lab.world.tasks.alive(), 1u);
    const auto said = out;
    EXPECT_EQ(lab.run(), RunEnd::quiescent);
    EXPECT_EQ(lab.world.tasks.arena().live(), live);
    EXPECT_EQ(lab.world.tasks.waiting().size(), waits);
    EXPECT_EQ(out, said);
    EXPECT_EQ(echo.executed.size(), tenths < 0 ? 0u : 20u);  // the server executed what was sent, and no more
    lab.world.faults.kill(server);
    EXPECT_EQ(lab.run(), RunEnd::quiescent);
    EXPECT_EQ(lab.world.tasks.arena().live(), 0u);
    EXPECT_TRUE(lab.world.tasks.waiting().empty());
  }
}

TEST(Cancellation, AWorldThatIsResetForgetsEverything) {
  Lab lab;
  EchoServer echo;
  for (int round = 0; round < 50; ++round) {
    lab.reset(static_cast<std::uint64_t>(round));
    EXPECT_EQ(lab.world.tasks.arena().live(), 0u);
    EXPECT_EQ(Probe::live, 0);
    EXPECT_EQ(lab.world.tasks.alive(), 0u);
    EXPECT_TRUE(lab.world.tasks.waiting().empty());
    const NodeId server = lab.world.nodes.add("server"), n = lab.world.nodes.add("n");
    lab.world.install(server, echo);
    RpcChannel& channel = lab.world.channels.open(n, server, {});
    std::vector<int> out;
    Event event(lab.world.host(n), "nothing");
    lab.world.tasks.start(n, "main", everything_at_once(lab.world.host(n), &channel, &event, &out));
    if (round % 3 == 0) lab.pause(n, ms(1), ms(100));
    lab.run_until(Duration{ms(1).ns * round / 5});
    lab.world.reset(0);  // the reset comes before the event goes
  }
}

}  // namespace
}  // namespace picklock
