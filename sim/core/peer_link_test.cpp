// The connection between two servers at one of its ends, and bytes that are held back.

#include "sim/core/peer_link.hpp"

#include <gtest/gtest.h>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace {

using testing::Lab;
using testing::ms;

// Tells what it receives on a link that it opens at boot, or accepts with the first message.
class Peer final : public Program {
 public:
  NodeId other = 0;  // 0: accepts
  PeerLink link;
  std::vector<std::string> heard;
  std::vector<std::uint64_t> calls;
  std::optional<Service> service;

  void boot(World& w, NodeId n) override {
    service.emplace(w, n);
    link.forget();
    if (other != 0) link.open(*service, other);
    w.tasks.start(n, "main", run(*service, this));
  }

 private:
  static Task<void> run(Service service, Peer* self) {
    for (;;) {
      const Message message = co_await service.receive();
      if (self->link.is_closed() && message.kind == SegmentKind::data) self->link.accept(message.connection);
      if (!self->link.is_of(message)) {
        self->heard.push_back("a stranger");
        continue;
      }
      self->link.hear(message);
      if (message.kind == SegmentKind::data) self->heard.emplace_back(message.body.view());
      if (message.kind == SegmentKind::data) self->calls.push_back(message.call);
    }
  }
};

struct TwoPeers : Lab {
  Peer a, b;
  NodeId node_a, node_b;
  TwoPeers() {
    node_a = world.nodes.add("a");
    node_b = world.nodes.add("b");
    a.other = node_b;
    world.install(node_b, b);
    world.install(node_a, a);
  }
  ~TwoPeers() { world.reset(0); }
};

TEST(PeerLink, SendsNothingUntilItIsOpen) {
  TwoPeers two;
  EXPECT_EQ(two.a.link.state(), PeerLink::State::opening);
  EXPECT_FALSE(two.a.link.send(*two.a.service, "too early"));
  two.run();
  EXPECT_TRUE(two.a.link.is_open());
  EXPECT_TRUE(two.a.link.send(*two.a.service, "hello", 7));
  two.run();
  EXPECT_EQ(two.b.heard, (std::vector<std::string>{"hello"}));
  EXPECT_EQ(two.b.calls, (std::vector<std::uint64_t>{7}));
}

TEST(PeerLink, CarriesBytesBothWays) {
  TwoPeers two;
  two.run();
  ASSERT_TRUE(two.a.link.send(*two.a.service, "ping"));
  two.run();
  ASSERT_TRUE(two.b.link.is_open());
  EXPECT_TRUE(two.b.link.send(*two.b.service, "pong"));
  two.run();
  EXPECT_EQ(two.a.heard, (std::vector<std::string>{"pong"}));
}

TEST(PeerLink, ClosesAtBothEnds) {
  TwoPeers two;
  two.run();
  ASSERT_TRUE(two.a.link.send(*two.a.service, "ping"));
  two.run();
  two.a.link.close(*two.a.service);
  EXPECT_TRUE(two.a.link.is_closed());
  two.run();
  EXPECT_TRUE(two.b.link.is_closed());
  two.b.link.close(*two.b.service);  // no effect
  EXPECT_FALSE(two.b.link.send(*two.b.service, "pong"));
}

TEST(PeerLink, ClosesWhenTheOtherProcessDies) {
  TwoPeers two;
  two.run();
  two.world.faults.kill(two.node_b);
  two.run();
  EXPECT_TRUE(two.a.link.is_closed());
}

TEST(PeerLink, IsRefusedByADeadProcess) {
  TwoPeers two;
  two.world.faults.kill(two.node_b);
  two.run();
  EXPECT_TRUE(two.a.link.is_closed());
}

TEST(PeerLink, KnowsItsMessagesByConnectionAndEnd) {
  TwoPeers two;
  Message m;
  m.connection = two.a.link.connection();
  m.direction = 1;
  EXPECT_TRUE(two.a.link.is_of(m));
  m.direction = 0;  // its own end sent it
  EXPECT_FALSE(two.a.link.is_of(m));
  m.direction = 1;
  m.connection = kNoConnection;
  EXPECT_FALSE(two.a.link.is_of(m));
  two.a.link.forget();
  EXPECT_FALSE(two.a.link.is_of(m));  // a closed link has no messages
}

TEST(PeerLink, IsFoundInATableByItsMessage) {
  struct Entry {
    int id;
    PeerLink link;
  };
  std::vector<Entry> table{{1, {}}, {2, {}}, {3, {}}};
  table[1].link.accept(40);
  table[2].link.accept(50);
  Message m;
  m.connection = 50;
  ASSERT_NE(link_of(table, m), table.end());
  EXPECT_EQ(link_of(table, m)->id, 3);
  m.connection = 60;
  EXPECT_EQ(link_of(table, m), table.end());
}

// --- bytes that are held back

Task<void> send_two_operations(Host, World* world, Outbox* outbox, ConnectionId connection) {
  world->tasks.begin_operation(1, 0);
  outbox->send({connection, 0}, "first", 11);
  world->tasks.begin_operation(2, 0);
  outbox->send({connection, 0}, "second", 12);
  co_return;
}

TEST(Outbox, SendsAtOnceUnlessItHolds) {
  TwoPeers two;
  two.run();
  Outbox outbox(two.world);
  outbox.send(two.a.link.end(), "now");
  outbox.hold(true);
  outbox.send(two.a.link.end(), "later");
  two.run();
  EXPECT_EQ(two.b.heard, (std::vector<std::string>{"now"}));
  outbox.release();
  two.run();
  EXPECT_EQ(two.b.heard, (std::vector<std::string>{"now", "later"}));
  outbox.release();  // nothing is sent twice
  two.run();
  EXPECT_EQ(two.b.heard.size(), 2u);
}

TEST(Outbox, NamesDrawsAfterTheOperationThatSent) {
  const auto latencies = [](bool hold) {
    TwoPeers two;
    two.run();
    two.world.draws.log(true);
    Outbox outbox(two.world);
    outbox.hold(hold);
    two.world.tasks.start(
        two.node_a, "sender",
        send_two_operations(two.world.host(two.node_a), &two.world, &outbox, two.a.link.connection()));
    two.run();
    outbox.release();
    two.run();
    EXPECT_EQ(two.b.calls, (std::vector<std::uint64_t>{11, 12}));
    std::vector<std::string> names;
    for (const DrawRecord& r : two.world.draws.logged()) names.push_back(two.world.tasks.draw_name(r));
    return names;
  };
  EXPECT_FALSE(latencies(false).empty());
  EXPECT_EQ(latencies(true), latencies(false));
}

}  // namespace
}  // namespace picklock
