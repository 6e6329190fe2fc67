#include "sim/core/drawn_waits.hpp"

#include <gtest/gtest.h>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace drawn_waits_test {

using testing::Lab;
using testing::ms;

const Law kWork = Law::uniform(ms(100), ms(900));

enum class Wait { sleep, work };

Task<void> waits(Host host, Wait how, const Law* law, Duration* ended) {
  if (how == Wait::work) {
    co_await host.work(Purpose::hold, *law);
  } else {
    co_await host.sleep(Purpose::hold, *law);
  }
  *ended = host.monotonic_now() - MonoTime{};
}

struct Run {
  bool reveals = true;
  Duration reseeded_at{};  // 0: never
  bool paused = false;     // paused between 20 ms and 70 ms
  std::uint64_t seed = 2;
};

Duration end_of(Wait how, const Run& run, const Law& law = kWork) {
  Lab lab;
  lab.world.drawn_waits.reveal_lengths(run.reveals);
  const NodeId n = lab.world.nodes.add("n");
  Duration ended{};
  lab.world.tasks.start(n, "main", waits(lab.world.host(n), how, &law, &ended));
  if (run.paused) lab.pause(n, ms(20), ms(50));
  if (run.reseeded_at.ns != 0) lab.at(run.reseeded_at, [&](World& w) { w.reseed(run.seed); });
  lab.run();
  return ended;
}

TEST(DrawnWaits, AreDrawnAgainByAReseedAndNotBeforeTheirOwnPast) {
  for (const Wait how : {Wait::sleep, Wait::work}) {
    const Duration once = end_of(how, {});
    bool changed = false;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Duration again = end_of(how, {.reseeded_at = ms(90), .seed = seed});
      EXPECT_GE(again, ms(100));
      EXPECT_LE(again, ms(900));
      changed |= again != once;
    }
    EXPECT_TRUE(changed);
    EXPECT_EQ(end_of(how, {.reveals = false, .reseeded_at = ms(90)}), once) << "a world that reveals no lengths";
    EXPECT_EQ(end_of(how, {.reseeded_at = seconds(1)}), once) << "the wait is over";
  }
}

TEST(DrawnWaits, AConstantStaysAsItIs) {
  EXPECT_EQ(end_of(Wait::sleep, {.reseeded_at = ms(90)}, Law(ms(300))), ms(300));
}

// The work of a paused process does not shrink while it is suspended.
TEST(DrawnWaits, SuspendedWorkIsDrawnAgainFromWhatIsLeft) {
  const Duration running = end_of(Wait::work, {.reseeded_at = ms(20)});
  const Duration paused = end_of(Wait::work, {.reseeded_at = ms(20), .paused = true});
  EXPECT_EQ(paused - running, ms(50));
}

}  // namespace drawn_waits_test
}  // namespace picklock
