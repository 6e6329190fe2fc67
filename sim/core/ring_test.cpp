#include "sim/core/ring.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <memory>

namespace picklock {
namespace {

RC_GTEST_PROP(Ring, BehavesLikeADeque, ()) {
  const auto commands = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
  Ring<std::unique_ptr<int>> ring;
  std::deque<int> model;
  for (const int c : commands) {
    if (c < 60) {
      ring.push(std::make_unique<int>(c));
      model.push_back(c);
    } else if (c < 97 && !model.empty()) {
      RC_ASSERT(*ring.front() == model.front());
      RC_ASSERT(*ring.pop() == model.front());
      model.pop_front();
    } else if (c >= 97) {
      ring.clear();
      model.clear();
    }
    RC_ASSERT(ring.size() == model.size() && ring.empty() == model.empty());
    for (std::size_t i = 0; i < model.size(); ++i) RC_ASSERT(*ring[i] == model[i]);
  }
}

TEST(Ring, DestroysWhatItForgets) {
  const auto counted = std::make_shared<int>(1);
  Ring<std::shared_ptr<int>> ring;
  for (int i = 0; i < 100; ++i) ring.push(std::shared_ptr<int>(counted));
  for (int i = 0; i < 30; ++i) EXPECT_EQ(*ring.pop(), 1);
  EXPECT_EQ(counted.use_count(), 71);
  ring.clear();
  EXPECT_EQ(counted.use_count(), 1);
}

}  // namespace
}  // namespace picklock
