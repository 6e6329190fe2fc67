// What locks on ZooKeeper have in common: each story is told once, of every line of the table that it is true of.
// Left out are those that hold several names or leases at a time; their own tests are curator_locks_test.cpp.
#include <gtest/gtest.h>

#include "algorithms/curator/curator_mutex.hpp"
#include "algorithms/zookeeper/go_zookeeper_lock.hpp"
#include "algorithms/zookeeper/kazoo_lock.hpp"
#include "algorithms/zookeeper/test_zookeeper.hpp"
#include "algorithms/zookeeper/zk_article_lock.hpp"
#include "algorithms/zookeeper/zookeeper_herd_lock.hpp"
#include "algorithms/zookeeper/zookeeper_lock.hpp"

namespace picklock {
namespace {

using testing::options_of;
using testing::shares;
using testing::ZooLockLab;
using SetOptions = testing::ZooLockClient::SetOptions;

// What all their options have: sets these.
struct CommonOptions final : FieldVisitor {
  Duration session = seconds(10);
  std::size_t reaction = 0;  // ignores, stops when in doubt, stops when it is certain

  void field(const FieldInfo& f, Duration& d) override {
    if (f.name == "session") d = session;
  }
  void choice(const FieldInfo& f, std::span<const std::string_view>, std::size_t& i) override {
    if (f.name == "reaction") i = reaction;
  }
  void field(const FieldInfo&, bool&) override {}
  void field(const FieldInfo&, std::int64_t&) override {}
  void field(const FieldInfo&, std::optional<Duration>&) override {}
  void field(const FieldInfo&, Law&) override {}
  void field(const FieldInfo&, std::string&) override {}
};

// Clients of any one lock.
class StoryLab : public ZooLockLab {
 public:
  explicit StoryLab(std::string_view kind, SetOptions set = {}, std::uint64_t seed = 1)
      : ZooLockLab(seed), kind_(kind), set_(std::move(set)) {}
  Process& process(std::string_view name) {
    const bool go = kind_.starts_with("go-zookeeper");
    return ZooLockLab::process(name, go ? go_zookeeper_options() : ZooClientOptions());
  }
  Client& client(std::string_view name, const Client::SetContext& context = {}) {
    return thread(process(name), 1, context);
  }
  Client& thread(Process& p, std::uint32_t number, const Client::SetContext& context = {}) {
    return add(p, number, kind_, [this](Options& options) {
      options.fields(common);
      if (set_) set_(options);
    }, context);
  }
  // In which a client waits for its turn.
  std::string_view waiting_task() const {
    return kind_ == "go-zookeeper-lock" ? "lock" : kind_ == "go-zookeeper-channel-lock" ? "watch" : "client";
  }
  // The nodes that some session owns.
  std::vector<std::string> owned() const {
    std::vector<std::string> paths;
    for (const auto& [path, node] : server.tree.nodes()) {
      if (node.owner != 0) paths.push_back(path);
    }
    return paths;
  }

  CommonOptions common;

 private:
  std::string_view kind_;
  SetOptions set_;
};

std::vector<std::string_view> names_of(bool (*wanted)(const LockKind&)) {
  std::vector<std::string_view> names;
  for (const LockKind& kind : lock_kinds()) {
    const bool single = !kind.several_names && (!kind.permits || kind.permits(*kind.default_options()) == 1);
    if (kind.service == LockService::zookeeper && single && wanted(kind)) names.push_back(kind.name);
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
INSTANTIATE_TEST_SUITE_P(Locks, EveryZookeeperLock,
                         ::testing::ValuesIn(names_of([](const LockKind&) { return true; })), test_name);
INSTANTIATE_TEST_SUITE_P(
    Locks, EveryZookeeperQueue,
    ::testing::ValuesIn(names_of([](const LockKind& k) { return k.ownership != Ownership::znode; })), test_name);
INSTANTIATE_TEST_SUITE_P(Locks, EveryZookeeperReadWriteLock,
                         ::testing::ValuesIn(names_of([](const LockKind& k) { return k.claims.shared; })), test_name);

// --- calm days

TEST_P(EveryZookeeperLock, OnACalmDayOneHoldsAfterTheOtherAndTokensGrow) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    StoryLab lab(GetParam(), {}, seed);
    std::vector<StoryLab::Client*> clients;
    for (const char* name : {"a", "b", "c", "d"}) clients.push_back(&lab.client(name));
    for (StoryLab::Client* c : clients) c->acquire();
    std::int64_t token = 0;
    std::size_t granted = 0;
    for (int step = 1; step <= 8; ++step) {
      lab.pass(seconds(1));
      StoryLab::Client* holder = nullptr;
      for (StoryLab::Client* c : clients) {
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
    for (StoryLab::Client* c : clients) EXPECT_TRUE(c->gave_back());
    EXPECT_EQ(lab.owned().size(), 0U);
  }
}

TEST_P(EveryZookeeperQueue, GrantsInTheOrderOfTheCreatesAndToAnObjectAgain) {
  StoryLab lab(GetParam());
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
  StoryLab lab(GetParam());
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
    StoryLab lab(GetParam());
    auto& p = lab.process("p");
    std::uint32_t threads = 0;
    const auto client = [&](const char* name, const StoryLab::Client::SetContext& context = {}) -> auto& {
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

// What it found before it has gone when it comes to watch it.
TEST_P(EveryZookeeperLock, AHolderThatLeavesBeforeItIsWatchedIsNotWaitedFor) {
  StoryLab lab(GetParam());
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a);
  const Mark looks = GetParam() == "zookeeper-herd-lock" ? mark::zoo_create : mark::zoo_get_children;
  const bool looks_for_its_own_first = GetParam() == "zookeeper-write-lock";
  lab.after(b, looks, [&] { lab.stop(b, lab.waiting_task()); }, looks_for_its_own_first ? 2 : 1);
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
  StoryLab lab(GetParam());
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
  // Those whose wait nobody can end, and one that heeds its own patience.
  const bool leaves =
      is_one_of(GetParam(), {"zk-lock", "go-zookeeper-lock", "go-zookeeper-channel-lock", "curator-annotation"});
  for (const Duration patience : {Duration{}, seconds(3)}) {
    StoryLab lab(GetParam());
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
  StoryLab lab(GetParam());
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
    StoryLab lab(GetParam());
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
    a.process.mend();
    lab.pass(seconds(15));
    EXPECT_EQ(a.lost(), c.certain && !deaf);
  }
}

TEST_P(EveryZookeeperLock, AWaiterWhoseSessionExpiresQueuesAnew) {
  const bool waits_on = is_one_of(GetParam(), {"zk-lock", "zookeeper-write-lock"});  // for a node that is gone
  const bool is_told = GetParam().starts_with("go-zookeeper");                       // ErrSessionExpired
  for (const bool cut : {true, false}) {
    StoryLab lab(GetParam());
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
    b.process.mend();
    lab.pass(seconds(40));
    EXPECT_EQ(lab.owned().size(), waits_on || is_told ? nodes_of_a : nodes_of_both);
    EXPECT_EQ(b.acquired.has_value(), is_told);
    lab.release(a);
    EXPECT_TRUE(a.gave_back());
    EXPECT_EQ(b.holds(), !waits_on && !is_told);
  }
}

// --- the create takes, and its answer is lost

void lose_the_answer(StoryLab& lab, StoryLab::Client& a, std::uint32_t create) {
  lab.enter_and_leave(a);
  EXPECT_TRUE(a.gave_back());
  lab.before(a, mark::zoo_create, [&] { a.process.deafen(); }, create);
  lab.acquire(a);
  EXPECT_EQ(lab.owned().size(), 1U);
  EXPECT_FALSE(a.acquired);
  lab.pass(seconds(7));
  a.process.mend();
  lab.pass(seconds(90));
}

TEST_P(EveryZookeeperLock, ANodeWithoutAnAnswerIsFoundAgain) {
  const bool makes_the_directory_first = GetParam() == "zookeeper-write-lock";
  StoryLab lab(GetParam());
  auto& a = lab.client("a");
  lose_the_answer(lab, a, makes_the_directory_first ? 2 : 1);
  ASSERT_EQ(lab.owned().size(), 1U);
  if (is_one_of(GetParam(), {"zk-lock", "zookeeper-write-lock"})) {  // as they are by default
    EXPECT_FALSE(a.holds());
  } else {
    ASSERT_TRUE(a.holds());
    EXPECT_EQ(a.token(), lab.find(lab.owned().front())->czxid);
  }
}

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
    StoryLab lab(c.kind, c.unmarked);
    auto& a = lab.client("a");
    lose_the_answer(lab, a, 1);
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
  for (const Case& c : {Case{"go-zookeeper-lock", go(GoZkGuidSearch::any_session), true},
                        Case{"go-zookeeper-lock", go(GoZkGuidSearch::own_session), false},
                        Case{"kazoo-lock", kazoo(KazooFindNode::any_session), true},
                        Case{"kazoo-lock", kazoo(KazooFindNode::own_session), false},
                        Case{"zk-lock-repaired", {}, false}}) {
    SCOPED_TRACE(c.kind);
    StoryLab lab(c.kind, c.set);
    auto& a = lab.client("a");
    lab.enter_and_leave(a);
    lab.before(a, mark::zoo_create, [&] {
      a.process.deafen();
      lab.before(a, mark::zoo_get_children, [&] { lab.stop(a, lab.waiting_task()); });
    });
    a.acquire();
    lab.pass(seconds(8));
    a.process.mend();
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
    StoryLab lab(c.kind, c.set);
    lab.make("/door");
    lab.make(std::string(c.holder));
    ZooTxn last;
    last.kind = ZooTxn::Kind::create;
    last.path = "/door/x";
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
  const auto recipe = [](ZkToken token) {
    return options_of<ZookeeperLockOptions>([=](auto& o) { o.token = token; });
  };
  const auto curator = [](CuratorToken token) {
    return options_of<CuratorMutexOptions>([=](auto& o) { o.token = token; });
  };
  const Case cases[] = {{"zookeeper-lock", recipe(ZkToken::czxid), true},
                        {"zookeeper-lock", recipe(ZkToken::mzxid), false},
                        {"curator-mutex", curator(CuratorToken::czxid), true},
                        {"curator-mutex", curator(CuratorToken::mzxid), false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.kind);
    StoryLab lab(c.kind, c.set);
    auto &x = lab.client("x"), &a = lab.client("a"), &b = lab.client("b");
    lab.acquire(x, a, b);
    for (const std::string& name : lab.names()) {  // a's, as a revocation does
      if (name.ends_with("0000000001")) lab.execute(ZooKeeper::set_data_part("/door/" + name, "__REVOKE__"));
    }
    std::vector<std::int64_t> tokens;
    for (StoryLab::Client* const holder : {&x, &a, &b}) {
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
