#include "algorithms/zookeeper/kazoo_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/zookeeper/zoo_lock_lab.hpp"

namespace picklock {
namespace {

using testing::ms;
using testing::shares;
using testing::ZooLabOf;

struct KazooLab : ZooLabOf<KazooLockOptions> {
  KazooLab() : ZooLabOf("kazoo-lock", [](auto& o) { o.session = seconds(6); }) {}
};

// The counter has gone over: the newest name sorts first, as text.
TEST(KazooLock, AnOverflownNumberGoesBeforeAllOthers) {
  const std::string old = "a__lock__2147483647", fresh = "b__lock__-2147483648";
  const auto before = [&](const std::string& mine) {
    return kazoo_predecessor({old, fresh}, mine, KazooRole::lock, KazooContenders::lower);
  };
  EXPECT_EQ(before(fresh), "");
  EXPECT_EQ(before(old), fresh);
}

// client.retry has no end: 0.1 s, then about twice as long each time.
TEST(KazooLock, AReleaseIsTriedAgainUntilItIsAnswered) {
  KazooLab lab;
  auto& a = lab.client("a");
  lab.acquire(a);
  EXPECT_TRUE(a.holds());
  a.release();
  lab.restart_server(ms(3500));
  EXPECT_FALSE(a.released);
  lab.pass(ms(15'500));
  ASSERT_TRUE(a.released);
  EXPECT_TRUE(a.gave_back());
  EXPECT_EQ(lab.nodes(), 0U);
}

// kazoo#732
TEST(KazooLock, ARefusedAcquireMayLeaveItsNodeForAsLongAsTheSessionLives) {
  struct Case {
    KazooObject object;
    KazooCleanup cleanup;
    bool leaks;
  };
  for (const Case c : {Case{KazooObject::per_call, KazooCleanup::once, true},
                       Case{KazooObject::per_call, KazooCleanup::until_deleted, false},
                       Case{KazooObject::reused, KazooCleanup::once, false}}) {
    KazooLab lab;
    auto& a = lab.client("a");
    auto& b = lab.client("b", [&](auto& o) { o.object = c.object, o.cleanup = c.cleanup; });
    lab.acquire(a);
    // The connection ends before the delete arrives.
    lab.before(b, mark::zoo_delete, [&] { lab.world.faults.kill(lab.zk); });
    b.acquire_at_once();
    lab.pass(seconds(2));
    lab.world.faults.restart(lab.zk);
    lab.pass(seconds(5));
    ASSERT_TRUE(b.acquired);
    EXPECT_TRUE(b.in_doubt());
    EXPECT_EQ(lab.nodes(), c.cleanup == KazooCleanup::until_deleted ? 1U : 2U);
    a.release();
    b.acquire_at_once();
    lab.pass(seconds(52));
    EXPECT_EQ(b.holds(), !c.leaks) << "it is refused by its own node";
  }
}

// kazoo PR 490
TEST(KazooLock, AskedWhetherAGoneNodeExistsTheServerWaitsForItsCreation) {
  for (const KazooWatch watch : {KazooWatch::exists, KazooWatch::get}) {
    KazooLab lab;
    auto &a = lab.client("a"), &b = lab.client("b", [&](auto&o) { o.watch = watch; });
    lab.acquire(a);
    // a's node goes after b has seen it in the list, and before b watches it.
    lab.after(b, mark::zoo_get_children, [&] { lab.stop(b, b.task); });
    lab.acquire(b);
    lab.release(a);
    EXPECT_EQ(lab.nodes(), 1U);
    EXPECT_FALSE(b.acquired);
    lab.go_on(b, b.task);
    lab.pass(seconds(1));
    EXPECT_TRUE(b.holds());
    EXPECT_EQ(lab.server.watches(), watch == KazooWatch::exists ? 1U : 0U);
    b.release();
    lab.pass(seconds(56));
    EXPECT_EQ(lab.server.watches(), watch == KazooWatch::exists ? 1U : 0U);
  }
}

TEST(KazooLock, ATimeoutBeginsAnewWithEveryWakeUp) {
  KazooLab lab;
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a);
  b.acquire(seconds(5));
  lab.pass(seconds(3));
  lab.restart_server(seconds(1));
  lab.pass(ms(1500));
  EXPECT_FALSE(b.acquired);
  lab.pass(ms(23'500));
  EXPECT_TRUE(b.refused());
  EXPECT_GT(b.acquired_at, seconds(9));
}

// --- readers and writers

// kazoo#649
TEST(KazooReadWriteLock, AReaderThatWaitsForWritersBehindItWaitsForEver) {
  for (const KazooContenders contenders : {KazooContenders::all, KazooContenders::lower}) {
    ZooLabOf<KazooReadWriteOptions> lab("kazoo-read-write-lock", [&](auto& o) { o.contenders = contenders; });
    auto &first = lab.client("first"), &second = lab.client("second");
    auto& reader = lab.thread(lab.process("reader"), 1, {}, shares);
    lab.acquire(first, reader, second);
    EXPECT_TRUE(first.holds());
    first.release();
    lab.pass(seconds(997));
    EXPECT_EQ(reader.holds(), contenders == KazooContenders::lower);
    EXPECT_FALSE(second.holds());
  }
}

TEST(KazooReadWriteLock, StrangersDoNotCount) {
  const std::vector<std::string> children{"stranger", "a__lock__0000000001", "b__rlock__0000000002",
                                          "c__lock__0000000003", "d__lock__1"};
  const auto of = [&](const std::string& mine, KazooRole role) {
    return kazoo_predecessor(children, mine, role, KazooContenders::lower);
  };
  EXPECT_EQ(of(children[1], KazooRole::writer), "");
  EXPECT_EQ(of(children[2], KazooRole::reader), children[1]);
  EXPECT_EQ(of(children[3], KazooRole::writer), children[2]);
  EXPECT_EQ(of(children[3], KazooRole::lock), children[1]);
  EXPECT_EQ(of("e__lock__0000000009", KazooRole::lock), std::nullopt) << "not listed";
}

}  // namespace
}  // namespace picklock
