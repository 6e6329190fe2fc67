// Leases of a running cluster: when the leader ends them, and the effect of a change of leader.

#include <gtest/gtest.h>

#include "sim/etcd/cluster_lab.hpp"

namespace picklock {
namespace member_leases_test {

using testing::EtcdCluster;
using testing::EtcdClusterOptions;

constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

struct LeaseNotes {
  World* world;
  std::vector<std::pair<Duration, std::string>> lines;
  void add(std::string what) { lines.emplace_back(world->now() - TrueTime{}, std::move(what)); }
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const auto& [when, what] : lines) all.push_back(what);
    return all;
  }
};

// A lease with a key, and nothing more.
Task<void> take(Host, Etcd* etcd, EtcdLeaseId* lease, Duration ttl, std::string key) {
  const auto granted = co_await etcd->grant(ttl);
  if (!granted.yes()) co_return;
  *lease = granted.value().id;
  EtcdPut request(key, "held", *lease);
  (void)co_await etcd->put(request);
}

Task<void> renew_once(Host, Etcd* etcd, LeaseNotes* notes, EtcdLeaseId* lease, Duration patience) {
  const auto answer = co_await etcd->keep_alive_once(*lease, patience);
  notes->add(answer.yes() ? "ttl " + std::to_string(answer.value().ttl_s) : answer.unknown() ? "unknown" : "no");
}

struct LeaseTest : ::testing::Test {
  EtcdCluster c;
  LeaseNotes notes{&c.world, {}};
  EtcdLeaseId lease = 0, other_lease = 0;

  void begin(EtcdClusterOptions o, std::uint64_t seed = 1) {
    o.clients = o.members;
    o.pinned = true;
    c.begin(o, seed);
    notes.lines.clear();
    lease = 0;
  }
  void take_at(Duration when, Duration ttl, std::size_t client = 0) {
    c.at(when, [=, this](World& w) {
      w.tasks.start(c.client_node[client], "take",
                    take(w.host(c.client_node[client]), c.clients[client].get(), &lease, ttl, "k"));
    });
  }
  void renew_at(Duration when, std::size_t client, Duration patience = seconds(30)) {
    c.at(when, [=, this](World& w) {
      w.tasks.start(c.client_node[client], "renew",
                    renew_once(w.host(c.client_node[client]), c.clients[client].get(), &notes, &lease, patience));
    });
  }
  bool held(std::size_t member) const { return c.members[member]->state().store().find("k") != nullptr; }
  // Time at which the current leader deletes the key.
  Duration ends(Duration from, Duration limit) {
    for (Duration t = from; t < limit; t += ms(10)) {
      c.run_until(t);
      const std::size_t l = c.leader();
      if (l < c.members.size() && !held(l)) return t;
    }
    return limit;
  }
  void stall_disk(std::size_t member, Duration d) {
    c.world.nodes.disk(c.member_node[member]).slowdown = Law::constant(d / 2);  // write and fsync, half each
  }
  ~LeaseTest() override {
    EXPECT_EQ(c.invariants.broken(), "");
    c.end();
  }
};

// Real servers (3.4.23): TTL 2 s ends after 2.40 s, TTL 3 s after 3.40 s; the lessor looks twice a second.
TEST_F(LeaseTest, EndsWithinHalfASecondOfItsTtl) {
  Duration shortest = seconds(9), longest{};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    begin({}, seed);
    take_at(seconds(3), seconds(2), seed % 3);
    const Duration lasted = ends(seconds(4), seconds(9)) - seconds(3);
    shortest = std::min(shortest, lasted);
    longest = std::max(longest, lasted);
  }
  EXPECT_GE(shortest, seconds(2));
  EXPECT_LE(longest, ms(2560));
  EXPECT_GT(longest - shortest, ms(200)) << "the phase of the lessor's grid is not the lease's";
}

TEST_F(LeaseTest, IsRenewedThroughAnyMember) {
  begin({});
  take_at(seconds(3), seconds(2));
  for (int i = 1; i <= 12; ++i) renew_at(seconds(3) + ms(900) * i, static_cast<std::size_t>(i) % 3);
  c.run_until(seconds(15));
  EXPECT_EQ(notes.texts(), std::vector<std::string>(12, "ttl 2"));
  EXPECT_TRUE(held(c.leader()));
  const Duration end = ends(seconds(15), seconds(20)) - (seconds(3) + ms(900) * 12);
  EXPECT_GE(end, seconds(2));
  EXPECT_LE(end, ms(2560));
}

// A member hands a renewal to the leader by a request of its own, which nothing ends but the leader's answer, the end
// of the connection, or 7 s (RenewHTTP): not that there is another leader by now.
TEST_F(LeaseTest, ARenewalWaitsForTheLeaderThatHasItAlsoIfThereIsAnother) {
  for (const bool dies : {false, true}) {
    begin({});
    take_at(seconds(3), seconds(20));
    c.at(seconds(4), [&](World& w) {
      const std::size_t l = c.leader();
      if (dies) return w.faults.kill(c.member_node[l]);
      const std::uint32_t incarnation = w.faults.pause(c.member_node[l]);
      const NodeId node = c.member_node[l];
      c.at(seconds(9), [node, incarnation](World& x) { x.faults.resume(node, incarnation); });
    });
    c.at(seconds(4) - ms(1), [&](World&) { renew_at(seconds(4) + ms(10), c.follower()); });
    c.run_until(ms(8990));
    EXPECT_EQ(notes.lines.size(), dies ? 1U : 0U);
    c.run_until(seconds(12));
    ASSERT_EQ(notes.texts(), std::vector<std::string>{"ttl 20"});
    EXPECT_GE(notes.lines[0].first, dies ? seconds(4) : seconds(9));
  }
}

TEST_F(LeaseTest, AnEndedLeaseIsNotFoundOnceItIsRevoked) {
  begin({});
  take_at(seconds(3), seconds(2));
  renew_at(seconds(5) + ms(20), 1);  // it has ended, and is not revoked yet: the answer waits
  c.run_until(seconds(9));
  ASSERT_EQ(notes.texts(), std::vector<std::string>{"no"});
  EXPECT_FALSE(held(c.leader()));
}

// Timeline E3: the leader's first entry is applied about 1.5 s after the crash; then an election timeout and the
// whole TTL.
TEST_F(LeaseTest, ANewLeaderGivesEveryLeaseItsWholeTtl) {
  begin({});
  take_at(seconds(3), seconds(5));
  std::size_t dead = 9;
  c.at(seconds(7) + ms(900), [&](World& w) {
    dead = c.leader();
    w.faults.kill(c.member_node[dead]);
  });
  const Duration lasted = ends(seconds(8), seconds(25)) - (seconds(7) + ms(900));
  EXPECT_GE(lasted, seconds(7));
  EXPECT_LE(lasted, seconds(9));
  EXPECT_NE(c.leader(), dead);
}

// etcd issue 15247: a leader whose loop stands still in an fsync is deposed without noticing it.  Its lessor goes
// on: it revokes what the new leader has renewed, as soon as the loop goes on.
TEST_F(LeaseTest, ADeposedLeaderRevokesLiveLeasesUnlessItConfirms) {
  for (const bool fixed : {false, true}) {
    EtcdClusterOptions o;
    o.etcd.confirms_leadership = fixed;
    begin(o);
    take_at(seconds(3), seconds(5));
    std::size_t stuck = 9, other = 9;
    c.at(seconds(5), [&](World& w) {
      stuck = c.leader();
      other = c.follower();
      stall_disk(stuck, seconds(10));
      w.tasks.start(c.client_node[other], "put",
                    take(w.host(c.client_node[other]), c.clients[other].get(), &other_lease, seconds(60), "x"));
      for (int i = 0; i < 20; ++i) renew_at(seconds(5) + ms(1000) * i, other);
    });
    c.run_until(seconds(14));
    stall_disk(stuck, {});
    EXPECT_TRUE(held(c.leader()));
    EXPECT_NE(c.leader(), stuck);
    EXPECT_TRUE(c.members[stuck]->takes_itself_for_leader()) << "it has not noticed";
    c.run_until(seconds(18));
    EXPECT_EQ(held(c.leader()), fixed) << (fixed ? "fixed" : "as it was");
  }
}

// The same the other way round: clients of the stuck leader are told that their leases live.  It waits until it
// has applied what it knows to be committed (etcd pull request 13690), which does not help: it learns nothing.
TEST_F(LeaseTest, ADeposedLeaderRenewsEndedLeasesUnlessItConfirms) {
  for (const bool fixed : {false, true}) {
    EtcdClusterOptions o;
    o.etcd.confirms_leadership = fixed;
    begin(o);
    take_at(seconds(3), seconds(2));
    std::size_t stuck = 9;
    c.at(seconds(4), [&](World& w) {
      stuck = c.leader();
      const std::size_t other = c.follower();
      stall_disk(stuck, seconds(10));
      w.tasks.start(c.client_node[other], "put",
                    take(w.host(c.client_node[other]), c.clients[other].get(), &other_lease, seconds(60), "x"));
      for (int i = 0; i < 9; ++i) renew_at(seconds(4) + ms(1000) * i, stuck, seconds(6));
    });
    c.run_until(seconds(12) + ms(500));
    ASSERT_NE(c.leader(), stuck);
    EXPECT_FALSE(held(c.leader())) << "for the others it has ended";
    const auto renewed_late = std::count_if(notes.lines.begin(), notes.lines.end(), [](const auto& line) {
      return line.first > seconds(10) && line.second == "ttl 2";
    });
    EXPECT_EQ(renewed_late > 0, !fixed);
  }
}

Task<void> revoke(Host, Etcd* etcd, EtcdLeaseId id) { (void)co_await etcd->revoke(id); }

// etcd pull request 20590: while a renewal clears a checkpoint, through the log, the lease is revoked before it.
TEST_F(LeaseTest, ALeaseThatIsRevokedWhileItsCheckpointIsClearedIsRenewedUnlessLookedForAgain) {
  for (const bool fixed : {false, true}) {
    EtcdClusterOptions o;
    o.etcd.checkpoints = true;
    o.etcd.confirms_leadership = false;
    o.etcd.rechecks_leases = fixed;
    begin(o);
    take_at(seconds(3), seconds(700));
    c.at(seconds(400), [&](World& w) {  // 400 s of it were left at 303 s
      const std::size_t l = c.leader(), f = c.follower();
      stall_disk(l, ms(800));
      w.tasks.start(c.client_node[f], "revoke", revoke(w.host(c.client_node[f]), c.clients[f].get(), lease));
      renew_at(seconds(400) + ms(200), l);
    });
    c.run_until(seconds(405));
    EXPECT_EQ(notes.texts(), std::vector<std::string>{fixed ? "no" : "ttl 700"});
    EXPECT_FALSE(held(c.leader()));
  }
}

// A member that is alone commits at once, in the Raft of 3.5, entries that are not yet on the disk.
TEST_F(LeaseTest, ALeaderThatHasNotAppliedWhatIsCommittedRenewsNothing) {
  for (const bool waits : {false, true}) {
    EtcdClusterOptions o{.members = 1, .etcd = etcd_3_5()};
    o.etcd.renews_after_applying = waits;
    begin(o);
    take_at(seconds(3), seconds(20));
    c.at(seconds(5), [&](World& w) {
      stall_disk(0, seconds(6));
      w.tasks.start(c.client_node[0], "put",
                    take(w.host(c.client_node[0]), c.clients[0].get(), &other_lease, seconds(60), "x"));
    });
    renew_at(seconds(6), 0, seconds(3));
    c.run_until(seconds(10));
    ASSERT_EQ(notes.lines.size(), 1U);
    EXPECT_EQ(notes.lines[0].second, waits ? "unknown" : "ttl 20");
    EXPECT_EQ(notes.lines[0].first < seconds(7), !waits);
  }
}

// A leader that stands still is asked, by another member, for a renewal: leasehttp does not ask whether it leads.
TEST_F(LeaseTest, ARenewalThatIsHandedOnIsNotConfirmed) {
  for (const bool handed_on : {false, true}) {
    begin({});
    take_at(seconds(3), seconds(5));
    c.at(seconds(5), [&](World& w) {
      const std::size_t l = c.leader(), f = c.follower();
      stall_disk(l, seconds(6));
      w.tasks.start(c.client_node[f], "put",
                    take(w.host(c.client_node[f]), c.clients[f].get(), &other_lease, seconds(60), "x"));
      renew_at(seconds(5) + ms(600), handed_on ? f : l);
    });
    c.run_until(seconds(5) + ms(700));
    EXPECT_EQ(notes.texts(), handed_on ? std::vector<std::string>{"ttl 5"} : std::vector<std::string>{});
    c.run_until(seconds(20));
    // v3_server.go, LeaseRenew: a leader that was deposed meanwhile answers an error, and does not look for the new one.
    EXPECT_EQ(notes.texts(), std::vector<std::string>{handed_on ? "ttl 5" : "no"});
  }
}

// v3_server.go, waitLeader.
TEST_F(LeaseTest, WhoKnowsNoLeaderLooksEveryElectionTimeout) {
  begin({});
  take_at(seconds(3), seconds(60));
  std::size_t left = 9;
  c.at(seconds(4), [&](World& w) {
    left = c.follower();
    for (std::size_t i = 0; i < 3; ++i) {
      if (i != left) w.faults.kill(c.member_node[i]);
    }
    renew_at(seconds(8), left);
  });
  c.at(seconds(9), [&](World& w) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (i != left) w.faults.restart(c.member_node[i]);
    }
  });
  c.run_until(seconds(20));
  ASSERT_EQ(notes.texts(), std::vector<std::string>{"ttl 60"});
  EXPECT_GT(notes.lines[0].first, seconds(9));
  EXPECT_LT(Duration{notes.lines[0].first.ns % seconds(1).ns}, ms(10));
}

Task<void> hold_stream(Host, Channel* channel, LeaseNotes* notes, bool require_leader) {
  EtcdRequest request = EtcdLeaseStream{require_leader};
  const auto end = co_await EtcdVerb(*channel, mark::none, request);
  notes->add(end.yes() ? std::string(to_string(end.value().error)) : "lost");
}

// clientv3/lease.go: WithRequireLeader.  jetcd asks for no such thing.
TEST_F(LeaseTest, AStreamOfRenewalsRequiresALeaderIfItSaysSo) {
  begin({});
  Channel *channel = nullptr, *jetcd = nullptr;
  LeaseNotes of_jetcd{&c.world, {}};
  const auto open = [&](World& w) {
    const NodeId client = c.client_node[0];
    w.tasks.start(client, "stream", hold_stream(w.host(client), channel, &notes, true));
  };
  c.at(seconds(3), [&](World& w) {
    const std::size_t f = c.follower();
    channel = &w.channels.open(c.client_node[0], c.member_node[f], etcd_channel({}));
    jetcd = &w.channels.open(c.client_node[0], c.member_node[f], etcd_channel({}));
    open(w);
    w.tasks.start(c.client_node[0], "stream", hold_stream(w.host(c.client_node[0]), jetcd, &of_jetcd, false));
    c.at(seconds(5), [&, f](World&) { c.cut({c.member_node[f], c.client_node[0]}); });
  });
  c.at(seconds(12), [&](World& w) { open(w); });
  c.run_until(seconds(13));
  ASSERT_EQ(notes.texts(), std::vector<std::string>(2, std::string(to_string(EtcdError::no_leader))));
  // No leader exists from about six seconds on, which is found three times, on a grid of a second since the boot.
  EXPECT_GT(notes.lines[0].first, seconds(8));
  EXPECT_LT(notes.lines[0].first, seconds(10) + ms(10));
  EXPECT_LT(Duration{notes.lines[0].first.ns % seconds(1).ns}, ms(10));
  EXPECT_LT(notes.lines[1].first, seconds(12) + ms(10)) << "refused at once";
  EXPECT_TRUE(of_jetcd.texts().empty());
}

Task<void> watch_from(Host, Etcd* etcd, LeaseNotes* notes, EtcdRevision from) {
  const auto watch = etcd->watch(EtcdWatchCreate("k", from));
  const auto reply = co_await watch->next();
  notes->add(reply ? std::to_string(reply->events.size()) : "closed");
}

// mvcc/watchable_store.go, syncWatchersLoop.
TEST_F(LeaseTest, WatchersCatchUpWhileTheDiskIsWrittenTo) {
  begin({});
  take_at(seconds(3), seconds(60));
  c.at(seconds(5), [&](World& w) {
    const std::size_t l = c.leader();
    const NodeId client = c.client_node[l];
    stall_disk(l, seconds(6));
    w.tasks.start(client, "put", take(w.host(client), c.clients[l].get(), &other_lease, seconds(60), "x"));
    c.at(seconds(6), [&, l, client](World& world) {
      world.tasks.start(client, "watch", watch_from(world.host(client), c.clients[l].get(), &notes, 2));
    });
  });
  c.run_until(seconds(9));
  ASSERT_EQ(notes.texts(), std::vector<std::string>{"1"});
  EXPECT_LT(notes.lines[0].first, seconds(6) + ms(110));
}

TEST_F(LeaseTest, CheckpointsCarryWhatRemainsOverAChangeOfLeader) {
  for (const bool checkpoints : {false, true}) {
    EtcdClusterOptions o;
    o.etcd.checkpoints = checkpoints;
    begin(o);
    take_at(seconds(3), seconds(700));
    c.at(seconds(400), [&](World& w) { w.faults.kill(c.member_node[c.leader()]); });
    const Duration end = ends(seconds(500), seconds(1300));
    if (checkpoints) {
      // The checkpoint, 300 s after the grant, left 400 of 700 s.
      EXPECT_GT(end, seconds(795));
      EXPECT_LT(end, seconds(810));
    } else {
      EXPECT_GT(end, seconds(1100));
    }
  }
}

TEST_F(LeaseTest, WatchersOfAMemberWithoutALeaderAreToldSo) {
  begin({});
  std::vector<std::string> seen;
  std::size_t alone = 9;
  c.at(seconds(3), [&](World& w) {
    alone = c.follower();
    const NodeId n = c.client_node[alone];
    w.tasks.start(n, "watch", [](Host host, Etcd* etcd, LeaseNotes* out) -> Task<void> {
      EtcdWatchCreate what("k");
      what.require_leader = true;
      const auto watch = etcd->watch(what);
      for (;;) {
        const auto reply = co_await watch->next();
        if (!reply) co_return;
        out->add(reply->cancelled ? "cancelled: " + std::string(to_string(reply->error)) : "events");
        if (reply->cancelled) co_return;
      }
      (void)host;
    }(w.host(n), c.clients[alone].get(), &notes));
  });
  c.at(seconds(5), [&](World&) { c.cut({c.member_node[alone], c.client_node[alone]}); });
  c.run_until(seconds(15));
  ASSERT_EQ(notes.lines.size(), 1u);
  EXPECT_EQ(notes.lines[0].second, "cancelled: " + std::string(to_string(EtcdError::no_leader)));
  EXPECT_GT(notes.lines[0].first, seconds(8));
  EXPECT_LT(notes.lines[0].first, seconds(11));
}

}  // namespace member_leases_test
}  // namespace picklock
