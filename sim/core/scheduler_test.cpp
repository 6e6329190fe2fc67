#include "sim/core/scheduler.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace {

// The same queue, obviously right: an ordered set of (time, order of scheduling, slot).
struct Model {
  std::set<std::tuple<std::int64_t, std::uint64_t, SlotId>> events;
  std::map<SlotId, std::pair<std::int64_t, std::uint64_t>> open;  // order 0: not scheduled
  std::uint64_t scheduled = 0;

  void schedule(SlotId id, std::int64_t at) {
    open[id] = {at, ++scheduled};
    events.emplace(at, scheduled, id);
  }
  void cancel(SlotId id) {
    auto& [at, order] = open[id];
    if (order != 0) events.erase({at, order, id});
    order = 0;
  }
};

RC_GTEST_PROP(Scheduler, BehavesLikeAnOrderedSet, ()) {
  testing::Dice dice(*rc::gen::arbitrary<std::uint64_t>());
  const auto most_pending = *rc::gen::element(3, 30, 500);
  const auto horizon = *rc::gen::element<std::int64_t>(2, 100, 1'000'000);
  Scheduler queue;
  Model model;
  if (*rc::gen::arbitrary<bool>()) {  // a queue that was used before
    for (int i = 0; i < 200; ++i) queue.schedule(queue.open(SlotKind::wait, 1, nullptr), {i % 7});
    queue.reset();
  }
  const auto some_slot = [&] {
    auto it = model.open.begin();
    std::advance(it, dice.between(0, static_cast<std::int64_t>(model.open.size()) - 1));
    return it->first;
  };
  std::int64_t now = 0;
  for (int step = 0; step < 3000; ++step) {
    switch (model.open.empty() ? 0 : dice.between(0, 5)) {
      case 0:
        if (model.open.size() < static_cast<std::size_t>(most_pending)) {
          const SlotId id = queue.open(SlotKind::wait, 3, nullptr);
          RC_ASSERT(id != 0 && !model.open.contains(id));
          model.open[id] = {0, 0};
        }
        break;
      case 1:
      case 2: {
        const SlotId id = some_slot();
        if (model.open[id].second != 0) break;
        const std::int64_t at = now + dice.between(0, horizon);
        if (at >= now + horizon * 9 / 10 || dice.one_in(10)) {
          queue.schedule_timeout(id, {at});
        } else {
          queue.schedule(id, {at});
        }
        model.schedule(id, at);
        break;
      }
      case 3: {
        const SlotId id = some_slot();
        queue.cancel(id);
        model.cancel(id);
        break;
      }
      case 4:
        if (dice.one_in(3)) {
          const SlotId id = some_slot();
          queue.close(id);
          model.cancel(id);
          model.open.erase(id);
        }
        break;
      case 5:
        if (!model.events.empty()) {
          const auto [at, order, id] = *model.events.begin();
          RC_ASSERT(queue.next_time().ns == at);
          RC_ASSERT(queue.pop_by({at - 1}).slot == 0);
          const Scheduler::Due due = queue.pop_by({at + dice.between(0, 3)});
          RC_ASSERT(due.slot == id);
          RC_ASSERT(due.at.ns == at);
          RC_ASSERT(queue[id].key == 0);
          now = at;
          model.cancel(id);
        }
        break;
      default:
        break;
    }
    RC_ASSERT(queue.pending() == model.events.size());
    for (const auto& [id, due] : model.open) {
      if (step % 100 != 0) break;
      RC_ASSERT(queue.is_scheduled(id) == (due.second != 0));
      if (due.second != 0) RC_ASSERT(queue.time_of(id).ns == due.first);
    }
  }
  while (!queue.empty()) {
    RC_ASSERT(queue.pop_by(kNever).slot == std::get<2>(*model.events.begin()));
    model.events.erase(model.events.begin());
  }
  RC_ASSERT(model.events.empty());
}

TEST(Scheduler, EventsOfOneInstantFireInTheOrderOfScheduling) {
  Scheduler queue;
  std::vector<SlotId> expected;
  for (int i = 0; i < 1000; ++i) {
    const SlotId id = queue.open(SlotKind::wait, 1, nullptr);
    queue.schedule(id, {5});
    expected.push_back(id);
  }
  for (const SlotId id : expected) EXPECT_EQ(queue.pop_by(kNever).slot, id);
  EXPECT_EQ(queue.pop_by(kNever).slot, 0u);
}

TEST(Scheduler, NeverIsNotInTheQueue) {
  Scheduler queue;
  const SlotId id = queue.open(SlotKind::timer, 1, nullptr);
  queue.schedule(id, kNever);
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.is_scheduled(id));
  EXPECT_EQ(queue[id].key, Scheduler::kFrozen);
  queue.cancel(id);
  EXPECT_EQ(queue[id].key, 0u);
}

}  // namespace
}  // namespace picklock
