#include "algorithms/redis/renewal.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/getset_timestamp_renewing.hpp"
#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redis/set_nx_px.hpp"

namespace picklock {
namespace renewal_test {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

// Leases of 90 ms, renewed every 30.
std::function<void(Options&)> renewing() {
  return options_of<SetNxPxOptions>([](SetNxPxOptions& o) {
    o.ttl = milliseconds(90);
    o.renewal = true;
  });
}

struct Holder {
  Holder() : a(world.server, 1, "set-nx-px", renewing()) {
    a.acquire(Patience::unlimited(a.host()));
    world.run(milliseconds(2));  // granted at 2 ms
  }
  std::size_t renewals() const {
    std::size_t n = 0;
    for (const std::string& line : world.server.log) {
      n += line.starts_with("EVAL expire-if-equals");
    }
    return n;
  }
  bool lost() { return a.lock->lost()->is_set(); }

  RedisLockLab world;
  LabClient a;
};

TEST(Renewal, KeepsTheLockFarBeyondOneLease) {
  Holder holder;
  EXPECT_EQ(holder.world.runtime.spawned.back(), std::pair(NodeId{1}, std::string("renewal")));
  holder.world.run(seconds(2));
  EXPECT_EQ(holder.world.server.ask("GET", "door"), '"' + holder.a.hold().value + '"');
  EXPECT_EQ(holder.renewals(), 62U) << "one in 30 ms and a round trip of 2 ms";
  EXPECT_FALSE(holder.lost());
}

TEST(Renewal, MovesTheDeadline) {
  Holder holder;
  EXPECT_EQ(holder.a.lock->deadline(holder.a.hold()), MonoTime{} + milliseconds(90));
  holder.world.run(milliseconds(40));
  const MonoTime due = MonoTime{} + milliseconds(32 + 90);
  EXPECT_EQ(holder.a.lock->deadline(holder.a.hold()), due);
  EXPECT_EQ(holder.world.runtime.leases[1].back(), due);
}

TEST(Renewal, WithoutTheOptionThereIsNone) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px");
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(10));
  EXPECT_EQ(world.runtime.tasks(), 0U);
  EXPECT_EQ(a.lock->lost(), nullptr);
}

TEST(Renewal, EndsWithTheReleaseAtOnce) {
  Holder holder;
  holder.world.run(milliseconds(50));
  holder.a.release(holder.a.hold());
  holder.world.run(milliseconds(50));
  EXPECT_EQ(holder.world.runtime.tasks(), 1U) << "only the release is still under way";
  holder.world.run(milliseconds(53));
  EXPECT_TRUE(holder.a.released->yes());
  const std::size_t sent = holder.renewals();
  holder.world.run(seconds(1));
  EXPECT_EQ(holder.renewals(), sent);
  EXPECT_FALSE(holder.lost());
  EXPECT_EQ(holder.world.runtime.waits(), 0U);
  EXPECT_EQ(holder.world.runtime.arena().live(), 0U);
}

TEST(Renewal, FindsOutThatTheLockIsLost) {
  Holder holder;
  holder.world.server.ask("SET", "door", "another");
  holder.world.run(milliseconds(33));
  EXPECT_FALSE(holder.lost());
  holder.world.run(milliseconds(34));
  EXPECT_TRUE(holder.lost());
  EXPECT_EQ(holder.world.runtime.tasks(), 0U) << "it stops";
  EXPECT_EQ(holder.world.server.ask("PTTL", "door"), "-1") << "the other's lock is untouched";
}

TEST(Renewal, ANewGrantIsNotLost) {
  Holder holder;
  holder.world.server.ask("DEL", "door");
  holder.world.run(milliseconds(40));
  ASSERT_TRUE(holder.lost());
  holder.a.acquire(Patience::unlimited(holder.a.host()));
  holder.world.run(milliseconds(45));
  ASSERT_TRUE(holder.a.holds());
  EXPECT_FALSE(holder.lost());
  holder.world.run(seconds(1));
  EXPECT_FALSE(holder.lost());
  EXPECT_EQ(holder.world.server.ask("EXISTS", "door"), "1");
}

TEST(Renewal, NoAnswerIsNoLoss) {
  for (const Fate fate : {Fate::request_lost, Fate::reply_lost, Fate::not_connected, Fate::cut}) {
    Holder holder;
    holder.world.server.next(1, {fate});
    holder.world.run(seconds(1));
    EXPECT_FALSE(holder.lost());
    EXPECT_EQ(holder.world.server.ask("EXISTS", "door"), "1");
  }
}

TEST(Renewal, StoppedAloneItLetsTheLeaseRunOut) {
  Holder holder;
  bool stopped = true;
  holder.world.runtime.at_mark = [&](NodeId, MarkSide, Mark m) { return !stopped || m != mark::renews; };
  holder.world.run(milliseconds(200));
  EXPECT_EQ(holder.world.server.ask("EXISTS", "door"), "0");
  EXPECT_FALSE(holder.lost()) << "nobody tells the holder";
  stopped = false;
  holder.world.runtime.go_on(1);
  holder.world.run(milliseconds(203));
  EXPECT_TRUE(holder.lost());
}

TEST(Renewal, DiesWithItsProcess) {
  Holder holder;
  holder.world.run(milliseconds(50));
  holder.world.runtime.kill(1);
  EXPECT_EQ(holder.world.runtime.tasks(), 0U);
  EXPECT_EQ(holder.world.runtime.waits(), 0U);
  holder.world.run(milliseconds(200));
  EXPECT_EQ(holder.world.server.ask("EXISTS", "door"), "0");
}

// A renewal of the first hold is under way while that hold ends and a second begins: its refusal
// no longer matters.
TEST(Renewal, ServesOneHoldOnly) {
  Holder holder;
  holder.world.server.next(1, {Fate::slow});
  holder.world.run(milliseconds(33));  // sent at 32, at the server at 42
  holder.a.release(holder.a.hold());
  holder.world.run(milliseconds(36));
  holder.a.acquire(Patience::unlimited(holder.a.host()));
  holder.world.run(milliseconds(40));
  ASSERT_TRUE(holder.a.holds());
  EXPECT_EQ(holder.world.runtime.tasks(), 2U);
  holder.world.run(milliseconds(45));
  EXPECT_EQ(holder.renewals(), 1U);
  EXPECT_FALSE(holder.lost());
  EXPECT_EQ(holder.world.runtime.tasks(), 1U) << "the renewal of the second hold";
  holder.world.run(seconds(1));
  EXPECT_EQ(holder.world.server.ask("EXISTS", "door"), "1");
}

TEST(Renewal, ABareDelEndsItToo) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px-unsafe-del", renewing());
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(40));
  EXPECT_EQ(world.runtime.tasks(), 1U);
  a.release(a.hold());
  world.run(milliseconds(50));
  EXPECT_EQ(world.runtime.tasks(), 0U);
}

TEST(Renewal, DeclaresWhereItStands) {
  Holder holder;
  holder.world.run(milliseconds(70));
  const auto& declared = holder.world.runtime.declared;
  ASSERT_GE(declared.size(), 4U);
  EXPECT_NE(declared[0], declared[1]) << "sleeping, renewing";
  EXPECT_EQ(declared[0], declared[2]);
  EXPECT_EQ(declared[1], declared[3]);
}

// --- the renewal whose failure goes unnoticed

std::function<void(Options&)> stamps() {
  return options_of<GetsetTimestampRenewingOptions>([](GetsetTimestampRenewingOptions& o) {
    o.lock.timeout = milliseconds(90);
    o.lock.margin = milliseconds(10);
  });
}

TEST(GetsetTimestampRenewing, KeepsTheLockWhileRenewalsSucceed) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp-renewing", stamps());
  LabClient b(world.server, 2, "getset-timestamp-renewing", stamps());
  a.acquire(Patience::unlimited(a.host()));
  b.acquire(Patience::lasting(b.host(), milliseconds(900)));
  world.run(seconds(1));
  EXPECT_TRUE(a.holds());
  EXPECT_TRUE(b.acquired->refused());
  EXPECT_GT(*a.lock->deadline(a.hold()), MonoTime{} + seconds(1));
  EXPECT_EQ(a.lock->lost(), nullptr);
}

TEST(GetsetTimestampRenewing, AFailedRenewalThenDelFreesAnothersLock) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp-renewing", stamps());
  LabClient b(world.server, 2, "getset-timestamp-renewing", stamps());
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  world.server.next(1, {Fate::request_lost, Fate::request_lost});
  b.acquire(Patience::unlimited(b.host()));
  world.run(milliseconds(125));
  ASSERT_TRUE(b.holds()) << "a's stamp has expired";
  a.release(a.hold());
  world.run(milliseconds(130));
  EXPECT_TRUE(a.released->yes());
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0") << "b's lock, deleted by a";
}

TEST(GetsetTimestampRenewing, ALateRenewalOverwritesAnothersStamp) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp-renewing", stamps());
  LabClient b(world.server, 2, "getset-timestamp", options_of<GetsetTimestampOptions>([](auto& o) {
                o.timeout = milliseconds(90);
                o.margin = milliseconds(10);
              }));
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  world.server.next(1, {Fate::request_lost, Fate::request_lost});
  b.acquire(Patience::unlimited(b.host()));
  world.run(milliseconds(120));
  ASSERT_TRUE(b.holds());
  world.run(milliseconds(150));
  EXPECT_NE(world.server.ask("GET", "door"), '"' + b.hold().value + '"');
}

TEST(GetsetTimestampRenewing, ARenewalDoesNotBringTheKeyBack) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp-renewing", stamps());
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  world.server.ask("DEL", "door");
  world.run(milliseconds(200));
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
  EXPECT_EQ(world.runtime.tasks(), 1U) << "it carries on";
}

}  // namespace renewal_test
}  // namespace picklock
