// Names of children, as go-zookeeper's lock and the published one that was opened up from it read them.
#include <gtest/gtest.h>

#include "algorithms/zookeeper/go_zookeeper_channel_lock.hpp"
#include "algorithms/zookeeper/zoo_lock_lab.hpp"

namespace picklock {
namespace {

using testing::ms;
using testing::ZooLabOf;

// go-zookeeper/zk, lock_test.go, TestParseSeq, and names that no library makes.
TEST(GoZookeeperParse, AsTheLibraryHasItNowAndAsItHadItFirst) {
  constexpr GoZkParse kNow = GoZkParse::behind_lock, kFirst = GoZkParse::behind_dash;
  const std::string guid = "_c_da5719988c244fc793f49ec3aa29b566-";
  struct Case {
    std::string name;
    std::optional<std::int64_t> now, first;
  };
  const std::vector<Case> cases = {
      {guid + "lock-0000000001", 1, 1},
      {guid + "lock--2147483648", -2147483648, 2147483648},
      {"da5719988c244fc793f49ec3aa29b566__lock__0000000003", 3, std::nullopt},
      {"/lock-shop/" + guid + "lock-0000000004", 4, 4},
      {"stranger", std::nullopt, std::nullopt},
      {"stranger-7", std::nullopt, 7},
      {"17", 17, 17},
      {"", std::nullopt, std::nullopt},
      {"lock-", std::nullopt, std::nullopt},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(go_zk_sequence(c.name, kNow), c.now) << c.name;
    EXPECT_EQ(go_zk_sequence(c.name, kFirst), c.first) << c.name;
  }
}

// The counter of the directory has just overflowed: a has the last positive number, the others come after it.
TEST(GoZookeeperParse, OnceTheCounterHasOverflowedTheNewestIsLowestAndHasNobodyBeforeIt) {
  const std::vector<std::string> children{"_c_a-lock-2147483647", "_c_b-lock--2147483648", "_c_c-lock--2147483647"};
  const GoZkPlace b = go_zk_place(children, -2147483648, children[1], GoZkParse::behind_lock);
  EXPECT_TRUE(b.lowest) << "beside a";
  const GoZkPlace c = go_zk_place(children, -2147483647, children[2], GoZkParse::behind_lock);
  EXPECT_FALSE(c.lowest);
  EXPECT_EQ(c.before, "") << "b's number is not above -1";
}

// One strange child, and every Lock() fails until it is gone; one of kazoo's is a waiter like others.
TEST(GoZookeeperParse, AStrangeChildFailsEveryLockOfTheLibrary) {
  for (const std::string stranger : {"/door/eu", "/door/0123__lock__0000000000"}) {
    const auto usual = [](auto& o) { o.session = seconds(6), o.orphan = GoZkOrphan::deleted; };
    ZooLabOf<GoZookeeperLockOptions> lab("go-zookeeper-lock", usual, go_zookeeper_options());
    auto& a = lab.client("a");
    lab.pass(ms(100));
    lab.make("/door"), lab.make(stranger);
    const bool readable = stranger != "/door/eu";
    lab.acquire(a);
    EXPECT_EQ(a.acquired.has_value(), !readable) << "a number before its own is waited for";
    if (!readable) {
      EXPECT_TRUE(a.refused());
      lab.acquire(a);
      EXPECT_TRUE(a.refused());
      EXPECT_EQ(lab.nodes(), 1U);
    }
    lab.remove(stranger);
    if (!readable) a.acquire();
    lab.pass(seconds(1));
    EXPECT_TRUE(a.holds());
  }
}

// The published lock says false and waits on: when the stranger goes, the lock holds without a caller.
TEST(GoZookeeperParse, FalseIsSaidAndTheLockIsTakenAllTheSame) {
  for (const GoZkParseError parse : {GoZkParseError::goes_on, GoZkParseError::ends}) {
    const auto usual = [parse](auto& o) { o.session = seconds(6), o.parse_error = parse; };
    ZooLabOf<GoZookeeperChannelLockOptions> lab("go-zookeeper-channel-lock", usual, go_zookeeper_options());
    auto &a = lab.client("a"), &b = lab.client("b");
    lab.pass(ms(100));
    lab.make("/door"), lab.make("/door/stranger");
    lab.acquire(a);
    ASSERT_TRUE(a.acquired);
    EXPECT_EQ(a.in_doubt(), parse == GoZkParseError::goes_on) << "it may get it yet";
    lab.remove("/door/stranger");
    lab.pass(seconds(1));
    lab.acquire(b);
    lab.pass(seconds(60));
    EXPECT_EQ(lab.nodes(), parse == GoZkParseError::goes_on ? 2U : 1U);
    EXPECT_EQ(b.holds(), parse == GoZkParseError::ends) << "else it waits for a node that nobody will delete";
  }
}

}  // namespace
}  // namespace picklock
