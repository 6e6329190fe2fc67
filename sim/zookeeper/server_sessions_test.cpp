// Requests that reach a server on the wrong connection or too late, and votes after a reboot.

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "sim/core/world_lab.hpp"
#include "sim/zookeeper/server.hpp"

namespace picklock {
namespace {

using testing::ms;
using Texts = std::vector<std::string>;

// Speaks the protocol itself, as the test says; what it hears waits in its inbox.
struct Mute final : Program {
  void boot(World&, NodeId) override {}
};

struct RawEnsemble : testing::Lab {
  ZooJudge judge;
  std::deque<ZooServer> servers;
  std::vector<NodeId> nodes;
  Mute program;
  NodeId client = 0;
  std::int32_t xid = 0;

  explicit RawEnsemble(std::uint64_t seed = 1) : Lab(seed) {
    ZooServerSetup setup;
    setup.judge = &judge;
    for (const char* name : {"zk1", "zk2", "zk3"}) nodes.push_back(world.nodes.add(name));
    setup.servers = nodes;
    for (const NodeId n : nodes) {
      servers.emplace_back().set_up(setup);
      world.install(n, servers.back());
    }
    client = world.nodes.add("c");
    world.install(client, program);
    run_until(seconds(3));
  }
  ~RawEnsemble() { world.reset(0); }

  Duration now() const { return Duration{world.now().ns}; }
  void pass(Duration d) { run_until(now() + d); }
  std::size_t leader() const {
    for (std::size_t i = 0; i < servers.size(); ++i) {
      if (world.nodes.alive(nodes[i]) && servers[i].leads()) return i;
    }
    return servers.size();
  }
  void isolate(std::size_t one) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i == one) continue;
      rule({nodes[one]}, {nodes[i]}, Fate::drop);
      rule({nodes[i]}, {nodes[one]}, Fate::drop);
    }
  }

  void send(ConnectionId c, ZooRequest r) {
    r.xid = ++xid;
    const auto n = static_cast<std::uint32_t>(xid);
    world.network.send(c, 0, Payload::of(world.tasks.arena(), std::move(r)), 0, Operation{}, n);
  }
  void send(ConnectionId c, ZooOp op, std::string path = "/x") {
    ZooRequest r;
    r.op = op;
    r.path = std::move(path);
    send(c, std::move(r));
  }
  // A connection to this server with a session, a new one if `greeting` has none; that holds it afterwards.
  ConnectionId attach(std::size_t server, ZooRequest& greeting) {
    const ConnectionId c = world.network.open(client, nodes[server], Operation{}, static_cast<std::uint32_t>(++xid));
    pass(ms(10));
    greeting.op = ZooOp::connect;
    send(c, greeting);
    pass(ms(50));
    while (!world.nodes.inbox(client).empty()) {
      const Message m = world.nodes.inbox(client).pop();
      const auto* const reply = m.body.get<ZooReply>();
      if (m.kind != SegmentKind::data || m.connection != c || reply == nullptr) continue;
      greeting.session = reply->session;
      greeting.password = reply->password;
    }
    return c;
  }
  // Messages on this connection since the last look at any.
  Texts heard(ConnectionId c) {
    Texts all;
    while (!world.nodes.inbox(client).empty()) {
      const Message m = world.nodes.inbox(client).pop();
      if (m.connection != c) continue;
      const auto* const reply = m.kind == SegmentKind::data ? m.body.get<ZooReply>() : nullptr;
      all.emplace_back(reply != nullptr ? to_string(reply->code) : "closed");
    }
    return all;
  }
};

// FinalRequestProcessor: sendCloseSession, and no answer.
TEST(ZooServers, CloseTheConnectionThatASessionHasLeft) {
  RawEnsemble e;
  const std::size_t l = e.leader(), f = (l + 1) % 3;
  ZooRequest greeting;
  greeting.timeout_ms = 10'000;
  const ConnectionId old = e.attach(f, greeting);
  ASSERT_NE(greeting.session, 0);
  const ConnectionId other = e.attach(l, greeting);
  e.send(old, ZooOp::set_data);
  e.pass(ms(50));
  EXPECT_EQ(e.heard(old), (Texts{"closed"}));
  e.send(other, ZooOp::set_data);
  e.pass(ms(50));
  EXPECT_EQ(e.heard(other), (Texts{"NoNode"}));
  EXPECT_TRUE(e.judge.content());
}

TEST(ZooServers, CloseAConnectionOnWhichComesNoRequest) {
  RawEnsemble e;
  ZooRequest one, other;
  one.timeout_ms = other.timeout_ms = 10'000;
  const ConnectionId good = e.attach(e.leader(), one), bad = e.attach(e.leader(), other);
  e.world.network.send(bad, 0, Payload(e.world.tasks.arena(), "ping"), 0, Operation{}, 1'000);
  e.pass(ms(50));
  EXPECT_EQ(e.heard(bad), Texts{"closed"});
  e.send(good, ZooOp::exists, "/x");
  e.pass(ms(50));
  EXPECT_EQ(e.heard(good), Texts{"NoNode"});
}

// PrepRequestProcessor checks all that its own clients ask a leader; a follower reads without asking its leader.
TEST(ZooServers, ALeaderChecksReadsToo) {
  for (const ZooOp op :
       {ZooOp::exists, ZooOp::get_data, ZooOp::get_children, ZooOp::sync, ZooOp::ping, ZooOp::set_watches}) {
    RawEnsemble e;
    const std::size_t l = e.leader(), f = (l + 1) % 3;
    ZooRequest greeting;
    greeting.timeout_ms = 10'000;
    const ConnectionId at_leader = e.attach(l, greeting);
    const ConnectionId at_follower = e.attach(f, greeting);
    const ConnectionId at_other = e.attach((l + 2) % 3, greeting);
    e.send(at_leader, op, "/");
    e.pass(ms(50));
    EXPECT_EQ(e.heard(at_leader), (Texts{"closed"})) << to_string(op);
    if (op == ZooOp::sync) continue;  // the server passes sync on
    e.send(at_follower, op, "/");
    e.pass(ms(50));
    EXPECT_EQ(e.heard(at_follower), (Texts{"OK"})) << to_string(op);
    e.send(at_other, op, "/");
    e.pass(ms(50));
    EXPECT_EQ(e.heard(at_other), (Texts{"OK"})) << to_string(op);
  }
}

// It cannot end the session without a quorum, and leaves its requests unanswered meanwhile (MissingSessionException).
TEST(ZooServers, AnIsolatedLeaderIsSilentToASessionThatIsEnding) {
  RawEnsemble e;
  const std::size_t l = e.leader();
  ZooRequest late, awake;
  late.timeout_ms = 4'000;
  awake.timeout_ms = 20'000;
  const ConnectionId silent = e.attach(l, late), busy = e.attach(l, awake);
  e.isolate(l);
  e.pass(seconds(3));
  e.send(silent, ZooOp::get_data, "/");
  e.pass(ms(50));
  EXPECT_EQ(e.heard(silent), (Texts{"OK"})) << "in time";
  e.pass(ms(6100));  // T and a tick
  ASSERT_TRUE(e.servers[l].leads());
  for (const ZooOp op : {ZooOp::get_data, ZooOp::ping, ZooOp::set_data}) e.send(silent, op, "/");
  e.pass(ms(50));
  EXPECT_EQ(e.heard(silent), Texts{});
  e.send(busy, ZooOp::get_data, "/");
  e.pass(ms(50));
  EXPECT_EQ(e.heard(busy), (Texts{"OK"}));
  e.pass(seconds(6));
  EXPECT_FALSE(e.servers[l].serves());
  EXPECT_EQ(e.heard(silent), (Texts{"closed"}));
}

// QuorumCnxManager.handleConnection ends the old connection to the server that connects: otherwise its votes are
// answered on one that is dead, and only that one's TCP would find out, after up to 25 s.
TEST(ZooServers, ARebootedLeaderIsHeardAtOnce) {
  Duration longest{};
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RawEnsemble e(seed);
    const std::size_t old = e.leader();
    e.world.faults.lose_power(e.nodes[old]);
    e.pass(seconds(15) + ms(static_cast<std::int64_t>(seed) * 997));
    ASSERT_LT(e.leader(), 3u) << seed;
    e.world.faults.restart(e.nodes[old]);
    const Duration rebooted = e.now();
    while (!e.servers[old].serves() && e.now() < rebooted + seconds(60)) e.pass(ms(10));
    longest = std::max(longest, e.now() - rebooted);
    EXPECT_EQ(e.judge.zab().epochs(), 2u) << seed;
    EXPECT_TRUE(e.judge.content()) << seed;
  }
  EXPECT_LE(longest, ms(500)) << "200 ms are the finalize wait";
}

// Any of them, also the one with the smallest sid, which never keeps a connection that it opened.
TEST(ZooServers, ARebootedFollowerIsHeardAtOnce) {
  for (std::size_t down = 0; down < 3; ++down) {
    RawEnsemble e;
    if (e.leader() == down) continue;
    e.world.faults.lose_power(e.nodes[down]);
    e.pass(seconds(20));
    e.world.faults.restart(e.nodes[down]);
    e.pass(ms(500));
    EXPECT_TRUE(e.servers[down].serves()) << down;
    EXPECT_EQ(e.judge.zab().epochs(), 1u);
  }
}

}  // namespace
}  // namespace picklock
