#include "instruments/explain/trial.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

TEST(Trial, IsOneLineThatAShellRepeats) {
  Trial t{"paused_holder", {"", {"lock.ttl=1s"}, {}}, 7};
  t = with_set(with_edits(t, {"", {}, {"fault[0]"}}), "clients.a.locks", " x, y");
  EXPECT_EQ(command_of(t),
            "picklock run paused_holder --set lock.ttl=1s --set 'clients.a.locks=\" x, y\"' --without 'fault[0]' "
            "--seed 7");
  EXPECT_EQ(with_seed(t, 8).seed, 8u);
}

}  // namespace
}  // namespace picklock
