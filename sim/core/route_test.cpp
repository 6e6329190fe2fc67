// A channel that follows a route: connecting where the route says, greeting, and the three verdicts on a reply.
#include <gtest/gtest.h>

#include <memory>

#include "sim/core/greeting.hpp"
#include "sim/core/world_lab.hpp"

namespace picklock {
namespace {

using testing::Ask;
using testing::caller;
using testing::EchoServer;
using testing::Lab;
using testing::ms;
using testing::Seen;

// Goes to the servers in turn; what is to be said of a reply is looked up by its text.
class Scripted final : public Route {
 public:
  explicit Scripted(std::vector<NodeId> servers) : servers_(std::move(servers)) {}
  void wanted(RpcChannel& c) override {
    ++searches;
    c.connect_to(servers_[next_++ % servers_.size()]);
  }
  void opened(RpcChannel& c) override {
    if (refuses-- > 0) return c.drop();
    c.admit();
  }
  void lost(RpcChannel& c) override {
    ++losses;
    if (c.seeking()) wanted(c);
  }
  Reaction heard(const Payload& reply) override {
    if (reactions.empty()) return Reaction::deliver;
    heard_.push_back(reply.bytes());
    const Reaction v = reactions.front();
    reactions.erase(reactions.begin());
    return v;
  }
  std::vector<Reaction> reactions;  // reactions to the next replies
  int refuses = 0;                  // number of connections that are dropped when they are open
  int searches = 0, losses = 0;
  std::vector<std::string> heard_;

 private:
  std::vector<NodeId> servers_;
  std::size_t next_ = 0;
};

struct TwoServers : Lab {
  EchoServer echo[2];
  NodeId server[2], n;
  RpcChannel* channel;
  std::unique_ptr<Scripted> route;
  std::vector<Seen> seen;
  explicit TwoServers(const ChannelOptions& options = {.connected_at_start = false}) {
    for (int i = 0; i < 2; ++i) {
      server[i] = world.nodes.add("server" + std::to_string(i));
      world.install(server[i], echo[i]);
    }
    n = world.nodes.add("n");
    channel = &world.channels.open(n, server[0], options);
    route = std::make_unique<Scripted>(std::vector<NodeId>{server[0], server[1]});
    channel->follow(*route);
  }
  ~TwoServers() { world.reset(0); }
  void call(int requests) { world.tasks.start(n, "main", caller(world.host(n), &world, channel, requests, &seen)); }
};

TEST(Routes, ARequestWaitsUntilTheRouteAdmitsIt) {
  TwoServers net;
  net.route->refuses = 1;
  net.call(2);
  net.run();
  // 2 ms to open, dropped at once, 2 ms to open the other, 2 ms for the answer.
  EXPECT_EQ(net.seen, (std::vector<Seen>{{"ok 1", ms(6)}, {"ok 2", ms(18)}}));
  EXPECT_EQ(net.channel->server(), net.server[1]);
  EXPECT_TRUE(net.echo[0].requests().empty());
  EXPECT_EQ(net.route->searches, 2);
}

TEST(Routes, DeliverKeepsTheConnection) {
  TwoServers net;
  net.call(3);
  net.run();
  EXPECT_EQ(net.seen.size(), 3u);
  EXPECT_EQ(net.route->searches, 1);
  EXPECT_EQ(net.echo[0].requests(), (std::vector<std::string>{"1", "2", "3"}));
}

TEST(Routes, LeaveDeliversTheReplyAndTheNextRequestGoesElsewhere) {
  TwoServers net;
  net.route->reactions = {Route::Reaction::leave};
  net.call(2);
  net.run();
  EXPECT_EQ(net.seen, (std::vector<Seen>{{"ok 1", ms(4)}, {"ok 2", ms(18)}}));
  EXPECT_EQ(net.echo[0].requests(), (std::vector<std::string>{"1"}));
  EXPECT_EQ(net.echo[1].requests(), (std::vector<std::string>{"2"}));
}

// The same request, once more, to another server; its user sees one answer, the last.
TEST(Routes, AgainSendsTheVeryRequestElsewhere) {
  TwoServers net;
  net.route->reactions = {Route::Reaction::again, Route::Reaction::again, Route::Reaction::deliver};
  net.call(1);
  net.run();
  EXPECT_EQ(net.seen, (std::vector<Seen>{{"ok 1", ms(12)}}));
  EXPECT_EQ(net.echo[0].requests(), (std::vector<std::string>{"1", "1"}));
  EXPECT_EQ(net.echo[1].requests(), (std::vector<std::string>{"1"}));
  EXPECT_EQ(net.route->searches, 3);
}

// Other calls on the connection that is left end as disconnected: they may have been executed.
TEST(Routes, AgainEndsWhatElseWasUnderWay) {
  TwoServers net;
  net.call(1);
  net.run();
  net.seen.clear();
  net.route->reactions = {Route::Reaction::again};
  const auto one = [&net](const std::string& text) {
    struct One {
      static Task<void> run(Host host, World* world, RpcChannel* channel, std::string text, std::vector<Seen>* seen) {
        const auto answer = co_await Ask(*channel, text);
        seen->push_back({testing::text_of(answer) + " to " + text, world->now() - TrueTime{}});
        co_await host.sleep(ms(1));
      }
    };
    net.world.tasks.start(net.n, "t" + text, One::run(net.world.host(net.n), &net.world, net.channel, text, &net.seen));
  };
  one("a");
  one("b");
  net.run();
  ASSERT_EQ(net.seen.size(), 2u);
  EXPECT_EQ(net.seen[0].what, "disconnected to b");
  EXPECT_EQ(net.seen[1].what, "ok a to a");
  EXPECT_EQ(net.echo[0].requests(), (std::vector<std::string>{"1", "a", "b"}));
}

// The time for connecting begins anew with each attempt; without a server it ends as not connected.
TEST(Routes, AgainToADeadServerEndsAsNotConnected) {
  TwoServers net({.connect_timeout = ms(50), .connected_at_start = false});
  net.route->reactions = {Route::Reaction::again};
  net.rule({net.n}, {net.server[1]}, Fate::drop);
  net.call(1);
  net.run();
  EXPECT_EQ(net.seen, (std::vector<Seen>{{"not connected", ms(54)}}));
  EXPECT_EQ(net.echo[0].requests(), (std::vector<std::string>{"1"})) << "by its own word not executed";
}

TEST(Routes, ALostConnectionIsSoughtAgainByTheNextRequest) {
  TwoServers net;
  net.at(ms(5), [&](World& w) { w.faults.kill(net.server[0]); });
  net.call(2);
  net.run();
  EXPECT_EQ(net.seen, (std::vector<Seen>{{"ok 1", ms(4)}, {"ok 2", ms(18)}}));
  EXPECT_EQ(net.echo[1].requests(), (std::vector<std::string>{"2"}));
}

}  // namespace
}  // namespace picklock
