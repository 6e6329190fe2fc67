// Redisson's read-write lock in the lab.
#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redisson/redisson_read_write_lock.hpp"

namespace picklock {
namespace {

using testing::LabProcess;
using testing::RedisLockLab;

struct ReadWrite {
  explicit ReadWrite(bool renews_all = false) : world() { options.renews_all_readers = renews_all; }
  std::unique_ptr<RedissonReadWriteLock> make(LabProcess& process, std::uint32_t thread, Sharing sharing) {
    LockContext context = process.context(thread);
    context.sharing = sharing;
    return std::make_unique<RedissonReadWriteLock>(context, options);
  }
  static Task<void> run(Host host, RedissonReadWriteLock* lock, std::optional<Acquired>* answer) {
    auto acquired = co_await lock->acquire(Patience::lasting(host, milliseconds(100)));
    *answer = std::move(acquired);
  }
  static Task<void> run_release(Host, RedissonReadWriteLock* lock) { (void)co_await lock->release(Hold()); }
  bool take(LabProcess& process, RedissonReadWriteLock& lock) {
    std::optional<Acquired> answer;
    process.host().spawn("client", run(process.host(), &lock, &answer));
    world.run_on(milliseconds(200));
    return answer && answer->yes();
  }
  void give(LabProcess& process, RedissonReadWriteLock& lock) {
    process.host().spawn("client", run_release(process.host(), &lock));
    world.run_on(milliseconds(20));
  }
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
  for (const bool renews_all : {true, false}) {
    ReadWrite rw(renews_all);
    const auto p = rw.world.process(1), q = rw.world.process(2);
    const auto dead = rw.make(*p, 1, Sharing::shared), alive = rw.make(*q, 1, Sharing::shared);
    EXPECT_TRUE(rw.take(*p, *dead));
    EXPECT_TRUE(rw.take(*q, *alive));
    rw.world.runtime.kill(1);
    rw.world.run(seconds(60));
    EXPECT_EQ(rw.world.server.ask("EXISTS", "door:" + dead->owner() + ":rwlock_timeout:1"), renews_all ? "1" : "0");
    rw.give(*q, *alive);
    EXPECT_EQ(rw.world.server.ask("EXISTS", "door"), renews_all ? "1" : "0");
    rw.world.runtime.kill(2);
  }
}

}  // namespace
}  // namespace picklock
