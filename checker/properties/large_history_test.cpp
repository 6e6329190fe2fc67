// A million records, shaped to hurt whatever is not O(n log n).
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace {

// Everybody believes to the end, promises never end, and later requests are granted earlier.
History everything_at_once(std::uint32_t holds) {
  History h;
  h.omniscient = true;
  const NameId lock = h.names.intern("L");
  const NameId resource = h.names.intern("r");
  h.functions = {h.names.intern("acquire"), h.names.intern("release")};
  std::vector<NameId> clients;
  for (int i = 0; i < 1'000; ++i) clients.push_back(h.names.intern("c" + std::to_string(i)));
  h.holds.resize(1);
  std::uint32_t index = 0;
  std::int64_t now = 0;
  for (HoldId id = 1; id <= holds; ++id) {
    HoldInfo info;
    info.lock = lock;
    info.client = clients[id % clients.size()];
    info.process = static_cast<std::int32_t>(id * 7'919 % 2'000'000'000);
    info.token = static_cast<std::int64_t>(id % 1'000);
    h.holds.push_back(info);
    OperationEvent e;
    e.time = ++now;
    e.index = index++;
    e.process = info.process;
    e.hold = id;
    h.operations.push_back(e);
  }
  for (HoldId id = holds; id >= 1; --id) {
    ++now;
    h.grants.push_back(GrantEvent{now, kWithoutEnd, index++, id, kNoHold, GrantChange::begin});
    OperationEvent e = h.operations[id - 1];
    e.time = now;
    e.index = index++;
    e.type = OperationType::ok;
    h.operations.push_back(e);
    h.beliefs.push_back(BeliefEvent{now, index++, id, BeliefEnd::none});
    EffectEvent w;
    w.time = now;
    w.index = index++;
    w.hold = id;
    w.resource = resource;
    w.version = id;
    w.kind = EffectKind::write;
    w.acknowledged = true;
    w.depends_on_read = true;
    h.effects.push_back(w);
  }
  h.phases.push_back(PhaseEvent{now, index++, Phase::heal});
  return h;
}

TEST(LargeHistory, IsJudgedInSeconds) {
  constexpr std::uint32_t kHolds = 200'000;  // five records each
  const History history = everything_at_once(kHolds);
  JudgeOptions options;
  options.seats = true;
  options.starvation_bound = 1;
  options.overtaking_limit = 0;
  Scratch scratch;
  const Findings findings = judge(history, options, scratch);
  EXPECT_EQ(of(findings, Property::mutual_exclusion).measure, kHolds - 2);
  EXPECT_EQ(of(findings, Property::double_grant).measure, kHolds - 1);
  EXPECT_EQ(of(findings, Property::lost_update).measure, kHolds - 1);
  EXPECT_EQ(of(findings, Property::overtaking).measure, kHolds - 1);
  EXPECT_EQ(of(findings, Property::overtaking).beside, std::int64_t{kHolds} * (kHolds - 1) / 2);
  EXPECT_EQ(of(findings, Property::sold_twice).measure, 1);
}

}  // namespace
}  // namespace picklock
