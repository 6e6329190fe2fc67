#include "sim/core/actions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sim/core/world.hpp"
#include "sim/core/world_lab.hpp"

namespace picklock {
namespace actions_test {

using testing::Lab;
using testing::ms;
using testing::true_at;

TEST(Actions, ActInTheOrderOfTheirInstantsAndThenOfTheirNaming) {
  Lab lab;
  std::string acted;
  const auto note = [&](char what) { return [&acted, what](World&) { acted += what; }; };
  lab.at(ms(20), note('d'));
  lab.at(ms(10), note('a'));
  lab.at(ms(10), [&](World& w) {
    acted += 'b';
    w.actions.at(true_at(ms(5)), lab.action(note('c')));  // the instant is over: it happens now
  });
  lab.run();
  EXPECT_EQ(acted, "abcd");
  EXPECT_EQ(lab.world.now(), true_at(ms(20)));
}

TEST(Actions, AResetForgetsThoseToCome) {
  Lab lab;
  int acted = 0;
  const NodeId n = lab.world.nodes.add("n");
  lab.at(ms(10), [&](World&) { ++acted; });
  lab.on(n, mark::enters, [&](World&) { ++acted; });
  lab.world.reset(1);
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(acted, 0);
}

Task<void> passes(Host host, int times) {
  for (int i = 0; i < times; ++i) {
    co_await host.sleep(ms(10));
    co_await host.pass(mark::enters);
  }
}

TEST(Triggers, FiresOnceAtItsCountAndAfterItsOffset) {
  Lab lab;
  const NodeId a = lab.world.nodes.add("a"), b = lab.world.nodes.add("b");
  std::vector<std::pair<std::string, Duration>> fired;
  const auto note = [&](std::string what) {
    return [&fired, what](World& w) { fired.push_back({what, w.now() - TrueTime{}}); };
  };
  lab.on(a, mark::enters, note("first"));
  lab.on(a, mark::enters, note("third"), MarkSide::at, 3);
  lab.on(a, mark::enters, note("7 ms after the second"), MarkSide::at, 2, ms(7));
  lab.on(a, mark::enters, note("before"), MarkSide::before);
  lab.on(a, mark::leaves, note("another mark"));
  // Another mark that shares its bit in the filter.
  lab.on(a, Mark{static_cast<std::uint16_t>(mark::enters.id + 64)}, note("a mark 64 further on"));
  lab.on(b, mark::enters, note("b"), MarkSide::at, 2);
  lab.world.tasks.start(a, "main", passes(lab.world.host(a), 5));
  lab.world.tasks.start(b, "main", passes(lab.world.host(b), 1));
  lab.run();
  EXPECT_EQ(fired, (std::vector<std::pair<std::string, Duration>>{
                       {"first", ms(10)}, {"7 ms after the second", ms(27)}, {"third", ms(30)}}));
}

TEST(Triggers, ThatInstallsAnotherDoesNotCountThePresentPassing) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> fired;
  lab.on(n, mark::enters, [&](World& w) {
    w.actions.on({n, MarkSide::at, mark::enters, 1, {}},
                 lab.action([&](World& x) { fired.push_back(x.now() - TrueTime{}); }));
  });
  lab.world.tasks.start(n, "main", passes(lab.world.host(n), 3));
  lab.run();
  EXPECT_EQ(fired, std::vector<Duration>{ms(20)});
}

Task<void> draws_once(Host host) {
  (void)host.random(Purpose::start);
  co_await host.sleep(ms(1));
}
Task<void> passes_in_operation(Host host, World* world) {
  world->tasks.begin_operation(5, 3);
  co_await host.pass(mark::enters);
  (void)host.random(Purpose::hold);
}

TEST(Triggers, ActsForTheWorldAndNotForWhoPassed) {
  Lab lab;
  const NodeId a = lab.world.nodes.add("a"), b = lab.world.nodes.add("b");
  lab.world.draws.log(true);
  lab.on(a, mark::enters, [&](World& w) {
    EXPECT_EQ(w.tasks.current_operation().hold, 0u);
    w.tasks.start(b, "main", draws_once(w.host(b)));
  });
  lab.world.tasks.start(a, "main", passes_in_operation(lab.world.host(a), &lab.world));
  lab.run();
  std::vector<std::string> names;
  for (const DrawRecord& r : lab.world.draws.logged()) names.push_back(lab.world.tasks.draw_name(r));
  EXPECT_EQ(names, (std::vector<std::string>{"a/hold@a#5.1", "b/start@b#0.1"}));
}

// The task whose passing counts is named by a hash.
TEST(Triggers, OfOneTaskIgnoreTheOthers) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> fired;
  TriggerPoint point{.node = n, .mark = mark::enters};
  point.task = hash_of("renewal");
  lab.world.actions.on(point, lab.action([&](World& w) { fired.push_back(w.now() - TrueTime{}); }));
  lab.world.tasks.start(n, "main", passes(lab.world.host(n), 1));
  lab.run();
  EXPECT_TRUE(fired.empty());
  lab.world.tasks.start(n, "renewal", passes(lab.world.host(n), 1));
  lab.run();
  EXPECT_EQ(fired, std::vector<Duration>{ms(20)});
}

}  // namespace actions_test
}  // namespace picklock
