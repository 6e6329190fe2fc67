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

TEST(Names, SaysSoWhenThereAreTooMany) {
  Names names;
  for (std::size_t i = 0; i < Names::kLimit; ++i) names.intern(std::to_string(i));
  EXPECT_EQ(names.intern("7"), 7);  // a known one still works
  try {
    names.intern("one too many");
    FAIL();
  } catch (const std::length_error& error) {
    EXPECT_NE(std::string(error.what()).find("65534"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("one too many"), std::string::npos);
  }
  EXPECT_EQ(names.size(), Names::kLimit);
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
