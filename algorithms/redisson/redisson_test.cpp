// Redisson's locks on the toy world: what they promise, and each of their known bugs beside its repair.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/redisson/redis_scripts_redisson.hpp"
#include "algorithms/redisson/redisson_fair_lock.hpp"
#include "algorithms/redisson/redisson_multi_lock.hpp"
#include "algorithms/redisson/redisson_read_write_lock.hpp"
#include "algorithms/redisson/redisson_spin_lock.hpp"
#include "algorithms/test_world.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::options_of;
using testing::ToyClient;
using testing::ToyProcess;
using testing::ToyWorld;

template <class Edit>
auto plain(Edit edit) {
  return options_of<RedissonOptions>(edit);
}
auto quick(RedissonOptions& o) { o.retry_delay = Law::constant(milliseconds(5)); }

long count(const ToyWorld& world, std::string_view command) {
  const auto& log = world.servers.front().log;
  return std::count_if(log.begin(), log.end(), [&](const std::string& line) { return line.starts_with(command); });
}
std::int64_t pttl(ToyWorld& world, const std::string& key = "door") { return std::stoll(world.server.ask("PTTL", key)); }
void unlimited(ToyClient& c) { c.acquire(Patience::unlimited(c.host())); }

TEST(RedissonLock, CountsAcquisitionsAndReleases) {
  ToyWorld world;
  ToyClient a(world.process(1), 1, "redisson-lock");
  unlimited(a);
  world.run(milliseconds(10));
  const Hold hold = a.hold();
  unlimited(a);
  world.run(milliseconds(20));
  EXPECT_EQ(world.server.ask("HGET", "door", hold.value), "\"2\"");
  for (const char* left : {"\"1\"", "nil"}) {
    a.release(hold);
    world.run(Duration{world.runtime.now} + milliseconds(10));
    EXPECT_TRUE(a.released->yes());
    EXPECT_EQ(world.server.ask("HGET", "door", hold.value), left);
  }
  a.release(hold);
  world.run(milliseconds(60));
  EXPECT_EQ(a.released->why(), Why::refused) << "not locked by the current thread";
}

TEST(RedissonLock, AMessageWakesTheWaiterLongBeforeTheLeaseIsOver) {
  ToyWorld world;
  ToyClient a(world.process(1), 1, "redisson-lock"), b(world.process(2), 1, "redisson-lock");
  unlimited(a);
  world.run(milliseconds(10));
  unlimited(b);
  world.run(seconds(2));
  ASSERT_FALSE(b.holds());
  EXPECT_EQ(count(world, "EVAL redisson-acquire"), 3) << "b asked, subscribed, asked, and waits";
  a.release(a.hold());
  world.run(seconds(2) + milliseconds(10));
  EXPECT_TRUE(b.holds());
}

TEST(RedissonLock, TheThreadsOfAProcessShareOneSubscription) {
  ToyWorld world;
  ToyClient a(world.process(1), 1, "redisson-lock");
  const auto jvm = world.process(2);
  ToyClient b(jvm, 1, "redisson-lock"), c(jvm, 2, "redisson-lock");
  unlimited(a);
  world.run(milliseconds(10));
  unlimited(b);
  unlimited(c);
  world.run(milliseconds(100));
  EXPECT_EQ(count(world, "SUBSCRIBE"), 1);
  a.release(a.hold());
  world.run(milliseconds(200));
  EXPECT_EQ(b.holds() + c.holds(), 1) << "one message, one permit";
  ToyClient& first = b.holds() ? b : c;
  first.release(first.hold());
  world.run(milliseconds(300));
  EXPECT_TRUE(b.holds() && c.holds());
  EXPECT_EQ(count(world, "UNSUBSCRIBE"), 1) << "when the last one has gone";
}

TEST(RedissonLock, TryLockGivesUpAfterItsWaitTime) {
  ToyWorld world;
  ToyClient a(world.process(1), 1, "redisson-lock"), b(world.process(2), 1, "redisson-lock");
  unlimited(a);
  world.run(milliseconds(10));
  b.acquire(Patience::lasting(b.host(), milliseconds(50)));
  world.run(milliseconds(59));
  EXPECT_FALSE(b.acquired);
  world.run(milliseconds(61));
  ASSERT_TRUE(b.acquired);
  EXPECT_EQ(b.acquired->why(), Why::refused);
}

TEST(RedissonLock, AStepOfTheWallClockEndsTheWaitTime) {  // System.currentTimeMillis
  ToyWorld world;
  ToyClient a(world.process(1), 1, "redisson-lock"), b(world.process(2), 1, "redisson-lock");
  unlimited(a);
  world.run(milliseconds(10));
  world.runtime.at(milliseconds(12).ns, [&] { world.runtime.wall_offset[2] = seconds(60).ns; });
  b.acquire(Patience::lasting(b.host(), seconds(30)));
  world.run(milliseconds(30));
  EXPECT_TRUE(b.acquired) << "after 20 ms of 30 s";
}

TEST(RedissonWatchdog, BothVersionsRenewEveryThirdOfALease) {
  for (const std::string_view kind : {"redisson-lock", "redisson-lock-3-16"}) {
    ToyWorld world;
    ToyClient a(world.process(1), 1, kind);
    unlimited(a);
    world.run(milliseconds(9999));
    EXPECT_LT(pttl(world), 20'100);
    world.run(milliseconds(10'010));
    EXPECT_GT(pttl(world), 29'900) << kind;
    EXPECT_GT(*a.lock->deadline(a.hold()), *a.hold().deadline) << kind;
    world.run(seconds(100));
    EXPECT_GT(pttl(world), 19'000) << kind;
    a.release(a.hold());
    world.run(seconds(200));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
    EXPECT_EQ(world.runtime.tasks(), 0U) << kind;
  }
}

TEST(RedissonWatchdog, ALeaseTimeIsNeverRenewed) {
  ToyWorld world;
  ToyClient a(world.process(1), 1, "redisson-lock", plain([](RedissonOptions& o) { o.renewal = RedissonRenewal::none; }));
  unlimited(a);
  world.run(seconds(31));
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
}

TEST(RedissonWatchdog, TheChainRenewsAChunkAfterTheOther) {
  for (const std::int64_t batch : {1, 2}) {
    ToyWorld world;
    const auto process = world.process(1);
    RedissonOptions o;
    o.renewal_batch = batch;
    std::vector<std::unique_ptr<RedissonLock>> locks;
    for (const std::string_view name : {"x", "y", "z"}) {
      locks.push_back(std::make_unique<RedissonLock>(process->context(1), name, 0, o));
      auto& watchdog = locks.back()->client().watchdog();
      world.server.ask("HSET", name, locks.back()->owner(), 1);
      watchdog.add(std::string(name), locks.back()->owner(), RedissonRenewedAs::owner);
    }
    world.run(milliseconds(10'001));
    EXPECT_EQ(count(world, "EVAL redisson-renew"), 1) << "the others wait for its answer";
    world.run(milliseconds(10'100));
    EXPECT_EQ(count(world, "EVAL redisson-renew"), batch == 1 ? 3 : 2);
    for (const char* name : {"x", "y", "z"}) EXPECT_GT(pttl(world, name), 29'000);
    world.runtime.kill(1);
  }
}

// --- bugs beside their repairs

TEST(RedissonBug7367, AnAcquireSentTwiceCountsTwo) {
  for (const AcquireResend resend : {AcquireResend::never, AcquireResend::on_timeout}) {
    ToyWorld world;
    ToyClient a(world.process(1), 1, "redisson-lock", plain([&](RedissonOptions& o) {
      quick(o);
      o.acquire_resend = resend;
    }));
    world.server.next(1, {Fate::reply_lost});
    unlimited(a);
    world.run(milliseconds(50));
    ASSERT_TRUE(a.acquired);
    if (resend == AcquireResend::never) {
      EXPECT_TRUE(a.acquired->unknown());
      continue;
    }
    ASSERT_TRUE(a.holds());
    EXPECT_EQ(world.server.ask("HGET", "door", a.hold().value), "\"2\"");
    a.release(a.hold());
    world.run(seconds(120));
    EXPECT_TRUE(a.released->yes());
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "1") << "held by nobody, renewed for ever";
  }
}

TEST(RedissonUnlockLatch, ARepeatedUnlockGetsTheFirstOnesAnswer) {
  for (const bool latch : {true, false}) {
    ToyWorld world;
    ToyClient a(world.process(1), 1, "redisson-lock", plain([&](RedissonOptions& o) {
      quick(o);
      o.unlock_latch = latch;
    }));
    unlimited(a);
    world.run(milliseconds(10));
    world.server.next(1, {Fate::reply_lost});
    a.release(a.hold());
    world.run(milliseconds(60));
    EXPECT_EQ(a.released->yes(), latch);
    EXPECT_EQ(world.server.ask("DBSIZE"), "0") << "the latch is deleted";
  }
}

TEST(RedissonBug7272, AGrantWhoseCallerHasGoneIsRenewedForEver) {
  for (const RenewalStart start : {RenewalStart::after_the_grant, RenewalStart::before_the_request}) {
    ToyWorld world;
    ToyClient a(world.process(1), 1, "redisson-lock", plain([&](RedissonOptions& o) { o.renewal_start = start; }));
    a.acquire_within(Patience::unlimited(a.host()), microseconds(1500));  // executed, not answered
    world.run(seconds(300));
    ASSERT_FALSE(a.holds());
    EXPECT_EQ(world.server.ask("EXISTS", "door"), start == RenewalStart::after_the_grant ? "1" : "0");
  }
}

TEST(RedissonBug2515, OneFailedRenewalIsTheLast) {
  for (const RenewalError error : {RenewalError::goes_on, RenewalError::ends}) {
    for (const RedissonRenewal renewal : {RedissonRenewal::per_lock, RedissonRenewal::chain}) {
      ToyWorld world;
      ToyClient a(world.process(1), 1, "redisson-lock", plain([&](RedissonOptions& o) {
        o.retry_attempts = 0;
        o.renewal = renewal;
        o.renewal_error = error;
      }));
      unlimited(a);
      world.run(seconds(1));
      world.server.next(1, {Fate::request_lost});
      world.run(seconds(45));
      EXPECT_EQ(world.server.ask("EXISTS", "door"), error == RenewalError::goes_on ? "1" : "0");
    }
  }
}

TEST(RedissonBug5761, AMessageBetweenTheLookAndTheRegistrationIsMissed) {
  for (const RedissonWaiter waiter : {RedissonWaiter::listener, RedissonWaiter::unchecked_listener}) {
    ToyWorld world;
    ToyClient a(world.process(1), 1, "redisson-lock");
    ToyClient b(world.process(2), 1, "redisson-lock", plain([&](RedissonOptions& o) { o.waiter = waiter; }));
    unlimited(a);
    world.run(milliseconds(10));
    world.runtime.at_mark = [](NodeId node, MarkSide, Mark m) { return node != 2 || m != mark::yields; };
    unlimited(b);
    world.run(milliseconds(100));
    a.release(a.hold());
    world.run(milliseconds(200));
    world.runtime.at_mark = {};
    world.runtime.go_on(2);
    world.run(milliseconds(300));
    EXPECT_EQ(b.holds(), waiter == RedissonWaiter::listener);
    world.run(seconds(31));
    EXPECT_TRUE(b.holds()) << "after the whole ttl";
  }
}

TEST(RedissonBug4818, AGrantLeavesItsLeaseToTheCallsAfterIt) {
  for (const LeaseField field : {LeaseField::of_the_call, LeaseField::when_acquired}) {
    ToyWorld world;
    ToyClient a(world.process(1), 1, "redisson-lock", plain([&](RedissonOptions& o) {
      o.lease_field = field;
      o.other_lease = seconds(3600);
      o.other_lease_by = OtherLeaseBy::first_call;
    }));
    unlimited(a);
    world.run(milliseconds(10));
    a.release(a.hold());
    world.run(milliseconds(20));
    unlimited(a);
    world.run(milliseconds(30));
    EXPECT_EQ(pttl(world) > 30'000, field == LeaseField::when_acquired);
  }
}

TEST(RedissonBug3484, ARefusedAttemptChangesTheHoldersRenewals) {
  for (const LeaseField field : {LeaseField::of_the_call, LeaseField::when_asked}) {
    ToyWorld world;
    const auto jvm = world.process(1);
    const auto edit = plain([&](RedissonOptions& o) {
      o.renewal = RedissonRenewal::per_lock;
      o.lease_field = field;
      o.other_lease = seconds(3600);
      o.other_lease_by = OtherLeaseBy::other_threads;
    });
    ToyClient a(jvm, 1, "redisson-lock", edit), b(jvm, 2, "redisson-lock", edit);
    unlimited(a);
    b.acquire(Patience::one_attempt(b.host()));  // refused, and ahead of the answer to a
    world.run(seconds(39));
    EXPECT_FALSE(b.holds());
    EXPECT_EQ(world.server.ask("EXISTS", "door"), field == LeaseField::of_the_call ? "1" : "0");
  }
}

// --- the other locks

TEST(RedissonFencedLock, TokensGrowAlsoByReentry) {
  ToyWorld world;
  ToyClient a(world.process(1), 1, "redisson-fenced-lock");
  for (std::int64_t token = 1; token <= 3; ++token) {
    unlimited(a);
    world.run(milliseconds(10 * token));
    EXPECT_EQ(a.hold().token, token);
  }
}

TEST(RedissonFencedLock, GetTokenReadsTheSuccessors) {
  ToyWorld world;
  const auto edit = options_of<RedissonFencedOptions>([](RedissonFencedOptions& o) {
    o.token_from = RedissonTokenFrom::get_token;
    o.lock.renewal = RedissonRenewal::none;
    o.lock.lease = milliseconds(100);
    o.lease_ignored = false;
  });
  ToyClient a(world.process(1), 1, "redisson-fenced-lock", edit), b(world.process(2), 1, "redisson-fenced-lock", edit);
  world.runtime.at_mark = [](NodeId node, MarkSide side, Mark m) {
    return node != 1 || side != MarkSide::before || m != *find_mark("get");
  };
  unlimited(a);
  world.run(milliseconds(150));
  unlimited(b);
  world.run(milliseconds(160));
  EXPECT_EQ(b.hold().token, 2);
  EXPECT_EQ(world.server.ask("GET", "redisson_lock_token:{door}"), "\"2\"") << "which a is about to read";
}

TEST(RedissonFencedLock, ALeaseTimeIsNotUsed) {
  for (const bool ignored : {true, false}) {
    ToyWorld world;
    ToyClient a(world.process(1), 1, "redisson-fenced-lock", options_of<RedissonFencedOptions>([&](RedissonFencedOptions& o) {
      o.lock.renewal = RedissonRenewal::none;
      o.lock.lease = seconds(1);
      o.lease_ignored = ignored;
    }));
    unlimited(a);
    world.run(seconds(2));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), ignored ? "1" : "0");
  }
}

TEST(RedissonFencedLock, ExpireReachesTheCounterToo) {
  for (const FencedExpire expire : {FencedExpire::never, FencedExpire::with_counter, FencedExpire::lock_alone}) {
    ToyWorld world;
    ToyClient a(world.process(1), 1, "redisson-fenced-lock", options_of<RedissonFencedOptions>([&](RedissonFencedOptions& o) {
      o.lock.renewal = RedissonRenewal::none;
      o.lock.lease = seconds(1);
      o.lease_ignored = false;
      o.expire = expire;
    }));
    unlimited(a);
    world.run(milliseconds(10));
    ASSERT_TRUE(a.holds());
    EXPECT_GT(pttl(world), 900);
    const bool ends = pttl(world, "redisson_lock_token:{door}") > 0;
    EXPECT_EQ(ends, expire == FencedExpire::with_counter);
  }
}

TEST(RedissonSpinLock, PollsAndNeverSubscribes) {
  ToyWorld world;
  ToyClient a(world.process(1), 1, "redisson-spin-lock"), b(world.process(2), 1, "redisson-spin-lock");
  unlimited(a);
  world.run(milliseconds(10));
  unlimited(b);
  world.run(seconds(1));
  EXPECT_EQ(count(world, "SUBSCRIBE"), 0);
  EXPECT_GT(count(world, "EVAL redisson-acquire"), 10);
  a.release(a.hold());
  world.run(milliseconds(1200));
  EXPECT_TRUE(b.holds());
}

auto fair(Duration wait, FairScores scores = FairScores::kept, FairTtl ttl = FairTtl::lock) {
  return options_of<RedissonFairOptions>([=](RedissonFairOptions& o) {
    o.fair_wait = wait;
    o.scores = scores;
    o.ttl = ttl;
  });
}

TEST(RedissonFairLock, GrantsInTheOrderOfTheFirstAsks) {
  ToyWorld world;
  std::vector<std::unique_ptr<ToyClient>> clients;
  for (NodeId node = 1; node <= 5; ++node) {
    clients.push_back(std::make_unique<ToyClient>(world.process(node), 1, "redisson-fair-lock"));
    unlimited(*clients.back());
    world.run(milliseconds(10 * node));
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    for (std::size_t k = 0; k < clients.size(); ++k) EXPECT_EQ(clients[k]->holds(), k <= i) << i;
    clients[i]->release(clients[i]->hold());
    world.run(milliseconds(100 + 20 * static_cast<std::int64_t>(i)));
  }
  EXPECT_EQ(world.server.ask("EXISTS", "redisson_lock_queue:{door}"), "0");
}

TEST(RedissonFairLock, ADeadHeadIsWaitedForAsLongAsFairWaitSays) {
  ToyWorld world;
  const auto edit = fair(seconds(5));
  ToyClient a(world.process(1), 1, "redisson-fair-lock", edit), b(world.process(2), 1, "redisson-fair-lock", edit),
      c(world.process(3), 1, "redisson-fair-lock", edit);
  unlimited(a);
  world.run(milliseconds(10));
  unlimited(b);
  world.run(milliseconds(20));
  unlimited(c);
  world.run(milliseconds(30));
  world.runtime.kill(2);
  a.release(a.hold());
  world.run(seconds(34));
  EXPECT_FALSE(c.holds());
  world.run(seconds(41));
  EXPECT_TRUE(c.holds()) << "the lease that b was told, and five seconds";
}

TEST(RedissonFairBug2099, TimesDriftWithEveryAttempt) {
  for (const FairScores scores : {FairScores::kept, FairScores::drifting}) {
    ToyWorld world;
    const auto edit = fair(seconds(5), scores);
    std::vector<std::unique_ptr<ToyClient>> clients;
    for (NodeId node = 1; node <= 3; ++node) {
      clients.push_back(std::make_unique<ToyClient>(world.process(node), 1, "redisson-fair-lock", edit));
      unlimited(*clients.back());
      world.run(milliseconds(10 * node));
    }
    // Each holder goes and asks again: the queue is never empty.
    for (int round = 0; round < 30; ++round) {
      for (auto& client : clients) {
        if (!client->holds()) continue;
        client->release(client->hold());
        client->acquired.reset();
        world.run(Duration{world.runtime.now} + milliseconds(20));
        unlimited(*client);
        break;
      }
      world.run(Duration{world.runtime.now} + milliseconds(20));
    }
    const std::string last = world.server.ask("ZRANGE", "redisson_lock_timeout:{door}", -1, -1, "WITHSCORES");
    const auto score = std::stoll(last.substr(last.rfind(", \"") + 3));
    const std::int64_t now_ms = (testing::ToyRuntime::kEpochNs + world.runtime.now) / 1'000'000;
    if (scores == FairScores::kept) {
      EXPECT_LT(score - now_ms, 30'000 + 2 * 5'000 + 1000);
    } else {
      EXPECT_GT(score - now_ms, 100'000) << "of two waiters";
    }
  }
}

struct ReadWrite {
  explicit ReadWrite(bool renews_all = false) : world() {
    options.renews_all_readers = renews_all;
  }
  std::unique_ptr<RedissonReadWriteLock> make(ToyProcess& process, std::uint32_t thread, Sharing sharing) {
    LockContext context = process.context(thread);
    context.sharing = sharing;
    return std::make_unique<RedissonReadWriteLock>(context, options);
  }
  static Task<void> run(Host host, RedissonReadWriteLock* lock, std::optional<Acquired>* answer) {
    auto acquired = co_await lock->acquire(Patience::lasting(host, milliseconds(100)));
    *answer = std::move(acquired);
  }
  static Task<void> run_release(Host, RedissonReadWriteLock* lock) { (void)co_await lock->release(Hold()); }
  bool take(ToyProcess& process, RedissonReadWriteLock& lock) {
    std::optional<Acquired> answer;
    process.host().spawn("client", run(process.host(), &lock, &answer));
    world.run(Duration{world.runtime.now} + milliseconds(200));
    return answer && answer->yes();
  }
  void give(ToyProcess& process, RedissonReadWriteLock& lock) {
    process.host().spawn("client", run_release(process.host(), &lock));
    world.run(Duration{world.runtime.now} + milliseconds(20));
  }
  ToyWorld world;
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

auto multi(MemberLease member, FinalExpiry final_expiry) {
  return options_of<RedissonMultiOptions>([=](RedissonMultiOptions& o) {
    o.lock.renewal = RedissonRenewal::none;
    o.lock.lease = milliseconds(100);
    o.member_lease = member;
    o.final_expiry = final_expiry;
  });
}

TEST(RedissonMultiBug2172, MinusOneTwiceDeletesTheKeyAndEverybodyAcquires) {
  for (const MemberLease member : {MemberLease::of_the_call, MemberLease::twice_any_wait}) {
    ToyWorld world;
    const auto edit = multi(member, FinalExpiry::unguarded);
    ToyClient a(world.process(1), 1, "redisson-multi-lock", edit), b(world.process(2), 1, "redisson-multi-lock", edit);
    a.acquire(Patience::one_attempt(a.host()));
    b.acquire(Patience::one_attempt(b.host()));
    world.run(milliseconds(20));
    EXPECT_EQ(a.holds() + b.holds(), member == MemberLease::of_the_call ? 1 : 2);
  }
}

TEST(RedissonMultiLock, TheExpiryAtTheEndProlongsASuccessorsLock) {
  for (const FinalExpiry final_expiry : {FinalExpiry::unguarded, FinalExpiry::if_owned}) {
    ToyWorld world;
    const auto edit = multi(MemberLease::of_the_call, final_expiry);
    ToyClient a(world.process(1), 1, "redisson-multi-lock", edit), b(world.process(2), 1, "redisson-multi-lock", edit);
    int asks = 0;  // a's first request is the acquire, its second the expiry
    world.runtime.at_mark = [&](NodeId node, MarkSide side, Mark) {
      return node != 1 || side != MarkSide::before || ++asks != 2;
    };
    a.acquire(Patience::one_attempt(a.host()));
    world.run(milliseconds(150));
    b.acquire(Patience::one_attempt(b.host()));
    world.run(milliseconds(160));
    EXPECT_TRUE(b.holds()) << "a's lease is over";
    // A stopped exchange stays stopped in this world; what a would send now:
    const std::string sent = final_expiry == FinalExpiry::unguarded
                                 ? world.server.ask("PEXPIRE", "door", 100)
                                 : world.server.command(kRedissonExpireIfOwned.call({"door"}, {"100", "a:1"}));
    EXPECT_EQ(sent, final_expiry == FinalExpiry::unguarded ? "1" : "0");
  }
}

TEST(RedissonMultiLock, SecondsAreConvertedAgainByEachRetry) {
  for (const LeaseUnit unit : {LeaseUnit::milliseconds, LeaseUnit::seconds}) {
    ToyWorld world;
    (void)world.server.ask("HSET", "door", "somebody:1", "1");
    (void)world.server.ask("PEXPIRE", "door", 3000);
    ToyClient a(world.process(1), 1, "redisson-multi-lock", options_of<RedissonMultiOptions>([&](RedissonMultiOptions& o) {
      o.lock.renewal = RedissonRenewal::none;
      o.lock.lease = seconds(1);
      o.lease_unit = unit;
    }));
    unlimited(a);  // a first round of two seconds, and a second one
    world.run(milliseconds(3100));
    ASSERT_TRUE(a.holds());
    const std::int64_t left_ms = pttl(world);
    EXPECT_EQ(left_ms > 1'000, unit == LeaseUnit::seconds) << left_ms;
    EXPECT_LE(left_ms, unit == LeaseUnit::seconds ? 1'000'000 : 1'000);
  }
}

TEST(RedissonRedLock, AMajorityIsEnough) {
  ToyWorld world(3);
  const auto edit = options_of<RedissonRedLockOptions>([](RedissonRedLockOptions& o) {
    o.multi.lock.renewal = RedissonRenewal::none;
    o.multi.lock.retry_attempts = 0;
  });
  ToyClient a(world.process(1), 1, "redisson-redlock", edit), b(world.process(2), 1, "redisson-redlock", edit);
  world.servers[0].next(1, {Fate::request_lost, Fate::request_lost});
  a.acquire(Patience::lasting(a.host(), milliseconds(300)));
  world.run(milliseconds(500));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(world.servers[0].ask("EXISTS", "door"), "0");
  b.acquire(Patience::lasting(b.host(), milliseconds(300)));
  world.run(seconds(1));
  EXPECT_FALSE(b.holds());
  EXPECT_EQ(world.servers[0].ask("EXISTS", "door"), "0") << "what b got there, it gave back";
  a.release(a.hold());
  world.run(seconds(2));
  EXPECT_TRUE(a.released->yes());
}

}  // namespace
}  // namespace picklock
