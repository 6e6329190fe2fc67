// Mistakes that several locks on ZooKeeper have as an option: with it, and without.
#include <gtest/gtest.h>

#include "algorithms/curator/curator_mutex.hpp"
#include "algorithms/zookeeper/any_lock_lab.hpp"
#include "algorithms/zookeeper/go_zookeeper_lock.hpp"
#include "algorithms/zookeeper/kazoo_lock.hpp"
#include "algorithms/zookeeper/zk_article_lock.hpp"
#include "algorithms/zookeeper/zookeeper_herd_lock.hpp"
#include "algorithms/zookeeper/zookeeper_lock.hpp"

namespace picklock {
namespace {

using testing::AnyLockLab;
using testing::options_of;
using SetOptions = testing::ZooLockClient::SetOptions;

// --- nodes and watches

TEST(ZookeeperNodes, APersistentOneStaysWhenItsHolderDies) {
  for (const ZkNode node : {ZkNode::ephemeral, ZkNode::persistent}) {
    AnyLockLab lab("zookeeper-lock", options_of<ZookeeperLockOptions>([=](auto& o) { o.node = node; }));
    auto &a = lab.client("a"), &b = lab.client("b");
    lab.acquire(a, b);
    lab.kill(a);
    lab.pass(seconds(98));
    EXPECT_EQ(b.holds(), node == ZkNode::ephemeral);
    EXPECT_EQ(lab.nodes(), node == ZkNode::ephemeral ? 1U : 2U);
  }
}

TEST(ZookeeperWatches, OneIsLeftForAnEventThatHasPassedUnlessItsAnswerIsLookedAt) {
  for (const ZkGap gap : {ZkGap::looks, ZkGap::waits}) {
    AnyLockLab lab("zookeeper-herd-lock", options_of<ZookeeperHerdOptions>([=](auto& o) { o.gap = gap; }));
    auto &a = lab.client("a"), &b = lab.client("b"), &c = lab.client("c");
    lab.acquire(a);
    lab.before(b, *find_mark("exists"), [&] { lab.remove("/door"); });
    lab.acquire(b);
    lab.pass(seconds(98));
    EXPECT_EQ(b.holds(), gap == ZkGap::looks);
    if (gap == ZkGap::looks) continue;
    lab.enter_and_leave(c);
    lab.pass(seconds(1));
    EXPECT_TRUE(b.holds()) << "woken by what another client did";
  }
}

// --- nodes without an answer

TEST(ZookeeperGuids, WhoDoesNotMarkHisNodeWaitsForItHimself) {
  struct Case {
    std::string_view kind;
    SetOptions unmarked;
    std::size_t nodes;
  };
  const auto no_guid = [](auto& o) { o.guid = false; };
  for (const Case& c : {Case{"zookeeper-lock", options_of<ZookeeperLockOptions>(no_guid), 2},
                        Case{"zookeeper-herd-lock", options_of<ZookeeperHerdOptions>(no_guid), 1},
                        Case{"zk-lock-repaired", options_of<ZkArticleOptions>(no_guid), 2}}) {
    SCOPED_TRACE(c.kind);
    AnyLockLab lab(c.kind, c.unmarked);
    auto& a = lab.client("a");
    lab.lose_the_answer(a, 1);
    EXPECT_FALSE(a.acquired) << "for as long as its session lives";
    EXPECT_EQ(lab.owned().size(), c.nodes);
  }
}

// A create without an answer, and a node of another session where its own was.
TEST(ZookeeperGuids, TheNodeOfAnotherSessionIsTakenForItsOwnUnlessItAsks) {
  struct Case {
    std::string_view kind;
    SetOptions set;
    bool taken;
  };
  const auto go = [](GoZkGuidSearch search) {
    return options_of<GoZookeeperLockOptions>([=](auto& o) { o.guid_search = search; });
  };
  const auto kazoo = [](KazooFindNode find) {
    return options_of<KazooLockOptions>([=](auto& o) { o.find_node = find; });
  };
  for (const Case& c :
       {Case{"go-zookeeper-lock", go(GoZkGuidSearch::any_session), true},
        Case{"go-zookeeper-lock", go(GoZkGuidSearch::own_session), false},
        Case{"kazoo-lock", kazoo(KazooFindNode::any_session), true},
        Case{"kazoo-lock", kazoo(KazooFindNode::own_session), false}, Case{"zk-lock-repaired", {}, false}}) {
    SCOPED_TRACE(c.kind);
    AnyLockLab lab(c.kind, c.set);
    auto& a = lab.client("a");
    lab.enter_and_leave(a);
    lab.before(a, mark::zoo_create, [&] {
      a.process.deafen();
      lab.before(a, mark::zoo_get_children, [&] { lab.stop(a, lab.waiting_task()); });
    });
    a.acquire();
    lab.pass(seconds(8));
    a.process.repair();
    lab.pass(seconds(5));
    ASSERT_EQ(lab.nodes(), 1U);
    const std::string made = lab.first();
    lab.remove(made);
    lab.make(made);
    lab.go_on(a, lab.waiting_task());
    lab.pass(seconds(5));
    EXPECT_EQ(a.holds(), c.taken) << "else it queues up behind that node";
    EXPECT_EQ(lab.nodes(), c.taken ? 1U : 2U);
  }
}

// --- numbers

// Behind 2147483647 comes -2147483648.
TEST(ZookeeperNumbers, TheOneAfterTheLastStandsFirstUnlessItIsReadAsWrapped) {
  struct Case {
    std::string_view kind, holder;
    SetOptions set;
    bool first;
  };
  const auto article = [](ZkNameOrder order) {
    return options_of<ZkArticleOptions>([=](auto& o) { o.order = order; });
  };
  const auto recipe = [](ZkNameOrder order) {
    return options_of<ZookeeperLockOptions>([=](auto& o) { o.order = order; });
  };
  constexpr std::string_view kOfArticle = "/door/lock_0000000007", kOfRecipe = "/door/x-lock-0000000007";
  for (const Case& c : {Case{"zk-lock", kOfArticle, article(ZkNameOrder::text), true},
                        Case{"zk-lock", kOfArticle, article(ZkNameOrder::number), true},
                        Case{"zk-lock", kOfArticle, article(ZkNameOrder::wrapped_number), false},
                        Case{"zookeeper-lock", kOfRecipe, recipe(ZkNameOrder::number), true},
                        Case{"zookeeper-lock", kOfRecipe, recipe(ZkNameOrder::wrapped_number), false}}) {
    SCOPED_TRACE(c.kind);
    AnyLockLab lab(c.kind, c.set);
    lab.make("/door");
    lab.make(std::string(c.holder));
    ZooTxn last;
    last.kind = ZooTxn::Kind::create;
    last.path = ZooPath("/door/x");
    last.version = -2147483647 - 1;
    std::vector<ZooEffect> effects;
    lab.server.tree.apply(last, lab.server.tree.last_zxid() + 1, effects);
    last.kind = ZooTxn::Kind::remove;
    lab.server.tree.apply(last, lab.server.tree.last_zxid() + 1, effects);
    auto& a = lab.client("a");
    lab.acquire(a);
    ASSERT_EQ(lab.owned().size(), 1U);
    EXPECT_TRUE(lab.owned().front().ends_with("-2147483648"));
    EXPECT_EQ(a.holds(), c.first);
  }
}

// --- tokens

TEST(ZookeeperTokens, AWriteToAWaitersNodeTurnsMzxidsRound) {
  struct Case {
    std::string_view kind;
    SetOptions set;
    bool grow;
  };
  const auto recipe = [](ZkToken token) { return options_of<ZookeeperLockOptions>([=](auto& o) { o.token = token; }); };
  const auto curator = [](CuratorToken token) {
    return options_of<CuratorMutexOptions>([=](auto& o) { o.token = token; });
  };
  const Case cases[] = {{"zookeeper-lock", recipe(ZkToken::czxid), true},
                        {"zookeeper-lock", recipe(ZkToken::mzxid), false},
                        {"curator-mutex", curator(CuratorToken::czxid), true},
                        {"curator-mutex", curator(CuratorToken::mzxid), false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.kind);
    AnyLockLab lab(c.kind, c.set);
    auto &x = lab.client("x"), &a = lab.client("a"), &b = lab.client("b");
    lab.acquire(x, a, b);
    for (const std::string& name : lab.names()) {  // a's, as a revocation does
      if (name.ends_with("0000000001")) lab.execute(ZooKeeper::set_data_part("/door/" + name, "__REVOKE__"));
    }
    std::vector<std::int64_t> tokens;
    for (AnyLockLab::Client* const holder : {&x, &a, &b}) {
      ASSERT_TRUE(holder->holds());
      tokens.push_back(holder->token());
      lab.release(*holder);
    }
    EXPECT_LT(tokens[0], tokens[1]);
    EXPECT_EQ(tokens[1] < tokens[2], c.grow);
  }
}

}  // namespace
}  // namespace picklock
