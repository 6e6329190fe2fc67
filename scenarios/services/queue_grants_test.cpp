// Grants of locks that are queues: etcd's and ZooKeeper's, from hand-written records of their servers.

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "scenarios/recording/records_lab.hpp"
#include "scenarios/services/etcd/etcd_grants.hpp"
#include "scenarios/services/zookeeper/zookeeper_grants.hpp"
#include "sim/etcd/inspect.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock {
namespace {

constexpr HoldId kFirstReader = 50, kOperator = 99;

std::uint64_t bits(std::int64_t n) { return static_cast<std::uint64_t>(n); }

// Records for one judge.  Holds 1, 11 and 21 are of one client, 2 is another's; from 50 on they read.
class QueueRecords : public RecordsLab {
 protected:
  void see_one(GrantJudge& judge, const RecordLine& line, TraceKind kind, NodeId node, std::uint32_t a, std::uint64_t b,
               std::uint64_t c) {
    const TraceRecord record{line.ms * kMs, kind, node, a, b, c};
    Provenance by;
    by.hold = judge.hold_of(record);
    by.force = by.hold == kOperator;
    by.client = by.hold % 10;
    by.shared = by.hold >= kFirstReader && by.hold != kOperator;
    see(judge, record, by);
  }
};

// lease, renew LEASE ttl SECONDS; creates, changes, empties, deletes HOLD key CREATED [lease LEASE] [in DIRECTORY]
// [revision N], of itself the next one from 2 on; finds HOLD key CREATED.  All by a [member].
class EtcdRecords : public QueueRecords {
 public:
  explicit EtcdRecords(EtcdOwnership rule, std::optional<Duration> lease = {}) : judge_(rule, "lock", lease) {}

  void play(RecordLine& line) {
    const auto member = static_cast<NodeId>(line.number("member", 1));
    if (line.verb == "lease" || line.verb == "renew") {
      const TraceKind kind = line.verb == "lease" ? trace::etcd_lease_granted : trace::etcd_lease_renewed;
      return see_one(judge_, line, kind, member, 0, bits(line.about), bits(line.number("ttl")));
    }
    const std::uint64_t key = bits(line.number("key")), directory = hash_of(line.text("in", "lock"));
    if (line.verb == "finds") {
      return see_one(judge_, line, trace::etcd_key_found, member, line.hold(), directory, key);
    }
    revision_ = line.number("revision", revision_ + 1);
    see_one(judge_, line, trace::etcd_at, member, 0, bits(line.number("lease")), bits(revision_));
    see_one(judge_, line, kinds_.at(line.verb), member, line.hold(), directory, key);
  }

 private:
  const std::map<std::string, TraceKind> kinds_ = {{"creates", trace::etcd_key_created},
                                                   {"changes", trace::etcd_key_changed},
                                                   {"empties", trace::etcd_key_emptied},
                                                   {"deletes", trace::etcd_key_deleted}};
  EtcdGrants judge_;
  std::int64_t revision_ = 1;
};

std::string etcd(EtcdOwnership rule, const std::string& script, std::optional<Duration> lease = {}) {
  return RecordsLab::after(EtcdRecords(rule, lease), script);
}

TEST(EtcdGrants, TheKeyCreatedFirstOwnsAndThenTheNext) {
  EXPECT_EQ(etcd(EtcdOwnership::first, R"(
      0 lease 7 ttl 5
      0 lease 8 ttl 5
      10 creates 1 key 2 lease 7
      20 creates 2 key 3 lease 8
      1000 renew 7 ttl 5
      2000 deletes 1 key 2)"),
            "begin 1 until 5000; extend 1 until 6000; released 1; begin 2 until 5000");
}

TEST(EtcdGrants, WhatAnotherMemberAppliesLaterIsNoNews) {
  EXPECT_EQ(etcd(EtcdOwnership::first, R"(
      0 lease 7 ttl 5
      10 creates 1 key 2 lease 7
      20 deletes 1 key 2
      30 lease 7 ttl 5 member 2
      30 creates 1 key 2 lease 7 revision 2 member 2
      31 deletes 1 key 2 revision 3 member 2)"),
            "begin 1 until 5000; released 1");
}

TEST(EtcdGrants, ChangesOfOneTransactionAreOneNews) {
  EXPECT_EQ(etcd(EtcdOwnership::first, R"(
      0 lease 7 ttl 5
      10 creates 1 key 2 lease 7 revision 2 in elsewhere
      10 creates 1 key 2 lease 7 revision 2)"),
            "begin 1 until 5000");
}

TEST(EtcdGrants, AnExpiryEndsAndAnothersDeletionIsWrong) {
  EXPECT_EQ(etcd(EtcdOwnership::first, R"(
      0 lease 7 ttl 5
      0 lease 8 ttl 5
      10 creates 1 key 2 lease 7
      20 creates 2 key 3 lease 8
      30 creates 3 key 4 lease 8
      5500 deletes 0 key 2
      5600 deletes 3 key 3)"),
            "begin 1 until 5000; end 1 by nobody; begin 2 until 5000; wrong-release 2 by 3; end 2 by 3; "
            "begin 3 until 5000");
}

TEST(EtcdGrants, ReadersShareAndWritersDoNot) {
  EXPECT_EQ(etcd(EtcdOwnership::read_write, R"(
      0 lease 7 ttl 5
      10 creates 50 key 2 lease 7 in lock/read
      20 creates 51 key 3 lease 7 in lock/read
      30 creates 1 key 4 lease 7 in lock/write
      40 creates 52 key 5 lease 7 in lock/read
      50 deletes 50 key 2 in lock/read
      60 deletes 51 key 3 in lock/read
      70 deletes 1 key 4 in lock/write)"),
            "begin 50 until 5000; begin 51 until 5000; released 50; released 51; begin 1 until 5000; released 1; "
            "begin 52 until 5000");
}

TEST(EtcdGrants, ARecordIsItsLastWritersForALease) {
  EXPECT_EQ(etcd(EtcdOwnership::record, R"(
      10 creates 1 key 2
      1010 changes 1 key 2
      4000 changes 2 key 2
      4100 empties 2 key 2
      4200 changes 1 key 2)",
                 seconds(2)),
            "begin 1 until 2010; extend 1 until 3010; end 1 by nobody; begin 2 until 6000; released 2; "
            "begin 1 until 6200");
}

TEST(EtcdGrants, AnOperatorsDeletionIsDeclared) {
  EXPECT_EQ(etcd(EtcdOwnership::key, R"(
      10 creates 1 key 2
      20 deletes 99 key 2)"),
            "begin 1 for ever; forced 1 by 99");
}

TEST(EtcdGrants, AfterALostUnlockTheKeyIsTheNextHoldsOfItsClient) {
  EXPECT_EQ(etcd(EtcdOwnership::first, R"(
      0 lease 7 ttl 5
      0 lease 8 ttl 5
      10 creates 1 key 2 lease 7
      20 creates 2 key 3 lease 8
      1000 finds 11 key 2
      1001 finds 11 key 2 member 2
      1500 renew 7 ttl 5
      2000 deletes 11 key 2)"),
            "begin 1 until 5000; released 1 by 11; begin 11 until 5000; extend 11 until 6500; released 11; "
            "begin 2 until 5000");
}

TEST(EtcdGrants, AKeyThatIsFoundInTheLineKeepsItsPlace) {
  EXPECT_EQ(etcd(EtcdOwnership::first, R"(
      0 lease 7 ttl 5
      0 lease 8 ttl 5
      10 creates 2 key 2 lease 8
      20 creates 1 key 3 lease 7
      1000 finds 11 key 3
      2000 deletes 2 key 2)"),
            "begin 2 until 5000; released 2; begin 11 until 5000");
}

TEST(EtcdGrants, AMemberThatIsBehindTellsOldNews) {
  EXPECT_EQ(etcd(EtcdOwnership::first, R"(
      0 lease 7 ttl 5
      10 creates 1 key 2 lease 7
      20 finds 11 key 2
      30 finds 21 key 2
      40 finds 11 key 2 member 2
      50 finds 21 key 2 member 2)"),
            "begin 1 until 5000; released 1 by 11; begin 11 until 5000; released 11 by 21; begin 21 until 5000");
}

TEST(EtcdGrants, AnUnlockThatIsSentAgainEndsTheNextHold) {
  EXPECT_EQ(etcd(EtcdOwnership::first, R"(
      0 lease 7 ttl 5
      10 creates 1 key 2 lease 7
      20 finds 11 key 2
      30 deletes 1 key 2)"),
            "begin 1 until 5000; released 1 by 11; begin 11 until 5000; wrong-release 11 by 1; end 11 by 1");
}

TEST(EtcdGrants, ASharedSessionsKeyIsBothThreads) {
  EXPECT_EQ(etcd(EtcdOwnership::first, R"(
      0 lease 7 ttl 5
      10 creates 1 key 2 lease 7
      20 finds 2 key 2
      1000 renew 7 ttl 5
      2000 deletes 1 key 2)"),
            "begin 1 until 5000; begin 2 until 5000; extend 1 until 6000; extend 2 until 6000; wrong-release 2 by 1; "
            "released 1; end 2 by 1");
}

// touch SESSION, which has 6 s; creates, deletes HOLD [number N] session SESSION [named PATH] [in PARENT] [zxid N], of
// itself the next one.  A node that has no number is not sequential.  All by a [server].
class ZooKeeperRecords : public QueueRecords {
 public:
  explicit ZooKeeperRecords(ZnodeOwnership rule, std::int64_t permits = 1) : judge_(rule, "lock", permits) {}

  void play(RecordLine& line) {
    const auto server = static_cast<NodeId>(line.number("server", 1));
    if (line.verb == "touch") {
      return see_one(judge_, line, trace::zoo_session_touched, server, 0, bits(line.about), 6000);
    }
    EXPECT_TRUE(line.verb == "creates" || line.verb == "deletes") << line.verb;
    const bool creates = line.verb == "creates";
    const TraceKind node = line.has("number") ? trace::zoo_sequential_znode : trace::zoo_znode;
    const auto number = static_cast<std::int32_t>(line.number("number"));
    const std::string path = line.text("named", "n" + std::to_string(number)), parent = line.text("in", "/lock");
    zxid_ = line.number("zxid", zxid_ + 1);
    see_one(judge_, line, trace::zoo_applied, server, 0, bits(zxid_), 0);
    const std::uint64_t session = bits(line.number("session"));
    see_one(judge_, line, node, server, static_cast<std::uint32_t>(number), session, hash_of(path));
    see_one(judge_, line, creates ? trace::zoo_created : trace::zoo_deleted, server, line.hold(), hash_of(parent),
            bits(creates ? zxid_ : czxids_[path]));
    if (creates) czxids_[path] = zxid_;
  }

 private:
  ZooKeeperGrants judge_;
  std::int64_t zxid_ = 0;
  std::map<std::string, std::int64_t> czxids_;
};

std::string zookeeper(ZnodeOwnership rule, const std::string& script, std::int64_t permits = 1) {
  return RecordsLab::after(ZooKeeperRecords(rule, permits), script);
}

TEST(ZooKeeperGrants, TheLowestNumberOwnsUntilItsSessionIsClosed) {
  EXPECT_EQ(zookeeper(ZnodeOwnership::first, R"(
      0 touch 7
      0 touch 8
      10 creates 1 number 0 session 7
      10 creates 1 number 0 session 7 zxid 1 server 2
      20 creates 2 number 1 session 8
      2000 touch 8
      8000 deletes 0 number 0 session 7)"),
            "begin 1 until 6000; end 1 by nobody; begin 2 until 8000");
}

TEST(ZooKeeperGrants, ANumberThatHasOverflowedStandsWhereItWasMade) {
  EXPECT_EQ(zookeeper(ZnodeOwnership::first, R"(
      0 touch 7
      10 creates 1 number 2147483647 session 7
      20 creates 2 number -2147483648 session 7)"),
            "begin 1 until 6000");
}

TEST(ZooKeeperGrants, OfOneZnodeItsCreator) {
  EXPECT_EQ(zookeeper(ZnodeOwnership::node, R"(
      0 touch 7
      10 creates 1 named /lock in / session 7
      20 deletes 1 named /lock in / session 7
      30 creates 2 named /other in / session 7)"),
            "begin 1 until 6000; released 1");
}

TEST(ZooKeeperGrants, ReadersShareUpToTheFirstWriter) {
  EXPECT_EQ(zookeeper(ZnodeOwnership::read_write, R"(
      0 touch 7
      10 creates 50 number 0 session 7
      20 creates 51 number 1 session 7
      30 creates 1 number 2 session 7
      40 creates 52 number 3 session 7
      50 deletes 50 number 0 session 7
      60 deletes 51 number 1 session 7)"),
            "begin 50 until 6000; begin 51 until 6000; released 50; released 51; begin 1 until 6000");
}

TEST(ZooKeeperGrants, AReaderWithItsWritersNumberStandsWhereTheWriterStood) {
  EXPECT_EQ(zookeeper(ZnodeOwnership::read_write, R"(
      0 touch 7
      10 creates 1 named w0 number 0 session 7
      20 creates 2 named w1 number 1 session 8
      30 creates 50 named r0 number 0 session 7
      40 deletes 1 named w0 number 0 session 7
      45 touch 8
      50 deletes 50 named r0 number 0 session 7)"),
            "begin 1 until 6000; released 1; begin 50 until 6000; released 50; begin 2 until 6045");
}

TEST(ZooKeeperGrants, SoManyOwnAsThereArePermits) {
  EXPECT_EQ(zookeeper(ZnodeOwnership::permits, R"(
      0 touch 7
      10 creates 1 number 0 session 7 in /lock/leases
      11 creates 2 number 1 session 7 in /lock/leases
      12 creates 3 number 2 session 7 in /lock/leases
      20 deletes 2 number 1 session 7 in /lock/leases)",
                      2),
            "begin 1 until 6000; begin 2 until 6000; released 2; begin 3 until 6000");
}

TEST(ZooKeeperGrants, AnOrphanOfTheSameHoldKeepsIt) {
  EXPECT_EQ(zookeeper(ZnodeOwnership::first, R"(
      0 touch 7
      10 creates 1 number 0 session 7
      20 creates 1 number 1 session 7
      30 deletes 1 number 0 session 7)"),
            "begin 1 until 6000");
}

}  // namespace
}  // namespace picklock
