#include "algorithms/zookeeper/zookeeper_lock.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>

#include "algorithms/random_guid.hpp"
#include "algorithms/zookeeper/test_zookeeper.hpp"
#include "algorithms/zookeeper/zookeeper_herd_lock.hpp"

namespace picklock {
namespace {

using testing::children_of;
using testing::count_of;
using testing::ms;
using testing::zoo_options;
using testing::ZooLab;
using testing::ZooLockClient;
using testing::ZooLockProcess;

// --- what holds of every line of the table

class EveryZookeeperLock : public ::testing::TestWithParam<std::string_view> {};

std::vector<std::string_view> names_of_kinds() {
  std::vector<std::string_view> names;
  for (const LockKind& kind : zookeeper_kinds()) names.push_back(kind.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Locks, EveryZookeeperLock, ::testing::ValuesIn(names_of_kinds()), [](const auto& test) {
  std::string name(test.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EveryZookeeperLock, OnACalmDayOneHoldsAfterTheOtherAndTokensGrow) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ZooLab lab(seed);
    std::deque<ZooLockClient> clients;
    for (const char* name : {"a", "b", "c", "d"}) clients.emplace_back(lab, name, GetParam());
    for (ZooLockClient& c : clients) c.acquire();
    std::int64_t token = 0;
    std::size_t granted = 0;
    for (int step = 1; step <= 8; ++step) {
      lab.run_until(seconds(step));
      ZooLockClient* holder = nullptr;
      for (ZooLockClient& c : clients) {
        if (!c.holds() || c.released) continue;
        EXPECT_EQ(holder, nullptr) << "two at a time, seed " << seed;
        holder = &c;
      }
      if (holder == nullptr) break;
      ++granted;
      ASSERT_TRUE(holder->acquired->value().token.has_value());
      EXPECT_GT(*holder->acquired->value().token, token);
      token = *holder->acquired->value().token;
      holder->release();
    }
    EXPECT_EQ(granted, clients.size()) << seed;
    for (ZooLockClient& c : clients) EXPECT_TRUE(c.released && c.released->yes());
    EXPECT_LE(count_of(lab, "/door"), 0U);
  }
}

TEST_P(EveryZookeeperLock, ADeadHoldersLockIsFreeOnceItsSessionHasExpired) {
  ZooLab lab;
  ZooLockClient a(lab, "a", GetParam()), b(lab, "b", GetParam());
  a.acquire();
  lab.run_until(seconds(1));
  ASSERT_TRUE(a.holds());
  b.acquire();
  lab.at(seconds(2), [&](World& w) { w.kill(a.process.node()); });
  lab.run_until(seconds(10));
  EXPECT_FALSE(b.holds()) << "10 s after its last request at the earliest";
  lab.run_until(seconds(15));
  EXPECT_TRUE(b.holds());
}

TEST_P(EveryZookeeperLock, TellsItsHolderIfItIsAsked) {
  struct Case {
    ZkReaction reaction;
    bool at_disconnected, at_expired;
  };
  for (const Case c : {Case{ZkReaction::ignores, false, false}, Case{ZkReaction::stops_at_disconnected, true, true},
                       Case{ZkReaction::stops_at_expired, false, true}}) {
    ZooLab lab;
    ZooLockClient a(lab, "a", GetParam(), [&](Options& options) {
      struct Set final : FieldVisitor {
        explicit Set(ZkReaction r) : index(static_cast<std::size_t>(r)) {}
        std::size_t index;
        void field(const FieldInfo&, bool&) override {}
        void field(const FieldInfo&, std::int64_t&) override {}
        void field(const FieldInfo&, Duration&) override {}
        void field(const FieldInfo&, std::optional<Duration>&) override {}
        void field(const FieldInfo&, Law&) override {}
        void field(const FieldInfo&, std::string&) override {}
        void choice(const FieldInfo& f, std::span<const std::string_view>, std::size_t& i) override {
          if (f.name == "reaction") i = index;
        }
      } set(c.reaction);
      options.fields(set);
    });
    a.acquire();
    lab.run_until(seconds(1));
    ASSERT_TRUE(a.holds());
    const bool deaf = GetParam() == "zk-lock";  // its holder is never told: events = "node-deleted"
    a.process.cut();
    lab.run_until(seconds(11));  // 2/3 of 10 s, and a ping
    EXPECT_EQ(a.lost(), c.at_disconnected && !deaf);
    lab.run_until(seconds(30));
    a.process.mend();
    lab.run_until(seconds(45));
    EXPECT_EQ(a.lost(), c.at_expired && !deaf);
  }
}

// --- the queue

using Names = std::vector<std::string>;
TEST(ZookeeperLock, EachWaitsForTheNextLower) {
  const Names all = {"c-lock-0000000007", "a-lock-0000000003", "b-lock-0000000005", "stranger"};
  EXPECT_EQ(zk_blocker(all, "a-lock-0000000003", ZkQueue::exclusive), "");
  EXPECT_EQ(zk_blocker(all, "c-lock-0000000007", ZkQueue::exclusive), "b-lock-0000000005");
  EXPECT_EQ(zk_blocker(all, "d-lock-0000000008", ZkQueue::exclusive), std::nullopt) << "not there";
  const Names turned = {"a-lock--2147483648", "b-lock-2147483647"};
  EXPECT_EQ(zk_blocker(turned, "a-lock--2147483648", ZkQueue::exclusive), "") << "first, though it came last";
  constexpr ZkNameOrder kWrapped = ZkNameOrder::wrapped_number;
  EXPECT_EQ(zk_blocker(turned, "a-lock--2147483648", ZkQueue::exclusive, kWrapped), "b-lock-2147483647");
  EXPECT_EQ(zk_blocker(turned, "b-lock-2147483647", ZkQueue::exclusive, kWrapped), "");
}
TEST(ZookeeperLock, AReaderWaitsForTheNextLowerWriter) {
  const Names all = {"a-read-0000000000", "b-write-0000000001", "c-read-0000000002", "d-read-0000000003",
                     "e-write-0000000004"};
  EXPECT_EQ(zk_blocker(all, "a-read-0000000000", ZkQueue::read_write), "");
  EXPECT_EQ(zk_blocker(all, "b-write-0000000001", ZkQueue::read_write), "a-read-0000000000");
  EXPECT_EQ(zk_blocker(all, "d-read-0000000003", ZkQueue::read_write), "b-write-0000000001");
  EXPECT_EQ(zk_blocker(all, "e-write-0000000004", ZkQueue::read_write), "d-read-0000000003");
}

TEST(ZookeeperLock, ReadersShareAndWritersDoNot) {
  ZooLab lab;
  ZooLockProcess p(lab, "p");
  const auto reads = [](LockContext& c) { c.sharing = Sharing::shared; };
  ZooLockClient r1(p, "zookeeper-read-write-lock", {}, 1, reads), r2(p, "zookeeper-read-write-lock", {}, 2, reads);
  ZooLockClient w(p, "zookeeper-read-write-lock", {}, 3), r3(p, "zookeeper-read-write-lock", {}, 4, reads);
  r1.acquire();
  lab.run_until(seconds(1));
  r2.acquire();
  lab.run_until(seconds(2));
  w.acquire();
  lab.run_until(seconds(3));
  r3.acquire();
  lab.run_until(seconds(4));
  EXPECT_TRUE(r1.holds() && r2.holds());
  EXPECT_FALSE(w.holds() || r3.holds()) << "a reader does not overtake a writer";
  r1.release();
  lab.run_until(seconds(5));
  EXPECT_FALSE(w.holds());
  r2.release();
  lab.run_until(seconds(6));
  EXPECT_TRUE(w.holds());
  EXPECT_FALSE(r3.holds());
  w.release();
  lab.run_until(seconds(7));
  EXPECT_TRUE(r3.holds());
}

TEST(ZookeeperLock, APatienceThatEndsLeavesNoNode) {
  ZooLab lab;
  ZooLockClient a(lab, "a", "zookeeper-lock"), b(lab, "b", "zookeeper-lock");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire(seconds(1));
  lab.run_until(seconds(3));
  ASSERT_TRUE(b.acquired.has_value());
  EXPECT_TRUE(b.acquired->refused());
  EXPECT_EQ(count_of(lab, "/door"), 1U);
}

// Z3 in small: the create takes, its answer is lost.
TEST(ZookeeperLock, AnAnswerThatIsLostIsRecoveredByTheGuid) {
  for (const bool guid : {true, false}) {
    ZooLab lab;
    ZooLockClient a(lab, "a", "zookeeper-lock", zoo_options<ZookeeperLockOptions>([=](auto& o) { o.guid = guid; }));
    a.acquire();
    lab.run_until(seconds(1));
    a.release();
    lab.run_until(seconds(2));
    a.process.deafen();
    a.acquire();
    lab.run_until(seconds(3));
    EXPECT_EQ(count_of(lab, "/door"), 1U);
    lab.run_until(seconds(10));
    a.process.mend();
    lab.run_until(seconds(15));
    EXPECT_EQ(a.holds() && a.acquired_at > seconds(2), guid);
    EXPECT_EQ(count_of(lab, "/door"), guid ? 1U : 2U) << "it queues behind itself";
    lab.run_until(seconds(100));
    EXPECT_EQ(a.holds() && a.acquired_at > seconds(2), guid) << "as long as its session lives";
  }
}

TEST(ZookeeperLock, AReleaseWhoseAnswerIsLostIsARelease) {
  ZooLab lab;
  ZooLockClient a(lab, "a", "zookeeper-lock");
  a.acquire();
  lab.run_until(seconds(1));
  a.process.deafen();
  a.release();
  lab.run_until(seconds(9));
  EXPECT_EQ(count_of(lab, "/door"), 0U);
  EXPECT_FALSE(a.released.has_value());
  a.process.mend();
  lab.run_until(seconds(15));
  ASSERT_TRUE(a.released.has_value());
  EXPECT_TRUE(a.released->yes());
}

TEST(ZookeeperLock, OfAnExpiredSessionNothingCanBeReleased) {
  ZooLab lab;
  ZooLockClient a(lab, "a", "zookeeper-lock"), b(lab, "b", "zookeeper-lock");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire();
  lab.pause(a.process.node(), seconds(2), seconds(20));
  lab.run_until(seconds(20));
  EXPECT_TRUE(b.holds());
  a.release();
  lab.run_until(seconds(30));
  ASSERT_TRUE(a.released.has_value());
  EXPECT_EQ(a.released->why(), Why::refused);
  EXPECT_EQ(count_of(lab, "/door"), 1U) << "b's";
  a.acquire();
  lab.run_until(seconds(31));
  EXPECT_EQ(count_of(lab, "/door"), 2U) << "a new session queues again";
}

TEST(ZookeeperLock, AWaiterWhoseSessionExpiresQueuesAnew) {
  ZooLab lab;
  ZooLockClient a(lab, "a", "zookeeper-lock"), b(lab, "b", "zookeeper-lock");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire();
  lab.pause(b.process.node(), seconds(2), seconds(20));
  lab.run_until(seconds(30));
  EXPECT_FALSE(b.holds());
  EXPECT_EQ(count_of(lab, "/door"), 2U);
  a.release();
  lab.run_until(seconds(31));
  EXPECT_TRUE(b.holds());
}

// The node before vanishes between the list and the watch.
TEST(ZookeeperLock, APredecessorThatVanishesBeforeItIsWatchedCostsAnotherLook) {
  ZooLab lab;
  ZooLockClient a(lab, "a", "zookeeper-lock"), b(lab, "b", "zookeeper-lock");
  a.acquire();
  lab.run_until(seconds(1));
  lab.on(b.process.node(), *find_mark("exists"), [&](World&) {
    lab.execute(ZooKeeper::remove_part("/door/" + children_of(lab, "/door").front()));
    lab.execute(ZooKeeper::remove_part("/door/" + children_of(lab, "/door").front()));
  }, MarkSide::before);
  b.acquire();
  lab.run_until(seconds(3));
  EXPECT_TRUE(b.holds()) << "with a node of its own, even if somebody has deleted the first";
  EXPECT_EQ(count_of(lab, "/door"), 1U);
}

TEST(ZookeeperLock, TheThreadsOfAProcessShareItsSession) {
  ZooLab lab;
  ZooLockProcess p(lab, "p");
  ZooLockClient a(p, "zookeeper-lock", {}, 1), b(p, "zookeeper-lock", {}, 2);
  a.acquire();
  b.acquire();
  lab.run_until(seconds(1));
  EXPECT_NE(a.holds(), b.holds());
  EXPECT_EQ(lab.server.tree.sessions().size(), 1U);
}

// --- tokens

TEST(ZookeeperLock, OnlyCzxidsGrowThroughADirectoryThatWasDeleted) {
  for (const ZkToken token : {ZkToken::czxid, ZkToken::sequence}) {
    ZooLab lab;
    ZooLockClient a(lab, "a", "zookeeper-lock", zoo_options<ZookeeperLockOptions>([=](auto& o) {
                      o.token = token;
                      o.container = true;
                    }));
    std::vector<std::int64_t> tokens;
    for (int i = 0; i < 3; ++i) {
      a.acquire();
      lab.run_until(seconds(2 * i + 1));
      tokens.push_back(*a.acquired->value().token);
      a.release();
      lab.run_until(seconds(2 * i + 2));
      if (i == 1) {  // the 60 s of a container are over
        ASSERT_EQ(lab.server.tree.containers_to_remove(), Names{"/door"});
        lab.execute(ZooKeeper::remove_part("/door"));
      }
    }
    EXPECT_LT(tokens[0], tokens[1]);
    EXPECT_EQ(tokens[1] < tokens[2], token == ZkToken::czxid) << tokens[2];
  }
}

TEST(ZookeeperLock, AWriteToAWaitersNodeTurnsMzxidsRound) {
  for (const ZkToken token : {ZkToken::czxid, ZkToken::mzxid}) {
    ZooLab lab;
    const auto set = zoo_options<ZookeeperLockOptions>([=](auto& o) { o.token = token; });
    ZooLockClient a(lab, "a", "zookeeper-lock", set), b(lab, "b", "zookeeper-lock", set);
    a.acquire();
    lab.run_until(seconds(1));
    a.release();
    lab.run_until(seconds(2));
    ZooLockClient x(lab, "x", "zookeeper-lock", set);
    x.acquire();
    lab.run_until(seconds(3));
    a.acquire();
    lab.run_until(seconds(4));
    b.acquire();
    lab.run_until(seconds(5));
    const std::int64_t a_czxid = lab.server.tree.find("/door")->pzxid;
    (void)a_czxid;
    std::string a_path;
    for (const std::string& name : children_of(lab, "/door")) {
      if (zk_number(name, "-lock-") == 2) a_path = "/door/" + name;
    }
    lab.execute(ZooKeeper::set_data_part(a_path, "unlock"));
    x.release();
    lab.run_until(seconds(6));
    ASSERT_TRUE(a.holds());
    a.release();
    lab.run_until(seconds(7));
    ASSERT_TRUE(b.holds());
    EXPECT_EQ(*a.acquired->value().token < *b.acquired->value().token, token == ZkToken::czxid);
  }
}

// --- the herd

// Notifications for one release with n waiters: one, or all of them.
int notifications_of_a_release(std::string_view kind, int waiters) {
  ZooLab lab;
  std::deque<ZooLockClient> clients;
  for (int i = 0; i <= waiters; ++i) clients.emplace_back(lab, "c" + std::to_string(i), kind);
  clients[0].acquire();
  lab.run_until(seconds(1));
  for (ZooLockClient& c : clients) {
    if (!c.acquired) c.acquire();
  }
  lab.run_until(seconds(3));
  lab.server.requests.clear();
  clients[0].release();
  lab.run_until(seconds(4));
  return lab.server.requests["notification"];
}
TEST(ZookeeperLock, AReleaseWakesOneInTheQueueAndAllInTheHerd) {
  EXPECT_EQ(notifications_of_a_release("zookeeper-lock", 20), 1);
  EXPECT_EQ(notifications_of_a_release("zookeeper-herd-lock", 20), 20);
  EXPECT_EQ(notifications_of_a_release("zookeeper-parent-watch-lock", 20), 20);
}

TEST(ZookeeperHerdLock, AnAnswerThatIsLostIsRecognisedByItsData) {
  for (const bool guid : {true, false}) {
    ZooLab lab;
    const auto set = zoo_options<ZookeeperHerdOptions>([=](auto& o) { o.guid = guid; });
    ZooLockClient a(lab, "a", "zookeeper-herd-lock", set);
    a.acquire();
    lab.run_until(seconds(1));
    a.release();
    lab.run_until(seconds(2));
    a.process.deafen();
    a.acquire();
    lab.run_until(seconds(10));
    a.process.mend();
    lab.run_until(seconds(60));
    EXPECT_EQ(a.holds() && a.acquired_at > seconds(2), guid) << "else it waits for itself";
    EXPECT_NE(lab.server.tree.find("/door"), nullptr);
  }
}

}  // namespace
}  // namespace picklock
