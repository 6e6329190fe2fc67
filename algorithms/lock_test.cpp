#include "algorithms/lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/runtime_lab.hpp"

namespace picklock {
namespace {

using testing::LabRuntime;

TEST(Patience, OneAttemptIsOne) {
  LabRuntime runtime;
  Patience patience = Patience::one_attempt(Host(runtime, 1));
  EXPECT_FALSE(patience.over());
  EXPECT_TRUE(patience.over());
  EXPECT_EQ(patience.remaining(), Duration{});
}

TEST(Patience, LastsUntilItsEnd) {
  LabRuntime runtime;
  Patience patience = Patience::lasting(Host(runtime, 1), milliseconds(10));
  EXPECT_FALSE(patience.over());
  runtime.now = milliseconds(10).ns - 1;
  EXPECT_FALSE(patience.over());
  EXPECT_EQ(patience.remaining(), nanoseconds(1));
  runtime.now = milliseconds(10).ns;
  EXPECT_TRUE(patience.over());
}

TEST(Patience, ComesWithOneAttemptHoweverLate) {
  LabRuntime runtime;
  Patience patience = Patience::lasting(Host(runtime, 1), milliseconds(10));
  runtime.now = seconds(1).ns;
  EXPECT_EQ(patience.remaining(), Duration{}) << "never negative";
  EXPECT_FALSE(patience.over());
  EXPECT_TRUE(patience.over());
}

TEST(Patience, UnlimitedNeverEnds) {
  LabRuntime runtime;
  Patience patience = Patience::unlimited(Host(runtime, 1));
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(patience.over());
    runtime.now += seconds(3600).ns;
  }
}

TEST(Patience, ACopyIsAnothersOwn) {
  LabRuntime runtime;
  const Patience original = Patience::one_attempt(Host(runtime, 1));
  for (int i = 0; i < 2; ++i) {
    Patience copy = original;
    EXPECT_FALSE(copy.over());
    copy.note_unknown();
    EXPECT_TRUE(copy.exhausted().unknown());
  }
  EXPECT_TRUE(original.exhausted().refused());
}

Task<void> pause_for(Host host, Patience patience, Duration d, MonoTime* woken) {
  co_await patience.pause(d);
  *woken = host.monotonic_now();
}

TEST(Patience, APauseEndsWithIt) {
  LabRuntime runtime;
  const Host host(runtime, 1);
  const Patience patience = Patience::lasting(host, milliseconds(10));
  MonoTime first, second;
  host.spawn("short", pause_for(host, patience, milliseconds(4), &first));
  host.spawn("long", pause_for(host, patience, milliseconds(400), &second));
  runtime.run_until(seconds(1));
  EXPECT_EQ(first, MonoTime{} + milliseconds(4));
  EXPECT_EQ(second, MonoTime{} + milliseconds(10));
}

TEST(Reach, HasOneObjectOfEachType) {
  struct Base {};
  struct Client : Base {};
  Client client;
  int number = 0;
  Reach reach;
  EXPECT_EQ(reach.find<Base>(), nullptr);
  reach.put<Base>(client);
  reach.put<int>(number);
  const Reach copy = reach;
  EXPECT_EQ(&copy.get<Base>(), &client);
  EXPECT_EQ(copy.find<Client>(), nullptr);
  EXPECT_EQ(copy.find<int>(), &number);
  EXPECT_DEATH(reach.put<int>(number), "");
  EXPECT_DEATH((void)reach.get<long>(), "");
}

}  // namespace
}  // namespace picklock
