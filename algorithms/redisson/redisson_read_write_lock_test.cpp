// Redisson's read-write lock in the lab.
#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redisson/redisson_read_write_lock.hpp"

namespace picklock {
namespace {

using testing::LabProcess;
using testing::RedisLockLab;

struct ReadWrite {
  explicit ReadWrite(RedissonRelease release = RedissonRelease::v4_7)
      : options(RedissonReadWriteOptions::of(release)) {}
  std::unique_ptr<RedissonReadWriteLock> make(LabProcess& process, std::uint32_t thread, Sharing sharing,
                                              std::string_view name = "door") {
    LockContext context = process.context(thread);
    context.sharing = sharing;
    context.name = name;
    return std::make_unique<RedissonReadWriteLock>(context, options);
  }
  static Task<void> run(Host host, RedissonReadWriteLock* lock, std::optional<Acquired>* answer) {
    auto acquired = co_await lock->acquire(Patience::lasting(host, milliseconds(100)));
    *answer = std::move(acquired);
  }
  static Task<void> run_release(Host, RedissonReadWriteLock* lock, std::optional<Outcome<>>* answer) {
    auto released = co_await lock->release(Hold());
    *answer = std::move(released);
  }
  bool take(LabProcess& process, RedissonReadWriteLock& lock) {
    std::optional<Acquired> answer;
    process.host().spawn("client", run(process.host(), &lock, &answer));
    world.run_on(milliseconds(200));
    return answer && answer->yes();
  }
  bool give(LabProcess& process, RedissonReadWriteLock& lock) {
    std::optional<Outcome<>> answer;
    process.host().spawn("client", run_release(process.host(), &lock, &answer));
    world.run_on(milliseconds(20));
    return answer && answer->yes();
  }
  bool exists(const std::string& key) { return world.server.ask("EXISTS", key) == "1"; }
  RedisLockLab world;
  RedissonReadWriteOptions options;
};

TEST(RedissonReadWriteLock, ReadersShareAndAWriterIsAlone) {
  ReadWrite rw;
  const auto p = rw.world.process(1), q = rw.world.process(2);
  const auto read_p = rw.make(*p, 1, Sharing::shared), read_q = rw.make(*q, 1, Sharing::shared);
  const auto write_p = rw.make(*p, 1, Sharing::exclusive), write_q = rw.make(*q, 1, Sharing::exclusive);
  EXPECT_TRUE(rw.take(*p, *read_p));
  EXPECT_TRUE(rw.take(*q, *read_q));
  EXPECT_FALSE(rw.take(*p, *write_p)) << "a reader does not become a writer";
  rw.give(*p, *read_p);
  EXPECT_FALSE(rw.take(*p, *write_p)) << "q reads";
  rw.give(*q, *read_q);
  EXPECT_TRUE(rw.take(*p, *write_p));
  EXPECT_FALSE(rw.take(*q, *read_q));
  EXPECT_FALSE(rw.take(*q, *write_q));
  EXPECT_TRUE(rw.take(*p, *read_p)) << "a writer may read";
  rw.give(*p, *write_p);
  EXPECT_TRUE(rw.take(*q, *read_q)) << "and leave to its own read";
  rw.give(*p, *read_p);
  rw.give(*q, *read_q);
  EXPECT_EQ(rw.world.server.ask("DBSIZE"), "0");
  rw.world.runtime.kill(1);
  rw.world.runtime.kill(2);
}

TEST(RedissonReadWriteBug7098, ALiveReaderKeepsADeadOnesHold) {
  for (const RedissonRelease release : {RedissonRelease::v3_16_8, RedissonRelease::v3_52, RedissonRelease::v4_7}) {
    const bool renews_all = release != RedissonRelease::v4_7;
    ReadWrite rw(release);
    const auto p = rw.world.process(1), q = rw.world.process(2);
    const auto dead = rw.make(*p, 1, Sharing::shared), alive = rw.make(*q, 1, Sharing::shared);
    EXPECT_TRUE(rw.take(*p, *dead));
    EXPECT_TRUE(rw.take(*q, *alive));
    rw.world.runtime.kill(1);
    rw.world.run(seconds(60));
    EXPECT_EQ(rw.exists("door:" + dead->owner() + ":rwlock_timeout:1"), renews_all);
    EXPECT_TRUE(rw.give(*q, *alive));
    EXPECT_EQ(rw.exists("door"), renews_all);
    rw.world.runtime.kill(2);
  }
}

TEST(RedissonReadWriteRenewal, AllReadersOfAProcessAreRenewedByEveryRelease) {
  for (const RedissonRelease release : {RedissonRelease::v3_16_8, RedissonRelease::v3_52, RedissonRelease::v4_7}) {
    ReadWrite rw(release);
    const auto p = rw.world.process(1), q = rw.world.process(2);
    const auto first = rw.make(*p, 1, Sharing::shared), second = rw.make(*p, 2, Sharing::shared);
    const auto writer = rw.make(*q, 1, Sharing::exclusive);
    EXPECT_TRUE(rw.take(*p, *first));
    EXPECT_TRUE(rw.take(*p, *second));
    rw.world.run(seconds(60));
    EXPECT_TRUE(rw.give(*p, *first));
    EXPECT_FALSE(rw.take(*q, *writer)) << "the second still reads";
    rw.world.run(seconds(120));
    EXPECT_TRUE(rw.exists("door"));
    EXPECT_TRUE(rw.give(*p, *second));
    EXPECT_TRUE(rw.take(*q, *writer));
    rw.world.runtime.kill(1);
    rw.world.runtime.kill(2);
  }
}

TEST(RedissonReadWriteRenewal, TheFirstNamesKeyTimedTheOthersHolds) {
  for (const RedissonRelease release : {RedissonRelease::v3_16_8, RedissonRelease::v3_52, RedissonRelease::v4_7}) {
    ReadWrite rw(release);
    const auto p = rw.world.process(1);
    const auto other = rw.make(*p, 1, Sharing::shared, "atrium");
    const auto first = rw.make(*p, 1, Sharing::shared), second = rw.make(*p, 2, Sharing::shared);
    EXPECT_TRUE(rw.take(*p, *other));
    EXPECT_TRUE(rw.take(*p, *first));
    EXPECT_TRUE(rw.take(*p, *second));
    rw.world.run(seconds(60));
    EXPECT_TRUE(rw.exists("atrium") && rw.exists("door"));
    const bool timed = release != RedissonRelease::v3_52;
    EXPECT_EQ(rw.exists("door:" + first->owner() + ":rwlock_timeout:1"), timed);
    EXPECT_TRUE(rw.give(*p, *first));
    EXPECT_EQ(rw.exists("door"), timed) << "the second still reads";
    rw.world.runtime.kill(1);
  }
}

TEST(RedissonReadWriteRenewal, ANestedReadMadeTheRequestFail) {
  for (const RedissonRelease release : {RedissonRelease::v3_16_8, RedissonRelease::v3_52, RedissonRelease::v4_7}) {
    ReadWrite rw(release);
    const auto p = rw.world.process(1);
    const auto read = rw.make(*p, 1, Sharing::shared);
    EXPECT_TRUE(rw.take(*p, *read));
    EXPECT_TRUE(rw.take(*p, *read));
    rw.world.run(seconds(60));
    EXPECT_TRUE(rw.exists("door")) << "prolonged before the failure";
    EXPECT_EQ(rw.exists("door:" + read->owner() + ":rwlock_timeout:2"), release != RedissonRelease::v3_52);
    rw.world.runtime.kill(1);
  }
}

TEST(RedissonReadWriteRenewal, AWriterThatHasReadIsRenewedNoMore) {
  for (const RedissonRelease release : {RedissonRelease::v3_16_8, RedissonRelease::v3_52, RedissonRelease::v4_7}) {
    for (const bool repaired : {false, true}) {
      ReadWrite rw(release);
      if (repaired) rw.options.cancels_writer = false;
      const auto p = rw.world.process(1);
      const auto write = rw.make(*p, 1, Sharing::exclusive), read = rw.make(*p, 1, Sharing::shared);
      EXPECT_TRUE(rw.take(*p, *write));
      EXPECT_TRUE(rw.take(*p, *read));
      EXPECT_TRUE(rw.give(*p, *read));
      rw.world.run(seconds(60));
      EXPECT_EQ(rw.exists("door"), repaired || release == RedissonRelease::v3_16_8);
      rw.world.runtime.kill(1);
    }
  }
}

TEST(RedissonReadWriteRenewal, AWriterThatReadsOnWasRenewedAsAWriter) {
  for (const RedissonRelease release : {RedissonRelease::v3_16_8, RedissonRelease::v3_52, RedissonRelease::v4_7}) {
    ReadWrite rw(release);
    const auto p = rw.world.process(1);
    const auto write = rw.make(*p, 1, Sharing::exclusive), read = rw.make(*p, 1, Sharing::shared);
    EXPECT_TRUE(rw.take(*p, *write));
    EXPECT_TRUE(rw.take(*p, *read));
    EXPECT_TRUE(rw.give(*p, *write));
    rw.world.run(seconds(60));
    EXPECT_EQ(rw.exists("door"), release != RedissonRelease::v3_16_8) << "the write lock's field is not there";
    rw.world.runtime.kill(1);
  }
}

TEST(RedissonReadWriteLock, TheUnlockOfALockThatIsOver) {
  for (const RedissonRelease release : {RedissonRelease::v3_16_8, RedissonRelease::v3_52, RedissonRelease::v4_7}) {
    for (const Sharing sharing : {Sharing::shared, Sharing::exclusive}) {
      ReadWrite rw(release);
      rw.options.lock.renewal = RedissonRenewal::none;
      rw.options.lock.lease = seconds(1);
      const auto p = rw.world.process(1);
      const auto lock = rw.make(*p, 1, sharing);
      EXPECT_TRUE(rw.take(*p, *lock));
      rw.world.run(seconds(2));
      EXPECT_EQ(rw.give(*p, *lock), release == RedissonRelease::v3_16_8);
      rw.world.runtime.kill(1);
    }
  }
}

// The inner acquisition times itself alone: once it is given back, the outer one's lease is what it was.
TEST(RedissonReadWriteLock, ANestedReadDoesNotProlongTheOuterOne) {
  ReadWrite rw;
  rw.options.lock.renewal = RedissonRenewal::none;
  const auto p = rw.world.process(1);
  const auto read = rw.make(*p, 1, Sharing::shared);
  ASSERT_TRUE(rw.take(*p, *read));
  const auto outer = read->deadline(Hold());
  ASSERT_TRUE(rw.take(*p, *read));
  EXPECT_GT(read->deadline(Hold()), outer);
  rw.give(*p, *read);
  EXPECT_EQ(read->deadline(Hold()), outer);
  rw.world.runtime.kill(1);
}

TEST(RedissonReadWriteLock, ALateRenewalFindsTheInnerReadAloneAndItsUnlockFreesTheLock) {
  for (const RedissonRelease release : {RedissonRelease::v3_16_8, RedissonRelease::v3_52, RedissonRelease::v4_7}) {
    for (const bool late : {true, false}) {
      ReadWrite rw(release);
      rw.options.lock.lease = milliseconds(300);
      bool stopped = late;
      rw.world.runtime.at_mark = [&](NodeId, MarkSide, Mark m) { return m != mark::renews || !stopped; };
      const auto p = rw.world.process(1);
      const auto read = rw.make(*p, 1, Sharing::shared);
      ASSERT_TRUE(rw.take(*p, *read));
      ASSERT_TRUE(rw.take(*p, *read));
      stopped = false;
      rw.world.runtime.go_on(1);
      rw.world.run_on(milliseconds(10));
      EXPECT_TRUE(rw.exists("door"));
      EXPECT_GT(read->deadline(Hold())->ns, rw.world.runtime.now) << "of the inner one";
      EXPECT_TRUE(rw.give(*p, *read));
      // In 3.52 a nested read makes every renewal fail.
      const bool kept = !late && release != RedissonRelease::v3_52;
      EXPECT_EQ(rw.exists("door"), kept);
      EXPECT_EQ(read->deadline(Hold())->ns > rw.world.runtime.now, kept) << "of the outer one";
      rw.world.runtime.kill(1);
    }
  }
}

}  // namespace
}  // namespace picklock
