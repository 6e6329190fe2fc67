// Connections under loss, partitions, holds and delays; and the client's side of them.

#include "sim/core/network.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/core/test_lab.hpp"

namespace picklock {
namespace {

using testing::Ask;
using testing::caller;
using testing::EchoServer;
using testing::Lab;
using testing::ms;
using testing::Seen;
using testing::us;

struct Net : Lab {
  EchoServer echo;
  NodeId server, a, b;
  RpcChannel *from_a, *from_b;
  std::vector<Seen> seen_a, seen_b;
  explicit Net(const ChannelOptions& options = {}, std::uint64_t seed = 1) : Lab(seed) {
    server = world.add_node("server");
    a = world.add_node("a");
    b = world.add_node("b");
    world.install(server, echo);
    from_a = &world.open_channel(a, server, options);
    from_b = &world.open_channel(b, server, options);
  }
  ~Net() { world.reset(0); }
  void call_a(int requests) {
    world.start(a, "main", caller(world.host(a), &world, from_a, requests, &seen_a));
  }
  void call_b(int requests) {
    world.start(b, "main", caller(world.host(b), &world, from_b, requests, &seen_b));
  }
  std::vector<Duration> times_of(TraceKind kind) {
    std::vector<Duration> times;
    for (const TraceRecord& r : world.trace.full()) {
      if (r.kind == kind) times.push_back({r.time});
    }
    world.trace.record_fully(false);
    return times;
  }
};

Task<void> ask_once(Host host, RpcChannel* channel, std::string text, World* world, std::vector<Seen>* out) {
  const auto answer = co_await Ask(*channel, text);
  out->push_back({testing::text_of(answer), world->now() - TrueTime{}});
  co_await host.sleep(ms(1));
}

// --- order ---------------------------------------------------------------------------------------

RC_GTEST_PROP(Connection, KeepsItsOrderWhateverBefallsSegments, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto loss = *rc::gen::inRange<std::int64_t>(0, 500'000);
  const auto delayed = *rc::gen::inRange<std::int64_t>(0, 500'000);
  Net net({.request_timeout = seconds(1000)}, seed);
  net.world.network.set_latency(Law::uniform(us(1), ms(20)));
  net.rule({net.a, net.server}, {net.a, net.server}, Fate::drop, loss);
  net.rule({net.a, net.server}, {net.a, net.server}, Fate::delay, delayed, Law::uniform(ms(1), ms(100)));
  testing::Dice dice(seed);
  std::vector<std::string> sent;
  Duration t{};
  for (int i = 0; i < 30; ++i) {
    t += us(dice.between(0, 3000));
    sent.push_back(std::to_string(i));
    net.at(t, [&, i](World& w) {
      w.start(net.a, "t" + std::to_string(i),
              ask_once(w.host(net.a), net.from_a, std::to_string(i), &w, &net.seen_a));
    });
    if (dice.one_in(10)) net.pause(net.server, t, us(dice.between(0, 30'000)));
    if (dice.one_in(10)) net.freeze(dice.one_in(2) ? net.server : net.a, t, us(dice.between(0, 30'000)));
    if (dice.one_in(10)) {
      net.at(t, [&](World& w) {
        const auto id = net.rule({net.a}, {net.server}, Fate::hold);
        w.at(w.now() + ms(15), net.action([id](World& x) { x.network.uninstall(id); }));
      });
    }
  }
  RC_ASSERT(net.run() == RunEnd::quiescent);
  RC_ASSERT(net.echo.requests() == sent);
  RC_ASSERT(net.seen_a.size() == sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) RC_ASSERT(net.seen_a[i].what == "ok " + sent[i]);
}

// --- loss and partitions -------------------------------------------------------------------------

TEST(Loss, IsRetransmittedWithBackOff) {
  Net net({.request_timeout = seconds(1000)});
  net.world.trace.record_fully(true);
  const auto cut = net.rule({net.a}, {net.server}, Fate::drop);
  net.call_a(1);
  net.at(seconds(20), [=](World& w) { w.network.uninstall(cut); });
  net.run();
  std::vector<Duration> expected;
  Duration t{};
  for (int i = 0; t < seconds(20); ++i) {
    expected.push_back(t);
    t += ms(200) * (1 << i);
  }
  EXPECT_EQ(net.times_of(trace::segment_lost), expected);
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"ok 1", t + ms(2)}}));
  EXPECT_EQ(net.world.network.longest_delay(), t + ms(1));
}

TEST(Loss, IsGivenUpAfterFifteenMinutes) {
  Net net({.request_timeout = seconds(100'000)});
  net.rule({net.a}, {net.server}, Fate::drop);
  net.call_a(1);
  EXPECT_EQ(net.run(), RunEnd::quiescent);
  ASSERT_EQ(net.seen_a.size(), 1u);
  EXPECT_EQ(net.seen_a[0].what, "disconnected");
  // tcp_retries2 = 15: 924.6 s by the kernel's own documentation.
  EXPECT_EQ(net.seen_a[0].when, ms(924'600));
}

TEST(Partition, BothWaysIsSilent) {
  Net net;
  net.rule({net.a, net.b}, {net.server}, Fate::drop);
  net.rule({net.server}, {net.a, net.b}, Fate::drop);
  net.call_a(1);
  net.call_b(1);
  net.run_until(seconds(5));
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"timed out", seconds(1)}}));
  EXPECT_EQ(net.seen_b, net.seen_a);
  EXPECT_TRUE(net.echo.executed.empty());
}

TEST(Partition, OneWayLosesTheAnswerOnly) {
  Net net;
  net.rule({net.server}, {net.a}, Fate::drop);
  net.call_a(1);
  net.call_b(1);
  net.run_until(seconds(5));
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"timed out", seconds(1)}}));
  EXPECT_EQ(net.seen_b, (std::vector<Seen>{{"ok 1", ms(2)}}));
  EXPECT_EQ(net.echo.executed.size(), 2u);
}

TEST(Partition, PartialCutsOnePairOnly) {
  Net net;
  net.rule({net.a}, {net.server}, Fate::drop);
  net.rule({net.server}, {net.a}, Fate::drop);
  net.call_a(1);
  net.call_b(2);
  net.run_until(seconds(5));
  EXPECT_EQ(net.seen_a[0].what, "timed out");
  EXPECT_EQ(net.seen_b, (std::vector<Seen>{{"ok 1", ms(2)}, {"ok 2", ms(14)}}));
}

TEST(Partition, WhatLeftBeforeItArrives) {
  Net net;
  net.call_a(1);
  net.at(us(500), [&](World&) {
    net.rule({net.a}, {net.server}, Fate::drop);
    net.rule({net.server}, {net.a}, Fate::drop);
  });
  net.run_until(seconds(5));
  EXPECT_EQ(net.echo.executed.size(), 1u);
  EXPECT_EQ(net.seen_a[0].what, "timed out");
}

// --- hold, delay, shares, the order of rules -----------------------------------------------------

TEST(Hold, EverythingBehindAHeldSegmentWaits) {
  Net net;
  const auto hold = net.rule({net.a}, {net.server}, Fate::hold);
  net.world.start(net.a, "one", ask_once(net.world.host(net.a), net.from_a, "one", &net.world, &net.seen_a));
  net.at(ms(10), [=](World& w) { w.network.uninstall(hold); });
  std::uint32_t again = 0;
  net.at(ms(5), [&](World& w) {
    w.start(net.a, "two", ask_once(w.host(net.a), net.from_a, "two", &w, &net.seen_a));
    again = net.rule({net.a}, {net.server}, Fate::hold);  // a second hold: one of the two is not enough
  });
  net.at(ms(50), [&](World& w) { w.network.uninstall(again); });
  net.at(ms(20), [&](World& w) {
    w.start(net.a, "three", ask_once(w.host(net.a), net.from_a, "three", &w, &net.seen_a));
  });
  EXPECT_EQ(net.run(), RunEnd::quiescent);
  EXPECT_EQ(net.echo.requests(), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(net.echo.executed[0].when, ms(51));
  EXPECT_EQ(net.world.network.segments_lost(), 0u);
}

TEST(Delay, IsAddedToTheLatency) {
  Net net;
  net.rule({net.a}, {net.server}, Fate::delay, 1'000'000, Law::constant(ms(300)));
  net.call_a(1);
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"ok 1", ms(302)}}));
}

TEST(Rules, TheFirstVerdictWins) {
  Net net;
  net.rule({net.a}, {net.server}, Fate::pass);
  net.rule({net.a, net.b}, {net.server}, Fate::drop);
  net.call_a(1);
  net.call_b(1);
  net.run_until(seconds(3));
  EXPECT_EQ(net.seen_a[0].what, "ok 1");
  EXPECT_EQ(net.seen_b[0].what, "timed out");
}

Task<void> send_many(Host host, RpcChannel* channel, int n) {
  for (int i = 0; i < n; ++i) {
    const auto answer = co_await Ask(*channel, "x");
    (void)answer;
    co_await host.sleep(ms(1));
  }
}

// Shares of 30 %, and of what is left 50 %: so 35 % pass.  Each is a draw of its own share.
TEST(Rules, SharesOfWhatIsLeft) {
  Net net({.request_timeout = seconds(1000)});
  net.world.trace.record_fully(true);
  net.rule({net.a}, {net.server}, Fate::drop, 300'000);
  net.rule({net.a}, {net.server}, Fate::delay, 500'000, Law::constant(ms(77)));
  net.world.start(net.a, "main", send_many(net.world.host(net.a), net.from_a, 3000));
  net.run();
  int transmitted = 0, lost = 0, delayed = 0;
  std::int64_t sent = 0;
  for (const TraceRecord& r : net.world.trace.full()) {
    if (r.kind == trace::segment_lost) ++lost, ++transmitted;
    if (r.kind == trace::segment_sent && r.node == net.a) sent = r.time;
    if (r.kind == trace::segment_arrived && r.node == net.server) {
      ++transmitted;
      // 200 ms, 600 ms, … of retransmission, the last of which took 1 ms or 78 ms.
      if ((r.time - sent) % ms(200).ns == ms(78).ns) ++delayed;
    }
  }
  net.world.trace.record_fully(false);
  const auto share = [&](int of) { return of * 1000 / transmitted; };
  EXPECT_NEAR(share(lost), 300, 25);
  EXPECT_NEAR(share(delayed), 350, 25);
}

TEST(Latency, OfOneLink) {
  Net net;
  net.world.network.set_latency(net.a, net.server, Law::constant(ms(50)));
  net.world.network.set_latency(net.a, net.server, Law::constant(ms(20)));  // the later counts
  net.call_a(1);
  net.call_b(1);
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"ok 1", ms(21)}}));
  EXPECT_EQ(net.seen_b, (std::vector<Seen>{{"ok 1", ms(2)}}));
}

// --- connecting ----------------------------------------------------------------------------------

TEST(Connecting, TakesARoundTripOnDemand) {
  Net net({.connected_at_start = false});
  net.call_a(2);
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"ok 1", ms(4)}, {"ok 2", ms(16)}}));
  EXPECT_EQ(net.from_a->connections_opened(), 1u);
}

TEST(Connecting, IsRefusedWhereNobodyListens) {
  Net net({.connected_at_start = false});
  net.world.kill(net.server);
  net.call_a(1);
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"not connected", ms(2)}}));
}

TEST(Connecting, TimesOutAndLeavesNothingBehind) {
  Net net({.connect_timeout = seconds(4), .connected_at_start = false});
  const auto cut = net.rule({net.a}, {net.server}, Fate::drop);
  net.call_a(1);
  net.at(seconds(5), [=](World& w) { w.network.uninstall(cut); });
  net.world.trace.record_fully(true);
  EXPECT_EQ(net.run(), RunEnd::quiescent);
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"not connected", seconds(4)}}));
  EXPECT_EQ(net.times_of(trace::segment_lost), (std::vector<Duration>{{}, seconds(1), seconds(3)}));
  EXPECT_TRUE(net.echo.news.empty());  // its SYN is not sent again

  std::vector<std::uint32_t> opened;  // and its place is taken by the next
  net.world.trace.record_fully(true);
  net.call_a(1);
  net.run();
  for (const TraceRecord& r : net.world.trace.full()) {
    if (r.kind == trace::connection_opened) opened.push_back(r.a & 0xffff);
  }
  net.world.trace.record_fully(false);
  EXPECT_EQ(opened, (std::vector<std::uint32_t>{0, 0}));
}

TEST(Connecting, OneThatGivesUpLeavesTheOthersWaiting) {
  Net net({.connect_timeout = ms(10), .connected_at_start = false});
  net.world.network.set_latency(Law::constant(ms(7)));
  for (const std::int64_t t : {0, 7}) {
    net.at(ms(t), [&, t](World& w) {
      w.start(net.a, "t" + std::to_string(t),
              ask_once(w.host(net.a), net.from_a, std::to_string(t), &w, &net.seen_a));
    });
  }
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"not connected", ms(10)}, {"ok 7", ms(28)}}));
}

TEST(Connecting, ASynIsRetransmittedAfterASecond) {
  Net net({.connect_timeout = seconds(4), .connected_at_start = false});
  const auto cut = net.rule({net.a}, {net.server}, Fate::drop);
  net.at(ms(10), [=](World& w) { w.network.uninstall(cut); });
  net.call_a(1);
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"ok 1", seconds(1) + ms(4)}}));
}

TEST(Connecting, SeveralRequestsShareOneConnection) {
  Net net({.connected_at_start = false});
  for (int i = 0; i < 5; ++i) {
    net.world.start(net.a, "t" + std::to_string(i),
                    ask_once(net.world.host(net.a), net.from_a, std::to_string(i), &net.world, &net.seen_a));
  }
  net.run();
  EXPECT_EQ(net.echo.requests(), (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(net.from_a->connections_opened(), 1u);
}

TEST(Connecting, AnOpeningThatIsAnsweredTooLateIsReset) {
  Net net({.connect_timeout = ms(10), .connected_at_start = false});
  net.world.network.set_latency(net.server, net.a, Law::constant(ms(100)));
  net.call_a(1);
  EXPECT_EQ(net.run(), RunEnd::quiescent);
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"not connected", ms(10)}}));
  EXPECT_EQ(net.echo.news, std::vector<SegmentKind>{SegmentKind::reset});
}

// --- timeouts and late answers -------------------------------------------------------------------

TEST(Timeout, BreaksTheConnectionAndItsLateAnswerReachesNobody) {
  Net net;
  net.world.set_cpu_cost(net.server, Law::constant(ms(1500)));
  net.at(ms(1600), [&](World& w) { w.set_cpu_cost(net.server, Law()); });
  net.call_a(3);
  net.run();
  EXPECT_EQ(net.seen_a[0], (Seen{"timed out", seconds(1)}));
  EXPECT_EQ(net.seen_a[1].what, "timed out");  // it stood in line behind the first: 1.5 s + 1.5 s
  EXPECT_EQ(net.seen_a[2].what, "ok 3");
  EXPECT_EQ(net.echo.requests(), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(net.from_a->connections_opened(), 3u);
}

TEST(Timeout, MayLeaveTheConnectionOpen) {
  Net net({.request_timeout = ms(100), .timeout_breaks_connection = false});
  net.world.set_cpu_cost(net.server, Law::constant(ms(90)));
  net.at(ms(95), [&](World& w) { w.set_cpu_cost(net.server, Law::constant(ms(150))); });
  net.call_a(4);
  net.run();
  for (std::size_t i = 0; i < 4; ++i) {  // an answer, if there is one, is that of its own request
    EXPECT_TRUE(net.seen_a[i].what == "timed out" || net.seen_a[i].what == "ok " + std::to_string(i + 1));
  }
  EXPECT_EQ(net.seen_a[0].what, "ok 1");
  EXPECT_EQ(net.seen_a[1].what, "timed out");
  EXPECT_EQ(net.from_a->connections_opened(), 1u);
}

TEST(Timeout, EndsWhatElseIsInFlightAsDisconnected) {
  Net net;
  net.rule({net.server}, {net.a}, Fate::drop);
  for (int i = 0; i < 3; ++i) {
    net.at(ms(10 * i), [&, i](World& w) {
      w.start(net.a, "t" + std::to_string(i),
              ask_once(w.host(net.a), net.from_a, std::to_string(i), &w, &net.seen_a));
    });
  }
  net.run_until(seconds(10));
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{
                            {"timed out", seconds(1)}, {"disconnected", seconds(1)}, {"disconnected", seconds(1)}}));
}

// The zombie: the server was stopped, the client gave up, closed and went on; the server, continued,
// still reads and executes what lies in its buffer.
TEST(Timeout, AStoppedServerExecutesTheRequestOfAClientThatHasGone) {
  Net net;
  net.pause(net.server, us(10), seconds(3));
  net.call_a(1);
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"timed out", seconds(1)}}));
  EXPECT_EQ(net.echo.executed, (std::vector<EchoServer::Executed>{{"1", us(10) + seconds(3)}}));
  EXPECT_EQ(net.echo.news, std::vector<SegmentKind>{SegmentKind::close});
}

TEST(Timeout, AZombieAndItsSuccessorsAreExecutedInOrder) {
  Net net({.request_timeout = ms(100)});
  net.pause(net.server, us(10), seconds(1));
  net.call_a(20);
  net.run();
  const auto executed = net.echo.requests();
  ASSERT_EQ(executed.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(executed[i], std::to_string(i + 1));
}

// A request that has ended goes on at that instant, whatever its clock does then.
TEST(Timeout, IsOverOnceTheRequestHasEnded) {
  Net net;
  net.world.set_cpu_cost(net.server, Law::constant(ms(100)));
  net.call_a(1);
  net.at(ms(50), [&](World& w) { w.kill(net.server); });
  net.at(us(50'500), [&](World& w) {  // strikes between the news and who waits for it
    w.at(testing::true_at(ms(51)), net.action([&](World& x) { x.set_rate(net.a, 5); }));
  });
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"disconnected", ms(51)}}));
}

// --- pushes --------------------------------------------------------------------------------------

Task<void> push_three(Service service) {
  const Message first = co_await service.receive();
  service.reply(first, "subscribed");
  for (int i = 1; i <= 3; ++i) {
    co_await service.host().sleep(ms(10));
    service.push(first.connection, "news " + std::to_string(i));
  }
  service.close(first.connection);
}
struct Publisher final : Program {
  void boot(World& w, NodeId n) override { w.start(n, "main", push_three(Service(w, n))); }
};
Task<void> subscriber(Host host, RpcChannel* channel, std::vector<std::string>* out) {
  Event pushed(host, "news");
  channel->set_push_event(&pushed);
  const auto answer = co_await Ask(*channel, "subscribe");
  out->push_back(testing::text_of(answer));
  while (channel->connected()) {
    co_await pushed.wait();
    while (!channel->pushes().empty()) {
      const Message m = channel->pushes().pop();
      out->push_back(std::string(m.body.view()));
    }
  }
  out->push_back("closed");
  channel->set_push_event(nullptr);
}

TEST(Push, ReachesTheClientUntilTheConnectionCloses) {
  Lab lab;
  Publisher publisher;
  const NodeId server = lab.world.add_node("server"), n = lab.world.add_node("n");
  lab.world.install(server, publisher);
  RpcChannel& channel = lab.world.open_channel(n, server, {});
  std::vector<std::string> out;
  lab.world.start(n, "main", subscriber(lab.world.host(n), &channel, &out));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(out, (std::vector<std::string>{"subscribed", "news 1", "news 2", "news 3", "closed"}));
  lab.world.reset(0);
}

}  // namespace
}  // namespace picklock
