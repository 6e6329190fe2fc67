#include "sim/etcd/member.hpp"

#include <gtest/gtest.h>

#include "sim/etcd/cluster_lab.hpp"

namespace picklock {
namespace member_test {

using testing::EtcdCluster;
using testing::EtcdClusterOptions;

constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

// Answers that clients saw, line by line, each with its time in ms of true time.
struct Notes {
  World* world;
  std::vector<std::string> lines;
  void add(const std::string& line) { lines.push_back(std::to_string((world->now() - TrueTime{}).ms()) + " " + line); }
  bool has(std::string_view part) const {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& l) { return l.find(part) != l.npos; });
  }
};

template <class Reply>
std::string show(const Outcome<Reply>& outcome) {
  if (outcome.yes()) return "yes";
  return (outcome.unknown() ? "unknown: " : "no: ") + outcome.error();
}

Task<void> put(Host, Etcd* etcd, Notes* notes, std::string key, std::string value, EtcdLeaseId lease) {
  EtcdPut request(key, value, lease);
  const auto done = co_await etcd->put(request);
  notes->add("put " + key + "=" + value + " " + show(done));
}

Task<void> get(Host, Etcd* etcd, Notes* notes, std::string key, bool serializable) {
  EtcdRange request(key);
  request.serializable = serializable;
  const auto read = co_await etcd->range(request);
  std::string value = "-";
  if (read.yes() && !read.value().kvs.empty()) value = read.value().kvs[0].value;
  notes->add(std::string(serializable ? "see " : "get ") + key + "=" + value + " " + show(read));
}

struct ClusterTest : ::testing::Test {
  EtcdCluster c;
  Notes notes{&c.world, {}};
  void begin(const EtcdClusterOptions& o, std::uint64_t seed = 1) {
    c.begin(o, seed);
    notes.lines.clear();
  }
  void put_at(Duration when, std::string key, std::string value, std::size_t client = 0, EtcdLeaseId lease = 0) {
    c.at(when, [this, key, value, client, lease](World& w) {
      w.tasks.start(c.client_node[client], "put",
                    put(w.host(c.client_node[client]), c.clients[client].get(), &notes, key, value, lease));
    });
  }
  void get_at(Duration when, std::string key, std::size_t client = 0, bool serializable = false) {
    c.at(when, [this, key, client, serializable](World& w) {
      w.tasks.start(c.client_node[client], "get",
                    get(w.host(c.client_node[client]), c.clients[client].get(), &notes, key, serializable));
    });
  }
  ~ClusterTest() override {
    EXPECT_EQ(c.invariants.broken(), "");
    c.end();
  }
};

// Sends a text, which is no request, or a whole one.
class Raw : public ExchangeAwaiter {
 public:
  Raw(Channel& channel, bool is_request) : ExchangeAwaiter(channel, mark::none) {
    exchange_.request = is_request ? Payload::of(arena(), EtcdTimedRequest{EtcdPing{}}) : Payload(arena(), "ping");
  }
  void await_suspend(std::coroutine_handle<> me) { send(me); }
  std::string await_resume() {
    const auto* const reply = exchange_.reply.get<EtcdReply>();
    return reply == nullptr ? "no reply" : std::string(to_string(reply->error));
  }
};

Task<void> ask_raw(Host, Channel* channel, Notes* notes) {
  for (const bool is_request : {true, false}) {
    const std::string answer = co_await Raw(*channel, is_request);
    notes->lines.push_back(answer);
  }
}

TEST_F(ClusterTest, AMemberRefusesWhatIsNoRequest) {
  begin({});
  c.at(seconds(3), [this](World& w) {
    RpcChannel& channel = w.channels.open(c.client_node[0], c.member_node[0], {});
    w.tasks.start(c.client_node[0], "raw", ask_raw(w.host(c.client_node[0]), &channel, &notes));
  });
  c.run_until(seconds(4));
  EXPECT_EQ(notes.lines, (std::vector<std::string>{"", "malformed"}));
}

TEST_F(ClusterTest, ElectsALeaderAndServes) {
  begin({});
  put_at(seconds(3), "k", "1");
  get_at(seconds(4), "k");
  c.run_until(seconds(5));
  EXPECT_LT(c.leader(), 3u);
  ASSERT_EQ(notes.lines.size(), 2u);
  EXPECT_TRUE(notes.has("put k=1 yes")) << notes.lines[0];
  EXPECT_TRUE(notes.has("get k=1 yes")) << notes.lines[1];
  for (const auto& m : c.members) EXPECT_EQ(m->state().store().revision(), 2);
}

TEST_F(ClusterTest, EveryMemberTakesWritesAndReads) {
  begin({.clients = 3, .pinned = true});
  for (std::size_t i = 0; i < 3; ++i) {
    put_at(seconds(3) + ms(100) * static_cast<std::int64_t>(i), "k" + std::to_string(i), "v", i);
    get_at(seconds(4), "k" + std::to_string((i + 1) % 3), i);
  }
  c.run_until(seconds(5));
  ASSERT_EQ(notes.lines.size(), 6u);
  for (const std::string& line : notes.lines) EXPECT_NE(line.find("=v yes"), line.npos) << line;
}

TEST_F(ClusterTest, AMinorityServesOnlySerializableReads) {
  begin({.clients = 3, .pinned = true});
  put_at(seconds(3), "k", "old");
  c.at(seconds(4), [this](World&) {
    const std::size_t l = c.leader();
    c.cut({c.member_node[l], c.client_node[l]});
  });
  c.at(seconds(7), [this](World&) {
    const std::size_t l = c.leader();
    for (std::size_t i = 0; i < 3; ++i) {
      if (i == l) put_at(seconds(7), "k", "new", i);
      get_at(seconds(8), "k", i);
      get_at(seconds(8), "k", i, true);
    }
  });
  c.run_until(seconds(20));
  ASSERT_EQ(notes.lines.size(), 8u);
  EXPECT_TRUE(notes.has("put k=new yes"));
  const auto count = [this](std::string_view what) {
    return std::count_if(notes.lines.begin(), notes.lines.end(),
                         [&](const std::string& l) { return l.find(what) != l.npos; });
  };
  EXPECT_EQ(count("get k=new yes"), 2);
  EXPECT_EQ(count("see k=new yes"), 2);
  EXPECT_EQ(count("see k=old yes"), 1) << "a serializable read may be stale";
  EXPECT_EQ(count("get k=- unknown") + count("get k=- no"), 1);
}

// raft/node.go: a proposal waits until there is a leader, or its context has ended.
TEST_F(ClusterTest, WhatNoLeaderTookInTimeIsNotProposedLater) {
  for (const bool in_time : {true, false}) {
    begin({});
    std::size_t left = 0;
    c.at(seconds(4), [&](World& w) {
      left = c.follower();
      for (std::size_t i = 0; i < 3; ++i) {
        if (i != left) w.faults.kill(c.member_node[i]);
      }
    });
    put_at(seconds(8), "k", "v");
    c.at(seconds(in_time ? 12 : 16), [&](World& w) {
      for (std::size_t i = 0; i < 3; ++i) {
        if (i != left) w.faults.restart(c.member_node[i]);
      }
    });
    get_at(seconds(22), "k");
    c.run_until(seconds(24));
    EXPECT_TRUE(notes.has(in_time ? "put k=v yes" : "put k=v unknown")) << "its client waits for five seconds";
    EXPECT_EQ(notes.has("get k=v yes"), in_time);
    EXPECT_EQ(notes.has("get k=- yes"), !in_time);
  }
}

// A judge hears of a session that asks for a lock which it has (concurrency/mutex.go).
TEST_F(ClusterTest, AKeyThatATransactionWouldHaveMadeIsFound) {
  begin({});
  EtcdLeaseId lease = 0;
  const auto ask = [](Host, Etcd* etcd, EtcdLeaseId* l, bool own) -> Task<void> {
    if (*l == 0) {
      const auto granted = co_await etcd->grant(seconds(60));
      *l = granted.value().id;
    }
    EtcdTxn txn;
    txn.compares = {etcd_absent("door/1")};
    txn.then = {EtcdPut("door/1", "", own ? *l : 0)};
    const auto done = co_await etcd->txn(txn);
    (void)done;
  };
  for (const std::int64_t s : {3, 4, 5}) {
    c.at(seconds(s), [&, s](World& w) {
      w.tasks.start(c.client_node[0], "ask", ask(w.host(c.client_node[0]), c.clients[0].get(), &lease, s < 5));
    });
  }
  c.run_until(seconds(6));
  std::vector<std::int64_t> found;
  for (const TraceRecord& r : c.world.trace.journal()) {
    if (r.kind != trace::etcd_key_found) continue;
    EXPECT_EQ(r.b, hash_of("door"));
    found.push_back(r.time / 1'000'000'000);
  }
  EXPECT_EQ(found, (std::vector<std::int64_t>{4, 4, 4})) << "by each member, and not with another lease";
}

TEST_F(ClusterTest, WhatWasAnsweredOutlivesTheLossOfPowerOfAll) {
  begin({});
  put_at(seconds(3), "k", "1");
  c.at(seconds(4), [this](World& w) {
    for (const NodeId n : c.member_node) w.faults.lose_power(n);
    for (const NodeId n : c.member_node) w.faults.restart(n);
  });
  get_at(seconds(8), "k");
  c.run_until(seconds(12));
  EXPECT_TRUE(notes.has("put k=1 yes"));
  EXPECT_TRUE(notes.has("get k=1 yes"));
}

// A dead process's writes are not yet on the platter; the next process may not vouch for them before they are.
TEST_F(ClusterTest, WhatADeadProcessHadWrittenIsSyncedBeforeTheNextAnswersForIt) {
  begin({});
  std::size_t leader = 0, follower = 0, down = 0;
  c.at(seconds(3), [&](World& w) {
    leader = c.leader(), follower = c.follower(), down = 3 - leader - follower;
    w.faults.kill(c.member_node[down]);
    w.nodes.disk(c.member_node[follower]).sync_latency = Law::constant(milliseconds(300));
  });
  put_at(seconds(4), "k", "1");
  c.at(ms(4100), [&](World& w) {  // the follower is in its sync
    EXPECT_FALSE(notes.has("put"));
    w.faults.kill(c.member_node[follower]);
    w.faults.restart(c.member_node[follower]);
  });
  c.at(seconds(8), [&](World& w) {
    EXPECT_TRUE(notes.has("put k=1 yes"));
    w.faults.kill(c.member_node[leader]);
    w.faults.lose_power(c.member_node[follower]);
    w.faults.restart(c.member_node[follower]);
    w.faults.restart(c.member_node[down]);
  });
  get_at(seconds(12), "k");
  c.run_until(seconds(16));
  EXPECT_TRUE(notes.has("get k=1 yes"));
}

TEST_F(ClusterTest, ALaggingMemberIsBroughtUpByASnapshot) {
  EtcdClusterOptions o;
  o.etcd.snapshot_count = 5;
  o.etcd.catch_up_entries = 2;
  begin(o);
  std::size_t down = 0;
  c.at(seconds(3), [&](World& w) {
    down = c.follower();
    w.faults.kill(c.member_node[down]);
  });
  for (int i = 0; i < 20; ++i) put_at(seconds(4) + ms(50) * i, "k" + std::to_string(i), "v");
  c.at(seconds(7), [&](World& w) { w.faults.restart(c.member_node[down]); });
  c.run_until(seconds(10));
  const Raft& raft = c.members[down]->raft();
  EXPECT_EQ(c.members[down]->state().store().revision(), c.members[c.leader()]->state().store().revision());
  EXPECT_GT(raft.log().first_index(), 5u);
  EXPECT_EQ(c.members[down]->state().fingerprint(), c.members[c.leader()]->state().fingerprint());
  // The same must hold with its own disk.
  c.world.faults.lose_power(c.member_node[down]);
  c.world.faults.restart(c.member_node[down]);
  c.run_until(seconds(12));
  EXPECT_EQ(c.members[down]->state().fingerprint(), c.members[c.leader()]->state().fingerprint());
}

// The client's deadline travels with the request, and its connection's end cancels what came on it.
TEST_F(ClusterTest, ARequestThatHasEndedIsNotProposed) {
  for (const bool dies : {false, true}) {
    begin({.clients = 3, .pinned = true});
    std::size_t left = 0;
    c.at(seconds(4), [&](World& w) {
      left = c.follower();
      for (std::size_t i = 0; i < 3; ++i) {
        if (i != left) w.faults.kill(c.member_node[i]);
      }
      put_at(seconds(8), "k", "v", left);
    });
    c.at(dies ? ms(8500) : ms(13'100), [&](World& w) {
      if (dies) w.faults.kill(c.client_node[left]);
      for (std::size_t i = 0; i < 3; ++i) {
        if (i != left) w.faults.restart(c.member_node[i]);
      }
    });
    get_at(seconds(14) + ms(800), "k", 2);
    c.run_until(seconds(20));
    EXPECT_TRUE(notes.has("get k=- yes")) << dies;
  }
}

// server.go, adjustTicks: a leader after 0.2 to 1.1 s instead of 1.0 to 1.9.
TEST_F(ClusterTest, WhoBootsAndIsConnectedWaitsLessForALeader) {
  for (const bool advance : {true, false}) {
    Duration shortest = seconds(9), longest{};
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      EtcdClusterOptions o;
      o.etcd.initial_election_tick_advance = advance;
      begin(o, seed);
      Duration t{};
      while (c.leader() == 3 && t < seconds(5)) c.run_until(t += ms(10));
      shortest = std::min(shortest, t), longest = std::max(longest, t);
    }
    EXPECT_GE(shortest, advance ? ms(100) : ms(900));
    EXPECT_LE(shortest, advance ? ms(500) : ms(1300));
    EXPECT_LE(longest, advance ? ms(1300) : ms(2100));
  }
}

TEST_F(ClusterTest, AClusterOfOneServesAtOnce) {
  begin({.members = 1});
  put_at(ms(500), "k", "1");
  get_at(ms(600), "k");
  c.run_until(seconds(1));
  EXPECT_TRUE(notes.has("put k=1 yes"));
  EXPECT_TRUE(notes.has("get k=1 yes"));
}

}  // namespace member_test
}  // namespace picklock
