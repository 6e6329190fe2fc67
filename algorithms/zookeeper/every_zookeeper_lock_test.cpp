// Tests of every lock on ZooKeeper: each story is told once, of every line of the table that it is true of.
// Left out are those that hold several names or leases at a time; their own tests are curator_locks_test.cpp.
#include <gtest/gtest.h>

#include "algorithms/zookeeper/any_lock_lab.hpp"

namespace picklock {
namespace {

using testing::AnyLockLab;
using testing::shares;

std::vector<std::string_view> names_of(bool (*wanted)(const LockKind&)) {
  std::vector<std::string_view> names;
  for (const LockKind& kind : lock_kinds()) {
    const bool single = !kind.several_names && (!kind.permits || kind.permits(*kind.default_options()) == 1);
    if (kind.service == "zookeeper" && single && wanted(kind)) names.push_back(kind.name);
  }
  return names;
}
std::string test_name(const ::testing::TestParamInfo<std::string_view>& test) {
  std::string name(test.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
bool is_one_of(std::string_view name, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), name) != all.end();
}

class EveryZookeeperLock : public ::testing::TestWithParam<std::string_view> {};
class EveryZookeeperQueue : public EveryZookeeperLock {};
class EveryZookeeperReadWriteLock : public EveryZookeeperLock {};
INSTANTIATE_TEST_SUITE_P(Locks, EveryZookeeperLock, ::testing::ValuesIn(names_of([](const LockKind&) { return true; })),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Locks, EveryZookeeperQueue,
                         ::testing::ValuesIn(names_of([](const LockKind& k) { return k.ownership != "znode"; })),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Locks, EveryZookeeperReadWriteLock,
                         ::testing::ValuesIn(names_of([](const LockKind& k) { return k.claims.shared; })), test_name);

// --- calm days

TEST_P(EveryZookeeperLock, OnACalmDayOneHoldsAfterTheOtherAndTokensGrow) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    AnyLockLab lab(GetParam(), {}, seed);
    std::vector<AnyLockLab::Client*> clients;
    for (const char* name : {"a", "b", "c", "d"}) clients.push_back(&lab.client(name));
    for (AnyLockLab::Client* c : clients) c->acquire();
    std::int64_t token = 0;
    std::size_t granted = 0;
    for (int step = 1; step <= 8; ++step) {
      lab.pass(seconds(1));
      AnyLockLab::Client* holder = nullptr;
      for (AnyLockLab::Client* c : clients) {
        if (!c->holds() || c->released) continue;
        EXPECT_EQ(holder, nullptr) << "two at a time, seed " << seed;
        holder = c;
      }
      if (holder == nullptr) break;
      ++granted;
      ASSERT_TRUE(holder->hold().token.has_value());
      EXPECT_GT(holder->token(), token);
      token = holder->token();
      holder->release();
    }
    EXPECT_EQ(granted, clients.size()) << seed;
    for (AnyLockLab::Client* c : clients) EXPECT_TRUE(c->gave_back());
    EXPECT_EQ(lab.owned().size(), 0U);
  }
}

TEST_P(EveryZookeeperQueue, GrantsInTheOrderOfTheCreatesAndToAnObjectAgain) {
  AnyLockLab lab(GetParam());
  auto &a = lab.client("a"), &b = lab.client("b"), &c = lab.client("c");
  lab.acquire(a, b, c);
  ASSERT_TRUE(a.holds());
  EXPECT_FALSE(b.acquired || c.acquired);
  lab.release(a);
  EXPECT_TRUE(a.gave_back());
  ASSERT_TRUE(b.holds());
  EXPECT_FALSE(c.acquired);
  EXPECT_LT(a.token(), b.token());
  lab.acquire(a);
  EXPECT_FALSE(a.acquired);
  lab.release(b);
  ASSERT_TRUE(c.holds());
  EXPECT_FALSE(a.acquired);
  EXPECT_LT(b.token(), c.token());
  lab.release(c);
  EXPECT_TRUE(a.holds());
  EXPECT_EQ(lab.owned().size(), 1U);
}

TEST_P(EveryZookeeperLock, TheThreadsOfAProcessShareItsSession) {
  AnyLockLab lab(GetParam());
  auto& p = lab.process("p");
  auto &a = lab.thread(p, 1), &b = lab.thread(p, 2);
  a.acquire();
  b.acquire();
  lab.pass(seconds(1));
  EXPECT_NE(a.holds(), b.holds());
  EXPECT_EQ(lab.server.tree.sessions().size(), 1U);
}

TEST_P(EveryZookeeperReadWriteLock, ReadersShareAndWritersDoNot) {
  for (const bool of_one_process : {true, false}) {
    AnyLockLab lab(GetParam());
    auto& p = lab.process("p");
    std::uint32_t threads = 0;
    const auto client = [&](const char* name, const AnyLockLab::Client::SetContext& context = {}) -> auto& {
      return of_one_process ? lab.thread(p, ++threads, context) : lab.client(name, context);
    };
    auto &r1 = client("r1", shares), &r2 = client("r2", shares), &w = client("w"), &r3 = client("r3", shares);
    lab.acquire(r1, r2, w, r3);
    EXPECT_TRUE(r1.holds() && r2.holds());
    EXPECT_FALSE(w.holds() || r3.holds()) << "a reader does not overtake a writer";
    lab.release(r1);
    EXPECT_FALSE(w.holds());
    lab.release(r2);
    EXPECT_TRUE(w.holds());
    EXPECT_FALSE(r3.holds());
    lab.release(w);
    EXPECT_TRUE(r3.holds());
    lab.acquire(w, r1);
    lab.release(r3);
    EXPECT_TRUE(w.holds());
    EXPECT_FALSE(r1.holds()) << "nor a writer that holds";
  }
}

// The holder that it found has gone before it can watch it.
TEST_P(EveryZookeeperLock, AHolderThatLeavesBeforeItIsWatchedIsNotWaitedFor) {
  AnyLockLab lab(GetParam());
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a);
  const Mark looks = GetParam() == "zookeeper-herd-lock" ? mark::zoo_create : mark::zoo_get_children;
  const bool looks_for_its_own_first = GetParam() == "zookeeper-write-lock";
  lab.after(
      b, looks, [&] { lab.stop(b, lab.waiting_task()); }, looks_for_its_own_first ? 2 : 1);
  lab.acquire(b);
  EXPECT_FALSE(b.acquired);
  lab.release(a);
  EXPECT_TRUE(a.gave_back());
  lab.go_on(b, lab.waiting_task());
  lab.pass(seconds(1));
  EXPECT_EQ(b.holds(), !is_one_of(GetParam(), {"zk-lock", "zookeeper-write-lock"})) << "as they are by default";
}

TEST_P(EveryZookeeperLock, SomeLetAnOperatorEndAHold) {
  const bool can = is_one_of(GetParam(), {"zookeeper-lock", "zookeeper-read-write-lock", "zookeeper-herd-lock",
                                          "zookeeper-parent-watch-lock"});
  AnyLockLab lab(GetParam());
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a, b);
  b.force();
  lab.pass(seconds(1));
  ASSERT_TRUE(b.forced);
  EXPECT_EQ(b.forced->yes(), can);
  EXPECT_EQ(b.holds(), can);
}

// --- those who give up, die, or are cut off

TEST_P(EveryZookeeperLock, APatienceThatEndsLeavesNoNode) {
  // Waits of these locks cannot be ended, except for one that heeds its own patience.
  const bool leaves =
      is_one_of(GetParam(), {"zk-lock", "go-zookeeper-lock", "go-zookeeper-channel-lock", "curator-annotation"});
  for (const Duration patience : {Duration{}, seconds(3)}) {
    AnyLockLab lab(GetParam());
    auto &a = lab.client("a"), &b = lab.client("b");
    lab.acquire(a);
    const std::vector<std::string> of_a = lab.owned();
    b.acquire(patience);
    lab.pass(seconds(1));
    if (patience > Duration{}) {
      EXPECT_FALSE(b.acquired);
      EXPECT_EQ(lab.owned() != of_a, GetParam() != "zookeeper-herd-lock") << "it stands in the queue";
      lab.pass(patience);
    }
    EXPECT_FALSE(b.holds());
    EXPECT_EQ(b.refused(), !leaves);
    EXPECT_EQ(lab.owned() == of_a, !leaves);
    lab.release(a);
    EXPECT_EQ(lab.owned().empty(), !leaves);
  }
}

TEST_P(EveryZookeeperLock, ADeadHoldersLockIsFreeOnceItsSessionHasExpired) {
  AnyLockLab lab(GetParam());
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a, b);
  ASSERT_TRUE(a.holds());
  lab.kill(a);
  lab.pass(seconds(8));
  EXPECT_FALSE(b.holds()) << "10 s after its last request at the earliest";
  lab.pass(seconds(5));
  EXPECT_TRUE(b.holds());
}

TEST_P(EveryZookeeperLock, TellsItsHolderIfItIsAsked) {
  struct Case {
    std::size_t reaction;
    bool in_doubt, certain;
  };
  for (const Case c : {Case{0, false, false}, Case{1, true, true}, Case{2, false, true}}) {
    AnyLockLab lab(GetParam());
    lab.common.reaction = c.reaction;
    auto& a = lab.client("a");
    lab.acquire(a);
    ASSERT_TRUE(a.holds());
    EXPECT_FALSE(a.lost());
    const bool deaf = GetParam() == "zk-lock";  // its holder is never told: events = "node-deleted"
    a.process.cut();
    lab.pass(seconds(10));  // 2/3 of 10 s, and a ping
    EXPECT_EQ(a.lost(), c.in_doubt && !deaf);
    lab.pass(seconds(19));
    a.process.repair();
    lab.pass(seconds(15));
    EXPECT_EQ(a.lost(), c.certain && !deaf);
  }
}

TEST_P(EveryZookeeperLock, AWaiterWhoseSessionExpiresQueuesAnew) {
  const bool waits_on = is_one_of(GetParam(), {"zk-lock", "zookeeper-write-lock"});  // its node is gone
  const bool is_told = GetParam().starts_with("go-zookeeper");                       // ErrSessionExpired
  for (const bool cut : {true, false}) {
    AnyLockLab lab(GetParam());
    auto &a = lab.client("a"), &b = lab.client("b");
    lab.acquire(a);
    const std::size_t nodes_of_a = lab.owned().size();
    lab.acquire(b);
    const std::size_t nodes_of_both = lab.owned().size();
    if (cut) {
      b.process.cut();
    } else {
      lab.pause(b, seconds(20));
    }
    lab.pass(seconds(18));
    EXPECT_EQ(lab.owned().size(), nodes_of_a);
    EXPECT_FALSE(b.acquired);
    b.process.repair();
    lab.pass(seconds(40));
    EXPECT_EQ(lab.owned().size(), waits_on || is_told ? nodes_of_a : nodes_of_both);
    EXPECT_EQ(b.acquired.has_value(), is_told);
    lab.release(a);
    EXPECT_TRUE(a.gave_back());
    EXPECT_EQ(b.holds(), !waits_on && !is_told);
  }
}

// --- the create takes, and its answer is lost

TEST_P(EveryZookeeperLock, ANodeWithoutAnAnswerIsFoundAgain) {
  const bool makes_the_directory_first = GetParam() == "zookeeper-write-lock";
  AnyLockLab lab(GetParam());
  auto& a = lab.client("a");
  lab.lose_the_answer(a, makes_the_directory_first ? 2 : 1);
  ASSERT_EQ(lab.owned().size(), 1U);
  if (is_one_of(GetParam(), {"zk-lock", "zookeeper-write-lock"})) {  // the default options
    EXPECT_FALSE(a.holds());
  } else {
    ASSERT_TRUE(a.holds());
    EXPECT_EQ(a.token(), lab.find(lab.owned().front())->czxid);
  }
}

}  // namespace
}  // namespace picklock
