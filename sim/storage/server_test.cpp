#include "sim/storage/server.hpp"

#include <gtest/gtest.h>

#include "sim/core/rpc_channel.hpp"

namespace picklock {
namespace {

struct Step {
  enum class What { read, write, append, compare_and_set } what = What::read;
  std::optional<std::int64_t> token{};
  std::vector<std::int64_t> items{};
  std::uint64_t read_version = 0;
  bool shared = false;
};

struct Answer {
  bool yes, refused;
  std::uint64_t version;
  std::vector<std::int64_t> items;
};

Task<void> play(Host host, Storage storage, std::vector<Step> steps, std::vector<Answer>* answers) {
  for (const Step& s : steps) {
    const Fence fence{s.token, s.shared};
    std::optional<Outcome<Stored>> o;
    switch (s.what) {
      case Step::What::read:
        o = co_await storage.read(0, fence);
        break;
      case Step::What::write:
        o = co_await storage.write(0, s.items, s.read_version, fence);
        break;
      case Step::What::append:
        o = co_await storage.append(0, s.items.front(), fence);
        break;
      case Step::What::compare_and_set:
        o = co_await storage.compare_and_set(0, s.items, s.read_version, fence);
        break;
    }
    const bool yes = o->yes();
    answers->push_back(
        {yes, o->refused(), yes ? o->value().version : 0, yes ? o->value().items : std::vector<std::int64_t>{}});
    co_await host.sleep(milliseconds(1));
  }
}

class StorageTest : public testing::Test {
 protected:
  void set_up(const StorageOptions& options) {
    world_.reset(7);
    server_.set_options(options);
    server_node_ = world_.nodes.add("storage");
    client_ = world_.nodes.add("a");
    world_.install(server_node_, server_);
    channel_ = &world_.channels.open(client_, server_node_, {});
  }
  std::vector<Answer> play_steps(std::vector<Step> steps) {
    std::vector<Answer> answers;
    world_.tasks.start(client_, "main", play(world_.host(client_), Storage(*channel_), std::move(steps), &answers));
    world_.run();
    return answers;
  }
  static constexpr auto kRead = Step::What::read;
  static constexpr auto kWrite = Step::What::write;
  static constexpr auto kAppend = Step::What::append;
  static constexpr auto kCas = Step::What::compare_and_set;

  World world_;
  StorageServer server_;
  NodeId server_node_ = 0, client_ = 0;
  RpcChannel* channel_ = nullptr;
};

TEST_F(StorageTest, VersionsGrowByOneAndContentsAreWhatWasWritten) {
  set_up({});
  const auto a = play_steps({{kRead}, {kWrite, {}, {5}}, {kAppend, {}, {6}}, {kRead}});
  EXPECT_EQ(a[0].version, 0u);
  EXPECT_EQ(a[1].version, 1u);
  EXPECT_EQ(a[2].version, 2u);
  EXPECT_EQ(a[3].items, (std::vector<std::int64_t>{5, 6}));
}

TEST_F(StorageTest, CompareAndSetLooksAtTheVersion) {
  set_up({});
  const auto a = play_steps({{kWrite, {}, {1}}, {kCas, {}, {2}, 0}, {kCas, {}, {3}, 1}, {kRead}});
  EXPECT_TRUE(a[1].refused);
  EXPECT_TRUE(a[2].yes);
  EXPECT_EQ(a[3].items, std::vector<std::int64_t>{3});
}

TEST_F(StorageTest, WithoutAFenceOldTokensPass) {
  set_up({});
  const auto a = play_steps({{kWrite, 34, {1}}, {kWrite, 33, {2}}});
  EXPECT_TRUE(a[1].yes);
}

TEST_F(StorageTest, AFenceOnWritesRefusesOldWritesAndNotReads) {
  set_up({.fence = FenceMode::writes});
  const auto a = play_steps({{kRead, 35}, {kWrite, 34, {1}}, {kWrite, 33, {2}}, {kRead, 33}, {kWrite, 34, {3}}});
  EXPECT_TRUE(a[1].yes) << "a read leaves no token behind";
  EXPECT_TRUE(a[2].refused);
  EXPECT_TRUE(a[3].yes);
  EXPECT_TRUE(a[4].yes) << "the holder's own second write";
}

TEST_F(StorageTest, AFenceOnReadsAndWritesRefusesBoth) {
  set_up({.fence = FenceMode::reads_and_writes});
  const auto a = play_steps({{kRead, 35}, {kWrite, 34, {1}}, {kRead, 34}, {kWrite, 35, {2}}, {kRead}});
  EXPECT_TRUE(a[1].refused);
  EXPECT_TRUE(a[2].refused);
  EXPECT_TRUE(a[3].yes);
  EXPECT_TRUE(a[4].refused) << "no token, where tokens have been seen";
}

TEST_F(StorageTest, AReadHoldIsComparedButLeavesNoToken) {
  set_up({.fence = FenceMode::reads_and_writes});
  const auto a = play_steps({{kWrite, 10, {1}}, {kRead, 20, {}, 0, true}, {kWrite, 15, {2}}, {kRead, 12, {}, 0, true}});
  EXPECT_TRUE(a[1].yes);
  EXPECT_TRUE(a[2].yes) << "the reader's 20 must not shut out a writer's 15";
  EXPECT_TRUE(a[3].refused);
}

TEST_F(StorageTest, StrictRefusesAHoldersSecondWrite) {
  set_up({.fence = FenceMode::writes, .strict = true});
  const auto a = play_steps({{kWrite, 5, {1}}, {kWrite, 5, {2}}, {kWrite, 6, {3}}});
  EXPECT_TRUE(a[0].yes);
  EXPECT_TRUE(a[1].refused);
  EXPECT_TRUE(a[2].yes);
}

TEST_F(StorageTest, WhatWasAcknowledgedSurvivesPowerLossTokenIncluded) {
  set_up({.fence = FenceMode::writes});
  play_steps({{kWrite, 7, {1, 2, 3}}});
  world_.faults.lose_power(server_node_);
  world_.faults.restart(server_node_);
  channel_->disconnect();
  const auto a = play_steps({{kRead}, {kWrite, 6, {9}}, {kWrite, 7, {8}}});
  EXPECT_EQ(a[0].items, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_TRUE(a[1].refused) << "the newest token was on the platter, too";
  EXPECT_EQ(a[2].version, 2u);
}

TEST_F(StorageTest, NotDurableLosesAllWithThePower) {
  set_up({.durable = false});
  play_steps({{kWrite, {}, {1}}});
  world_.faults.lose_power(server_node_);
  world_.faults.restart(server_node_);
  channel_->disconnect();
  EXPECT_EQ(play_steps({{kRead}})[0].version, 0u);
}

TEST_F(StorageTest, EveryRequestLeavesItsEffectInTheJournal) {
  set_up({.fence = FenceMode::writes});
  play_steps({{kWrite, 2, {1}}, {kWrite, 1, {2}}});
  std::vector<std::uint64_t> flags;
  for (const TraceRecord& r : world_.trace.journal()) {
    if (r.kind == trace::storage_request) flags.push_back(r.c);
  }
  using namespace trace;
  ASSERT_EQ(flags.size(), 2u);
  EXPECT_EQ(flags[0], kStorageWrite | kStorageHasToken | kStorageDependsOnRead);
  EXPECT_EQ(flags[1], kStorageWrite | kStorageHasToken | kStorageDependsOnRead | kStorageRefused);
}

TEST_F(StorageTest, ClaimsExcludeInterleavingAndOrderNothing) {
  set_up({.fence = FenceMode::claims});
  const auto answers = play_steps({
      {kRead, 70},        // one reads and so puts its token there
      {kRead, 20},        // another does, and comes between: smaller is as good as larger
      {kWrite, 70, {1}},  // the first finds a token that is not its own
      {kWrite, 20, {2}},  // the second does not
      {kRead, 70},        // a late claim wins, stale or not
      {kWrite, 70, {3}},
      {kWrite, std::nullopt, {4}},
  });
  const std::vector<bool> passed{true, true, false, true, true, true, false};
  for (std::size_t i = 0; i < passed.size(); ++i) EXPECT_EQ(answers[i].yes, passed[i]) << i;
}

}  // namespace
}  // namespace picklock
