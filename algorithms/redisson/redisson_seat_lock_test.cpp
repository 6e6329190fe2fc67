#include "algorithms/redisson/redisson_seat_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace {

using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

struct Customer : LabClient {
  template <class Edit>
  Customer(RedisLockLab& world, NodeId node, Edit edit)
      : LabClient(world.process(node), 1, "redisson-seat-lock", options_of<RedissonSeatOptions>(edit)) {}
};

void with_lease(RedissonSeatOptions& o) {
  o.lock.renewal = RedissonRenewal::none;
  o.seat_renewal = false;
}

TEST(RedissonSeatLock, TheRenewalProlongsWhateverLockComesNext) {
  for (const SeatRenewalEnds ends : {SeatRenewalEnds::never, SeatRenewalEnds::at_release}) {
    RedisLockLab world;
    Customer a(world, 1, [&](RedissonSeatOptions& o) { o.seat_renewal_ends = ends; });
    a.acquire();
    world.run(seconds(1));
    a.release(a.hold());
    world.run(seconds(2));
    {
      Customer b(world, 2, with_lease);
      b.acquire();
      world.run(seconds(3));
      ASSERT_TRUE(b.holds());
      EXPECT_EQ(world.pttl() / 1000, 29);
      world.run(seconds(6));
      EXPECT_EQ(world.pttl() / 1000, ends == SeatRenewalEnds::never ? 599 : 26);
    }  // b dies
    world.run(seconds(3600));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), ends == SeatRenewalEnds::never ? "1" : "0");
  }
}

TEST(RedissonSeatLock, TheWatchdogSetsTheTenMinutesBackToHalfAMinute) {
  RedisLockLab world;
  Customer a(world, 1, [](RedissonSeatOptions&) {});
  a.acquire();
  world.run(milliseconds(9000));
  EXPECT_GT(world.pttl(), 590'000);
  // Both are due at 10 s; whichever comes second has the word.
  bool half_a_minute = false;
  for (std::int64_t ms = 9990; ms < 10'020; ++ms) {
    world.run(milliseconds(ms));
    half_a_minute |= world.pttl() <= 30'000;
  }
  EXPECT_TRUE(half_a_minute);
}

TEST(RedissonSeatLock, TheLeaseMayEndBetweenTheLookAndTheUnlock) {
  RedisLockLab world;
  Customer a(world, 1, with_lease);
  a.acquire();
  world.run(milliseconds(10));
  world.runtime.at(milliseconds(12).ns, [&] { world.server.ask("DEL", "door"); });
  a.release(a.hold());
  world.run(milliseconds(30));
  ASSERT_TRUE(a.released);
  EXPECT_EQ(a.released->why(), Why::refused);
  EXPECT_TRUE(std::any_of(world.server.log.begin(), world.server.log.end(), [](const std::string& line) {
    return line.starts_with("EVAL redisson-unlock");
  })) << "it was held when it looked";
}

TEST(RedissonSeatLock, ALeaseIsGivenBackOnlyByItsHolder) {
  RedisLockLab world;
  Customer a(world, 1, with_lease);
  a.acquire();
  world.run(seconds(31));  // the lease is over
  a.release(a.hold());
  world.run(seconds(32));
  EXPECT_EQ(a.released->why(), Why::refused);
}

}  // namespace
}  // namespace picklock
