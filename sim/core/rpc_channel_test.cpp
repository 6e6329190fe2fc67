// A client's side of its connections: opening, timeouts, late answers, pushes.

#include "sim/core/rpc_channel.hpp"

#include <gtest/gtest.h>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace {

using testing::Ask;
using testing::EchoServer;
using testing::Lab;
using testing::ms;
using testing::Seen;
using testing::Trio;
using testing::us;

// --- connecting ----------------------------------------------------------------------------------

TEST(Connecting, TakesARoundTripOnDemand) {
  Trio net({.connected_at_start = false});
  net.call_a(2);
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"ok 1", ms(4)}, {"ok 2", ms(16)}}));
  EXPECT_EQ(net.from_a->connections_opened(), 1u);
}

TEST(Connecting, IsRefusedWhereNobodyListens) {
  Trio net({.connected_at_start = false});
  net.world.faults.kill(net.server);
  net.call_a(1);
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"not connected", ms(2)}}));
}

TEST(Connecting, TimesOutAndLeavesNothingBehind) {
  Trio net({.connect_timeout = seconds(4), .connected_at_start = false});
  const auto cut = net.rule({net.a}, {net.server}, Fate::drop);
  net.call_a(1);
  net.at(seconds(5), [=](World& w) { w.network.uninstall(cut); });
  net.world.trace.record_fully(true);
  EXPECT_EQ(net.run(), RunEnd::quiescent);
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"not connected", seconds(4)}}));
  EXPECT_EQ(net.times_of(trace::segment_lost), (std::vector<Duration>{{}, seconds(1), seconds(3)}));
  EXPECT_TRUE(net.echo.news.empty());  // its SYN is not sent again

  std::vector<std::uint32_t> opened;  // the next connection takes its place
  net.world.trace.record_fully(true);
  net.call_a(1);
  net.run();
  for (const TraceRecord& r : net.world.trace.full()) {
    if (r.kind == trace::connection_opened) opened.push_back(r.a & 0xffff);
  }
  EXPECT_EQ(opened, (std::vector<std::uint32_t>{0, 0}));
}

TEST(Connecting, OneThatGivesUpLeavesTheOthersWaiting) {
  Trio net({.connect_timeout = ms(10), .connected_at_start = false});
  net.world.network.set_latency(Law::constant(ms(7)));
  for (const std::int64_t t : {0, 7}) {
    net.at(ms(t), [&, t](World&) { net.ask_from_a(std::to_string(t)); });
  }
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"not connected", ms(10)}, {"ok 7", ms(28)}}));
}

TEST(Connecting, ASynIsRetransmittedAfterASecond) {
  Trio net({.connect_timeout = seconds(4), .connected_at_start = false});
  const auto cut = net.rule({net.a}, {net.server}, Fate::drop);
  net.at(ms(10), [=](World& w) { w.network.uninstall(cut); });
  net.call_a(1);
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"ok 1", seconds(1) + ms(4)}}));
}

TEST(Connecting, SeveralRequestsShareOneConnection) {
  Trio net({.connected_at_start = false});
  for (int i = 0; i < 5; ++i) {
    net.ask_from_a(std::to_string(i));
  }
  net.run();
  EXPECT_EQ(net.echo.requests(), (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(net.from_a->connections_opened(), 1u);
}

TEST(Connecting, AnOpeningThatIsAnsweredTooLateIsReset) {
  Trio net({.connect_timeout = ms(10), .connected_at_start = false});
  net.world.network.set_latency(net.server, net.a, Law::constant(ms(100)));
  net.call_a(1);
  EXPECT_EQ(net.run(), RunEnd::quiescent);
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"not connected", ms(10)}}));
  EXPECT_EQ(net.echo.news, std::vector<SegmentKind>{SegmentKind::reset});
}

// --- timeouts and late answers -------------------------------------------------------------------

TEST(Timeout, BreaksTheConnectionAndItsLateAnswerReachesNobody) {
  Trio net;
  net.world.nodes.set_cpu_cost(net.server, Law::constant(ms(1500)));
  net.at(ms(1600), [&](World& w) { w.nodes.set_cpu_cost(net.server, Law()); });
  net.call_a(3);
  net.run();
  EXPECT_EQ(net.seen_a[0], (Seen{"timed out", seconds(1)}));
  EXPECT_EQ(net.seen_a[1].what, "timed out");  // it stood in line behind the first: 1.5 s + 1.5 s
  EXPECT_EQ(net.seen_a[2].what, "ok 3");
  EXPECT_EQ(net.echo.requests(), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(net.from_a->connections_opened(), 3u);
}

TEST(Timeout, MayLeaveTheConnectionOpen) {
  Trio net({.request_timeout = ms(100), .timeout_breaks_connection = false});
  net.world.nodes.set_cpu_cost(net.server, Law::constant(ms(90)));
  net.at(ms(95), [&](World& w) { w.nodes.set_cpu_cost(net.server, Law::constant(ms(150))); });
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
  Trio net;
  net.rule({net.server}, {net.a}, Fate::drop);
  for (int i = 0; i < 3; ++i) {
    net.at(ms(10 * i), [&, i](World&) { net.ask_from_a(std::to_string(i)); });
  }
  net.run_until(seconds(10));
  EXPECT_EQ(net.seen_a,
            (std::vector<Seen>{{"timed out", seconds(1)}, {"disconnected", seconds(1)}, {"disconnected", seconds(1)}}));
}

// The zombie: the server was stopped, the client gave up, closed and went on; the server, continued,
// still reads and executes what lies in its buffer.
TEST(Timeout, AStoppedServerExecutesTheRequestOfAClientThatHasGone) {
  Trio net;
  net.pause(net.server, us(10), seconds(3));
  net.call_a(1);
  net.run();
  EXPECT_EQ(net.seen_a, (std::vector<Seen>{{"timed out", seconds(1)}}));
  EXPECT_EQ(net.echo.executed, (std::vector<EchoServer::Executed>{{"1", us(10) + seconds(3)}}));
  EXPECT_EQ(net.echo.news, std::vector<SegmentKind>{SegmentKind::close});
}

TEST(Timeout, AZombieAndItsSuccessorsAreExecutedInOrder) {
  Trio net({.request_timeout = ms(100)});
  net.pause(net.server, us(10), seconds(1));
  net.call_a(20);
  net.run();
  const auto executed = net.echo.requests();
  ASSERT_EQ(executed.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(executed[i], std::to_string(i + 1));
}

// A request that has ended goes on at that instant, whatever its clock does then.
TEST(Timeout, IsOverOnceTheRequestHasEnded) {
  Trio net;
  net.world.nodes.set_cpu_cost(net.server, Law::constant(ms(100)));
  net.call_a(1);
  net.at(ms(50), [&](World& w) { w.faults.kill(net.server); });
  net.at(us(50'500), [&](World& w) {  // an instant between the news and its waiting receiver
    w.actions.at(testing::true_at(ms(51)), net.action([&](World& x) { x.faults.set_rate(net.a, 5); }));
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
  void boot(World& w, NodeId n) override { w.tasks.start(n, "main", push_three(Service(w, n))); }
};
Task<void> subscriber(Host host, RpcChannel* channel, std::vector<std::string>* out) {
  Event pushed(host, "news");
  channel->notify_pushes(&pushed);
  const auto answer = co_await Ask(*channel, "subscribe");
  out->push_back(testing::text_of(answer));
  while (channel->connected()) {
    co_await pushed.wait();
    for (Payload push; channel->take_push(push);) out->push_back(std::string(push.view()));
  }
  out->push_back("closed");
  channel->notify_pushes(nullptr);
}

TEST(Push, ReachesTheClientUntilTheConnectionCloses) {
  Lab lab;
  Publisher publisher;
  const NodeId server = lab.world.nodes.add("server"), n = lab.world.nodes.add("n");
  lab.world.install(server, publisher);
  RpcChannel& channel = lab.world.channels.open(n, server, {});
  std::vector<std::string> out;
  lab.world.tasks.start(n, "main", subscriber(lab.world.host(n), &channel, &out));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(out, (std::vector<std::string>{"subscribed", "news 1", "news 2", "news 3", "closed"}));
  lab.world.reset(0);
}

}  // namespace
}  // namespace picklock
