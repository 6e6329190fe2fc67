#include "checker/names.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace picklock {
namespace {

TEST(Names, NumbersThemInOrderOfAppearance) {
  Names names;
  EXPECT_EQ(names.intern("a"), 0);
  EXPECT_EQ(names.intern("b"), 1);
  EXPECT_EQ(names.intern("a"), 0);
  EXPECT_EQ(names.intern(""), 2);
  EXPECT_EQ(names.view(1), "b");
  EXPECT_EQ(names.view(2), "");
  EXPECT_EQ(names.size(), 3u);
  EXPECT_EQ(names.find("b"), 1);
  EXPECT_EQ(names.find("c"), kNoName);
  EXPECT_EQ(names.view(kNoName), "");
}

TEST(Names, ViewsOutliveLaterNames) {
  Names names;
  const auto first = names.view(names.intern("first"));
  for (int i = 0; i < 50'000; ++i) names.intern("name" + std::to_string(i));
  EXPECT_EQ(first, "first");
  EXPECT_EQ(names.view(names.find("name49999")), "name49999");
}

TEST(Names, HasRoomForAHundredThousand) {
  Names names;
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(names.intern("lock" + std::to_string(i)), static_cast<NameId>(i));
  EXPECT_EQ(names.view(names.find("lock99999")), "lock99999");
}

TEST(Names, ClearStartsAnew) {
  Names names;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i) {
      EXPECT_EQ(names.intern(std::to_string(i * (round + 1))), static_cast<NameId>(i));
    }
    names.clear();
    EXPECT_EQ(names.size(), 0u);
    EXPECT_EQ(names.find("0"), kNoName);
  }
}

TEST(Names, GoBackToAnEarlierPoint) {
  Names names, never_more;
  for (int i = 0; i < 100; ++i) {
    names.intern("kept" + std::to_string(i));
    never_more.intern("kept" + std::to_string(i));
  }
  const Names::Point kept = names.here();
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < 1000 * round; ++i) names.intern(std::to_string(i * round));  // the table grows meanwhile
    names.back_to(kept);
    ASSERT_EQ(names.size(), 100u);
    EXPECT_EQ(names.find("0"), kNoName);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(names.find("kept" + std::to_string(i)), static_cast<NameId>(i));
    EXPECT_EQ(names.here().used, never_more.here().used) << "the memory of the others is used again";
  }
  EXPECT_EQ(names.intern("new"), 100u);
}

TEST(Names, CopiesAreIndependent) {
  Names a;
  a.intern("x");
  Names b = a;
  b.intern("y");
  EXPECT_EQ(a.size(), 1u);
  EXPECT_EQ(b.view(0), "x");
  EXPECT_EQ(b.view(1), "y");
}

}  // namespace
}  // namespace picklock
