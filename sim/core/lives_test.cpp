#include "sim/core/lives.hpp"

#include <gtest/gtest.h>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace lives_test {

using testing::ms;
using testing::Pair;
using testing::true_at;

// The lives of client and server once all requests are answered.
std::pair<std::uint64_t, std::uint64_t> lives_of(bool kept, int requests, Duration slower = ms(1)) {
  Pair pair;
  pair.world.lives.keep(kept);
  pair.world.network.set_latency(pair.n, pair.server, Law::constant(slower));
  pair.call(requests);
  pair.run_until(seconds(1));
  return {pair.world.lives.of(pair.n), pair.world.lives.of(pair.server)};
}

TEST(Lives, AreEqualWhereTheSameWasToldAtTheSameInstants) {
  EXPECT_EQ(lives_of(true, 3), lives_of(true, 3));
  EXPECT_NE(lives_of(true, 3).first, lives_of(true, 2).first);
  EXPECT_NE(lives_of(true, 3).second, lives_of(true, 2).second);
  EXPECT_NE(lives_of(true, 3).second, lives_of(true, 3, ms(2)).second) << "the same messages, but later";
}

TEST(Lives, TellOfTheEndOfAProcess) {
  Pair pair;
  pair.world.lives.keep(true);
  pair.run_until(ms(1));
  const std::uint64_t before = pair.world.lives.of(pair.n), other = pair.world.lives.of(pair.server);
  pair.world.faults.kill(pair.n);
  EXPECT_NE(pair.world.lives.of(pair.n), before);
  EXPECT_EQ(pair.world.lives.of(pair.server), other);
}

// Each state is unique if lives are not kept, in each run and at each event.
TEST(Lives, ThatAreNotKeptAreUnique) {
  Pair pair;
  pair.call(1);
  const std::uint64_t before = pair.world.lives.of(pair.n);
  pair.run_until(ms(5));
  EXPECT_NE(pair.world.lives.of(pair.n), before);
  EXPECT_FALSE(pair.world.lives.are_kept());
}

}  // namespace lives_test
}  // namespace picklock
