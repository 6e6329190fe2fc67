#include "algorithms/go_channel.hpp"

#include <gtest/gtest.h>

#include "algorithms/runtime_lab.hpp"

namespace picklock {
namespace {

using testing::LabRuntime;
using Log = std::vector<std::string>;

struct Go {
  ~Go() { runtime.kill(1); }
  void run_until(Duration d) { runtime.run_until(d); }
  LabRuntime runtime;
  Host host{runtime, 1};
  Log log;  // names of tasks that have ended
};

Task<void> send(Host, Go* go, GoChannel<int>* c, int value) {
  (void)co_await c->send(value);
  go->log.push_back("sent " + std::to_string(value));
}
Task<void> receive(Host, Go* go, GoChannel<int>* c) {
  const auto value = co_await c->receive();
  go->log.push_back(value ? "got " + std::to_string(*value) : "closed");
}
Task<void> send_for(Host host, Go* go, GoChannel<int>* c, int value, Duration limit) {
  const auto sent = co_await with_timeout(host, c->send(value), limit);
  go->log.push_back(sent ? "sent" : "gave up");
}
Task<void> receive_either(Host host, Go* go, GoChannel<int>* a, GoChannel<int>* b) {
  GoReceive<int> from_a(*a), from_b(*b);
  std::vector<GoCase*> cases{&from_a, &from_b};
  const std::size_t chosen = co_await go_select(host, std::move(cases));
  go->log.push_back(chosen == 0 ? "a " + std::to_string(*from_a.value) : "b " + std::to_string(*from_b.value));
}

TEST(GoChannel, WithoutABufferASendWaitsForItsReceiver) {
  Go go;
  GoChannel<int> c(go.host);
  go.host.spawn("sender", send(go.host, &go, &c, 7));
  go.run_until(seconds(1));
  EXPECT_EQ(go.log, Log{});
  go.host.spawn("receiver", receive(go.host, &go, &c));
  go.run_until(seconds(2));
  EXPECT_EQ(go.log, (Log{"got 7", "sent 7"}));
}

TEST(GoChannel, ABufferHasRoomForSoManyAndKeepsTheirOrder) {
  Go go;
  GoChannel<int> c(go.host, 1);
  for (int v : {1, 2, 3}) go.host.spawn("sender", send(go.host, &go, &c, v));
  go.run_until(seconds(1));
  EXPECT_EQ(go.log, Log{"sent 1"});
  for (int i = 0; i < 3; ++i) go.host.spawn("receiver", receive(go.host, &go, &c));
  go.run_until(seconds(2));
  Log got;
  for (const auto& line : go.log) {
    if (line.starts_with("got")) got.push_back(line);
  }
  EXPECT_EQ(got, (Log{"got 1", "got 2", "got 3"}));
  EXPECT_EQ(c.buffered(), 0U);
  EXPECT_EQ(c.senders_waiting(), 0U);
}

TEST(GoChannel, EveryValueReachesOneReceiver) {
  for (const std::size_t capacity : {0U, 1U, 2U}) {
    for (const bool receivers_first : {true, false}) {
      Go go;
      GoChannel<int> c(go.host, capacity);
      for (int v = 0; v < 5; ++v) {
        if (receivers_first) go.host.spawn("receiver", receive(go.host, &go, &c));
        go.host.spawn("sender", send(go.host, &go, &c, v));
        if (!receivers_first) go.host.spawn("receiver", receive(go.host, &go, &c));
      }
      go.run_until(seconds(1));
      for (int v = 0; v < 5; ++v) {
        EXPECT_EQ(std::count(go.log.begin(), go.log.end(), "got " + std::to_string(v)), 1) << capacity;
      }
      EXPECT_EQ(go.runtime.tasks(), 0U);
    }
  }
}

TEST(GoChannel, OneThatIsGivenUpLeavesNothingBehind) {
  Go go;
  GoChannel<int> c(go.host);
  go.host.spawn("sender", send_for(go.host, &go, &c, 1, milliseconds(5)));
  go.run_until(milliseconds(10));
  EXPECT_EQ(go.log, Log{"gave up"});
  EXPECT_EQ(c.senders_waiting(), 0U);
  go.host.spawn("receiver", receive(go.host, &go, &c));
  go.run_until(seconds(1));
  EXPECT_EQ(go.log.size(), 1U) << "nothing to receive";
  go.runtime.kill(go.host.node());  // waiting tasks must end before the channel
}

TEST(GoChannel, ClosingItLetsAllReceiversGo) {
  Go go;
  GoChannel<int> c(go.host);
  go.host.spawn("receiver", receive(go.host, &go, &c));
  go.run_until(milliseconds(1));
  c.close();
  go.host.spawn("receiver", receive(go.host, &go, &c));
  go.run_until(seconds(1));
  EXPECT_EQ(go.log, (Log{"closed", "closed"}));
}

TEST(GoSelect, TakesFromOneChannelAndLeavesTheOther) {
  Go go;
  GoChannel<int> a(go.host), b(go.host);
  go.host.spawn("selects", receive_either(go.host, &go, &a, &b));
  go.run_until(milliseconds(1));
  go.host.spawn("sender", send(go.host, &go, &b, 2));
  go.host.spawn("sender", send(go.host, &go, &a, 1));
  go.run_until(seconds(1));
  EXPECT_EQ(go.log.size(), 2U) << "one select, one send";
  EXPECT_EQ(a.senders_waiting() + b.senders_waiting(), 1U);
  go.runtime.kill(go.host.node());
}

TEST(GoSelect, OfSeveralThatCanGoOnItTakesAny) {
  Go go;
  int from_a = 0;
  for (int i = 0; i < 100; ++i) {
    GoChannel<int> a(go.host, 1), b(go.host, 1);
    go.log.clear();
    go.host.spawn("sender", send(go.host, &go, &a, 1));
    go.host.spawn("sender", send(go.host, &go, &b, 2));
    go.host.spawn("selects", receive_either(go.host, &go, &a, &b));
    go.run_until(milliseconds(i + 1));
    from_a += go.log.back() == "a 1";
  }
  EXPECT_GT(from_a, 20);
  EXPECT_LT(from_a, 80);
}

Task<void> tick(Host host, std::vector<std::int64_t>* at, Duration slow) {
  GoTicker ticker(host, milliseconds(10));
  for (int i = 0; i < 4; ++i) {
    std::vector<GoCase*> cases(1, &ticker);
    (void)co_await go_select(host, std::move(cases));
    at->push_back(host.monotonic_now().ns / milliseconds(1).ns);
    if (i == 1) co_await host.sleep(slow);
  }
}

TEST(GoTicker, AReceiverThatIsLateFindsOneTickNotAll) {
  Go go;
  std::vector<std::int64_t> at;
  go.host.spawn("ticker", tick(go.host, &at, milliseconds(35)));
  go.run_until(seconds(1));
  EXPECT_EQ(at, (std::vector<std::int64_t>{10, 20, 55, 60}));
}

}  // namespace
}  // namespace picklock
