#include "sim/zookeeper/inspect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/core/world.hpp"

namespace picklock {
namespace {

std::vector<std::string_view> names_of(std::span<const TraceRecord> records) {
  const std::vector<TraceKindInfo> kinds = trace::zookeeper_kinds();
  std::vector<std::string_view> names;
  for (const TraceRecord& r : records) {
    const auto is_of = [&r](const TraceKindInfo& info) { return info.kind == r.kind; };
    const auto kind = std::find_if(kinds.begin(), kinds.end(), is_of);
    if (kind != kinds.end()) names.push_back(kind->name);
  }
  return names;
}

TEST(ZooKeeperTrace, TheJournalHasEffectsOnceAndTheFullTraceAsOftenAsServersApplyThem) {
  World world;
  world.trace.record_fully(true);
  world.reset(1);
  const NodeId first = world.nodes.add("zookeeper1"), second = world.nodes.add("zookeeper2");
  ZooTxn txn;
  txn.kind = ZooTxn::Kind::create;
  const std::vector<ZooEffect> effects = {{ZooEffect::Kind::created, ZooPath("/lock/n-0000000007"), 3, 0}};
  const ZooTree tree;
  zoo_record_applied(world, first, txn, 3, effects, tree);
  zoo_record_applied(world, second, txn, 3, effects, tree, false);
  const std::vector<std::string_view> all = {"zoo-applied", "zoo-sequential-znode", "zoo-created",
                                             "zoo-applied", "zoo-sequential-znode", "zoo-created"};
  EXPECT_EQ(names_of(world.trace.full()), all);
  EXPECT_EQ(names_of(world.trace.journal()), std::vector<std::string_view>(all.begin(), all.begin() + 4));
}

}  // namespace
}  // namespace picklock
