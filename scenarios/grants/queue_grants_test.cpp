// Grants of locks that are queues: etcd's and ZooKeeper's, from hand-written records of their servers.

#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/grants/etcd_grants.hpp"
#include "scenarios/grants/zookeeper_grants.hpp"
#include "sim/core/mix.hpp"
#include "sim/etcd/inspect.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// "begin 1 until 110; released 1 by 1"
std::string in_words(const std::vector<GrantEvent>& grants) {
  constexpr std::string_view kWords[] = {"begin", "extend", "end", "released", "forced", "wrong-release", "wrong-renewal"};
  std::string all;
  for (const GrantEvent& g : grants) {
    if (!all.empty()) all += "; ";
    all += kWords[static_cast<std::size_t>(g.change)];
    all += ' ';
    all += std::to_string(g.hold);
    if (g.by != g.hold && g.by != kNoHold) all += " by " + std::to_string(g.by);
    if (g.until == INT64_MAX) all += " for ever";
    if (g.until != kNoTime && g.until != INT64_MAX) all += " until " + std::to_string(g.until / kMs);
  }
  return all;
}

std::uint64_t bits(std::int64_t n) { return static_cast<std::uint64_t>(n); }

class Records {
 public:
  explicit Records(GrantJudge& judge) : judge_(judge) {}
  void see(std::int64_t ms, TraceKind kind, NodeId node, std::uint32_t a, std::uint64_t b, std::uint64_t c) {
    const TraceRecord r{ms * kMs, kind, node, a, b, c};
    Provenance by;
    by.hold = judge_.hold_of(r);
    by.force = by.hold == kOperator;
    by.client = by.hold % 10;
    by.shared = by.hold >= kFirstReader && by.hold != kOperator;
    judge_.see(r, by, grants_, index_);
  }
  std::string said() const { return in_words(grants_); }
  static constexpr HoldId kFirstReader = 50, kOperator = 99;

 private:
  GrantJudge& judge_;
  std::vector<GrantEvent> grants_;
  std::uint32_t index_ = 0;
};

class EtcdRecords {
 public:
  explicit EtcdRecords(Ownership rule, std::optional<Duration> lease = {}) : judge_(rule, "lock", lease), records_(judge_) {}
  void granted(std::int64_t ms, std::int64_t lease, std::int64_t ttl_s, NodeId member = 1) {
    records_.see(ms, trace::etcd_lease_granted, member, 0, bits(lease), bits(ttl_s));
  }
  void renewed(std::int64_t ms, std::int64_t lease, std::int64_t ttl_s) {
    records_.see(ms, trace::etcd_lease_renewed, 1, 0, bits(lease), bits(ttl_s));
  }
  void change(std::int64_t ms, TraceKind what, HoldId by, std::int64_t created, std::int64_t revision, std::int64_t lease,
              std::string_view directory = "lock", NodeId member = 1) {
    records_.see(ms, trace::etcd_at, member, 0, bits(lease), bits(revision));
    records_.see(ms, what, member, by, hash_of(directory), bits(created));
  }
  void found(std::int64_t ms, HoldId by, std::int64_t created, NodeId member = 1) {
    records_.see(ms, trace::etcd_key_found, member, by, hash_of("lock"), bits(created));
  }
  std::string said() const { return records_.said(); }

 private:
  EtcdGrants judge_;
  Records records_;
};

using namespace trace;

TEST(EtcdGrants, TheKeyCreatedFirstOwnsAndThenTheNext) {
  EtcdRecords r(Ownership::etcd_first);
  r.granted(0, 7, 5);
  r.granted(0, 8, 5);
  r.change(10, etcd_key_created, 1, 2, 2, 7);
  r.change(20, etcd_key_created, 2, 3, 3, 8);
  r.renewed(1000, 7, 5);
  r.change(2000, etcd_key_deleted, 1, 2, 4, 7);
  EXPECT_EQ(r.said(), "begin 1 until 5000; extend 1 until 6000; released 1; begin 2 until 5000");
}

TEST(EtcdGrants, WhatAnotherMemberAppliesLaterIsNoNews) {
  EtcdRecords r(Ownership::etcd_first);
  r.granted(0, 7, 5);
  r.change(10, etcd_key_created, 1, 2, 2, 7);
  r.change(20, etcd_key_deleted, 1, 2, 3, 7);
  r.granted(30, 7, 5, 2);
  r.change(30, etcd_key_created, 1, 2, 2, 7, "lock", 2);
  r.change(31, etcd_key_deleted, 1, 2, 3, 7, "lock", 2);
  EXPECT_EQ(r.said(), "begin 1 until 5000; released 1");
}

TEST(EtcdGrants, ChangesOfOneTransactionAreOneNews) {
  EtcdRecords r(Ownership::etcd_first);
  r.granted(0, 7, 5);
  r.change(10, etcd_key_created, 1, 2, 2, 7, "elsewhere");
  r.change(10, etcd_key_created, 1, 2, 2, 7);
  EXPECT_EQ(r.said(), "begin 1 until 5000");
}

TEST(EtcdGrants, AnExpiryEndsAndAnothersDeletionIsWrong) {
  EtcdRecords r(Ownership::etcd_first);
  r.granted(0, 7, 5);
  r.granted(0, 8, 5);
  r.change(10, etcd_key_created, 1, 2, 2, 7);
  r.change(20, etcd_key_created, 2, 3, 3, 8);
  r.change(30, etcd_key_created, 3, 4, 4, 8);
  r.change(5500, etcd_key_deleted, 0, 2, 5, 7);
  r.change(5600, etcd_key_deleted, 3, 3, 6, 8);
  EXPECT_EQ(r.said(), "begin 1 until 5000; end 1; begin 2 until 5000; wrong-release 2 by 3; end 2 by 3; begin 3 until 5000");
}

TEST(EtcdGrants, ReadersShareAndWritersDoNot) {
  EtcdRecords r(Ownership::etcd_read_write);
  r.granted(0, 7, 5);
  r.change(10, etcd_key_created, 50, 2, 2, 7, "lock/read");
  r.change(20, etcd_key_created, 51, 3, 3, 7, "lock/read");
  r.change(30, etcd_key_created, 1, 4, 4, 7, "lock/write");
  r.change(40, etcd_key_created, 52, 5, 5, 7, "lock/read");
  r.change(50, etcd_key_deleted, 50, 2, 6, 7, "lock/read");
  r.change(60, etcd_key_deleted, 51, 3, 7, 7, "lock/read");
  r.change(70, etcd_key_deleted, 1, 4, 8, 7, "lock/write");
  EXPECT_EQ(r.said(),
            "begin 50 until 5000; begin 51 until 5000; released 50; released 51; begin 1 until 5000; released 1; "
            "begin 52 until 5000");
}

TEST(EtcdGrants, ARecordIsItsLastWritersForALease) {
  EtcdRecords r(Ownership::etcd_record, seconds(2));
  r.change(10, etcd_key_created, 1, 2, 2, 0);
  r.change(1010, etcd_key_changed, 1, 2, 3, 0);
  r.change(4000, etcd_key_changed, 2, 2, 4, 0);
  r.change(4100, etcd_key_emptied, 2, 2, 5, 0);
  r.change(4200, etcd_key_changed, 1, 2, 6, 0);
  EXPECT_EQ(r.said(), "begin 1 until 2010; extend 1 until 3010; end 1; begin 2 until 6000; released 2; begin 1 until 6200");
}

TEST(EtcdGrants, AnOperatorsDeletionIsDeclared) {
  EtcdRecords r(Ownership::etcd_key);
  r.change(10, etcd_key_created, 1, 2, 2, 0);
  r.change(20, etcd_key_deleted, Records::kOperator, 2, 3, 0);
  EXPECT_EQ(r.said(), "begin 1 for ever; forced 1 by 99");
}

// Holds 1 and 11 are of one client, 2 is another's.
TEST(EtcdGrants, AfterALostUnlockTheKeyIsTheNextHoldsOfItsClient) {
  EtcdRecords r(Ownership::etcd_first);
  r.granted(0, 7, 5);
  r.granted(0, 8, 5);
  r.change(10, etcd_key_created, 1, 2, 2, 7);
  r.change(20, etcd_key_created, 2, 3, 3, 8);
  r.found(1000, 11, 2);
  r.found(1001, 11, 2, 2);
  r.renewed(1500, 7, 5);
  r.change(2000, etcd_key_deleted, 11, 2, 4, 7);
  EXPECT_EQ(r.said(),
            "begin 1 until 5000; released 1 by 11; begin 11 until 5000; extend 11 until 6500; released 11; "
            "begin 2 until 5000");
}

TEST(EtcdGrants, AKeyThatIsFoundInTheLineKeepsItsPlace) {
  EtcdRecords r(Ownership::etcd_first);
  r.granted(0, 7, 5);
  r.granted(0, 8, 5);
  r.change(10, etcd_key_created, 2, 2, 2, 8);
  r.change(20, etcd_key_created, 1, 3, 3, 7);
  r.found(1000, 11, 3);
  r.change(2000, etcd_key_deleted, 2, 2, 4, 8);
  EXPECT_EQ(r.said(), "begin 2 until 5000; released 2; begin 11 until 5000");
}

TEST(EtcdGrants, AMemberThatIsBehindTellsOldNews) {
  EtcdRecords r(Ownership::etcd_first);
  r.granted(0, 7, 5);
  r.change(10, etcd_key_created, 1, 2, 2, 7);
  r.found(20, 11, 2);
  r.found(30, 21, 2);
  r.found(40, 11, 2, 2);
  r.found(50, 21, 2, 2);
  EXPECT_EQ(r.said(), "begin 1 until 5000; released 1 by 11; begin 11 until 5000; released 11 by 21; begin 21 until 5000");
}

TEST(EtcdGrants, AnUnlockThatIsSentAgainEndsTheNextHold) {
  EtcdRecords r(Ownership::etcd_first);
  r.granted(0, 7, 5);
  r.change(10, etcd_key_created, 1, 2, 2, 7);
  r.found(20, 11, 2);
  r.change(30, etcd_key_deleted, 1, 2, 3, 7);
  EXPECT_EQ(r.said(),
            "begin 1 until 5000; released 1 by 11; begin 11 until 5000; wrong-release 11 by 1; end 11 by 1");
}

TEST(EtcdGrants, ASharedSessionsKeyIsBothThreads) {
  EtcdRecords r(Ownership::etcd_first);
  r.granted(0, 7, 5);
  r.change(10, etcd_key_created, 1, 2, 2, 7);
  r.found(20, 2, 2);
  r.renewed(1000, 7, 5);
  r.change(2000, etcd_key_deleted, 1, 2, 3, 7);
  EXPECT_EQ(r.said(),
            "begin 1 until 5000; begin 2 until 5000; extend 1 until 6000; extend 2 until 6000; wrong-release 2 by 1; "
            "released 1; end 2 by 1");
}

class ZooRecords {
 public:
  explicit ZooRecords(Ownership rule, std::int64_t permits = 1) : judge_(rule, "lock", permits), records_(judge_) {}
  void touched(std::int64_t ms, std::int64_t session, std::int64_t timeout_ms = 6000) {
    records_.see(ms, zoo_session_touched, 1, 0, bits(session), bits(timeout_ms));
  }
  void applied(std::int64_t ms, std::int64_t zxid, NodeId server = 1) {
    records_.see(ms, zoo_applied, server, 0, bits(zxid), 0);
  }
  // Of the transaction just applied.  number: of a sequential node.
  void effect(std::int64_t ms, TraceKind what, HoldId by, std::string_view name, std::optional<std::int32_t> number,
              std::int64_t session, std::int64_t czxid, std::string_view parent = "/lock", NodeId server = 1) {
    const TraceKind node = number ? zoo_sequential_znode : zoo_znode;
    records_.see(ms, node, server, static_cast<std::uint32_t>(number.value_or(0)), bits(session), hash_of(name));
    records_.see(ms, what, server, by, hash_of(parent), bits(czxid));
  }
  std::string said() const { return records_.said(); }

 private:
  ZooKeeperGrants judge_;
  Records records_;
};

TEST(ZooKeeperGrants, TheLowestNumberOwnsUntilItsSessionIsClosed) {
  ZooRecords r(Ownership::znode_first);
  r.touched(0, 7);
  r.touched(0, 8);
  for (const NodeId server : {NodeId{1}, NodeId{2}}) {
    r.applied(10, 1, server);
    r.effect(10, zoo_created, 1, "/lock/n-0000000000", 0, 7, 1, "/lock", server);
  }
  r.applied(20, 2);
  r.effect(20, zoo_created, 2, "/lock/n-0000000001", 1, 8, 2);
  r.touched(2000, 8);
  r.applied(8000, 3);
  r.effect(8000, zoo_deleted, 0, "/lock/n-0000000000", 0, 7, 1);
  EXPECT_EQ(r.said(), "begin 1 until 6000; end 1; begin 2 until 8000");
}

TEST(ZooKeeperGrants, ANumberThatHasOverflowedStandsWhereItWasMade) {
  ZooRecords r(Ownership::znode_first);
  r.touched(0, 7);
  r.applied(10, 1);
  r.effect(10, zoo_created, 1, "/lock/n-2147483647", 2147483647, 7, 1);
  r.applied(20, 2);
  r.effect(20, zoo_created, 2, "/lock/n--2147483648", -2147483647 - 1, 7, 2);
  EXPECT_EQ(r.said(), "begin 1 until 6000");
}

TEST(ZooKeeperGrants, OfOneZnodeItsCreator) {
  ZooRecords r(Ownership::znode);
  r.touched(0, 7);
  r.applied(10, 1);
  r.effect(10, zoo_created, 1, "/lock", {}, 7, 1, "/");
  r.applied(20, 2);
  r.effect(20, zoo_deleted, 1, "/lock", {}, 7, 1, "/");
  r.applied(30, 3);
  r.effect(30, zoo_created, 2, "/other", {}, 7, 3, "/");
  EXPECT_EQ(r.said(), "begin 1 until 6000; released 1");
}

TEST(ZooKeeperGrants, ReadersShareUpToTheFirstWriter) {
  ZooRecords r(Ownership::znode_read_write);
  r.touched(0, 7);
  const auto create = [&](std::int64_t ms, HoldId by, std::int32_t number) {
    r.applied(ms, number + 1);
    r.effect(ms, zoo_created, by, std::to_string(number), number, 7, number + 1);
  };
  create(10, 50, 0);
  create(20, 51, 1);
  create(30, 1, 2);
  create(40, 52, 3);
  r.applied(50, 9);
  r.effect(50, zoo_deleted, 50, "0", 0, 7, 1);
  r.applied(60, 10);
  r.effect(60, zoo_deleted, 51, "1", 1, 7, 2);
  EXPECT_EQ(r.said(), "begin 50 until 6000; begin 51 until 6000; released 50; released 51; begin 1 until 6000");
}

TEST(ZooKeeperGrants, AReaderWithItsWritersNumberStandsWhereTheWriterStood) {
  ZooRecords r(Ownership::znode_read_write);
  r.touched(0, 7);
  r.applied(10, 1);
  r.effect(10, zoo_created, 1, "w0", 0, 7, 1);
  r.applied(20, 2);
  r.effect(20, zoo_created, 2, "w1", 1, 8, 2);
  r.applied(30, 3);
  r.effect(30, zoo_created, 50, "r0", 0, 7, 3);
  r.applied(40, 4);
  r.effect(40, zoo_deleted, 1, "w0", 0, 7, 1);
  r.touched(45, 8);
  r.applied(50, 5);
  r.effect(50, zoo_deleted, 50, "r0", 0, 7, 3);
  EXPECT_EQ(r.said(), "begin 1 until 6000; released 1; begin 50 until 6000; released 50; begin 2 until 6045");
}

TEST(ZooKeeperGrants, SoManyOwnAsThereArePermits) {
  ZooRecords r(Ownership::znode_permits, 2);
  r.touched(0, 7);
  for (std::int32_t n = 0; n < 3; ++n) {
    r.applied(10 + n, n + 1);
    r.effect(10 + n, zoo_created, static_cast<HoldId>(n + 1), std::to_string(n), n, 7, n + 1, "/lock/leases");
  }
  r.applied(20, 4);
  r.effect(20, zoo_deleted, 2, "1", 1, 7, 2, "/lock/leases");
  EXPECT_EQ(r.said(), "begin 1 until 6000; begin 2 until 6000; released 2; begin 3 until 6000");
}

TEST(ZooKeeperGrants, AnOrphanOfTheSameHoldKeepsIt) {
  ZooRecords r(Ownership::znode_first);
  r.touched(0, 7);
  r.applied(10, 1);
  r.effect(10, zoo_created, 1, "0", 0, 7, 1);
  r.applied(20, 2);
  r.effect(20, zoo_created, 1, "1", 1, 7, 2);
  r.applied(30, 3);
  r.effect(30, zoo_deleted, 1, "0", 0, 7, 1);
  EXPECT_EQ(r.said(), "begin 1 until 6000");
}

}  // namespace
}  // namespace picklock
