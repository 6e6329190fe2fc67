#include "sim/task/mark.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace picklock {
namespace {

TEST(Mark, EveryNameIsFoundAgain) {
  std::set<std::uint16_t> ids;
  for (const std::string_view name : mark_names()) {
    const auto found = find_mark(name);
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(name_of(*found), name);
    EXPECT_TRUE(ids.insert(found->id).second) << name << " shares its number";
  }
  EXPECT_EQ(ids.count(mark::none.id), 0U);
}

TEST(Mark, TheConstantsNameWhatTheySay) {
  EXPECT_EQ(name_of(mark::acquires), "acquires");
  EXPECT_EQ(name_of(mark::acquired), "acquired");
  EXPECT_EQ(name_of(mark::refused), "refused");
  EXPECT_EQ(name_of(mark::enters), "enters");
  EXPECT_EQ(name_of(mark::leaves), "leaves");
  EXPECT_EQ(name_of(mark::releases), "releases");
  EXPECT_EQ(name_of(mark::released), "released");
  EXPECT_EQ(name_of(mark::lost), "lost");
  EXPECT_EQ(name_of(mark::abandons), "abandons");
  EXPECT_EQ(name_of(mark::yields), "yields");
  EXPECT_EQ(name_of(mark::reads), "reads");
  EXPECT_EQ(name_of(mark::writes), "writes");
  EXPECT_EQ(name_of(mark::renews), "renews");
}

TEST(Mark, WhatIsNoMarkHasNoName) {
  EXPECT_EQ(name_of(mark::none), "");
  EXPECT_EQ(name_of(Mark{20}), "");
  EXPECT_EQ(name_of(Mark{60'000}), "");
  for (const char* name : {"", "SET", "Acquired", "acquire", "set ", "zzz", "a"}) {
    EXPECT_EQ(find_mark(name), std::nullopt) << name;
  }
}

TEST(Mark, ACommandIsKnownInAnyCase) {
  EXPECT_EQ(command_mark("SET"), find_mark("set"));
  EXPECT_EQ(command_mark("set"), find_mark("set"));
  EXPECT_EQ(command_mark("PExpire"), find_mark("pexpire"));
  EXPECT_EQ(name_of(command_mark("EVAL")), "eval");
  EXPECT_EQ(command_mark("EVALSHA"), command_mark("EVAL")) << "one script, by its text or by its digest";
}

TEST(Mark, AnUnknownCommandHasNone) {
  EXPECT_EQ(command_mark(""), mark::none);
  EXPECT_EQ(command_mark("FLUSHALL"), mark::none);
  EXPECT_EQ(command_mark("acquired"), mark::none) << "an event of the workload is no command";
  EXPECT_EQ(command_mark(std::string(200, 'S')), mark::none);
}

// The locks send these; faults must be injectable before and after each.
TEST(Mark, TheCommandsOfTheLocksAreThere) {
  for (const char* name : {"set", "setnx", "getset", "get", "del", "expire", "pexpire", "eval"}) {
    EXPECT_GE(command_mark(name).id, mark::first_command) << name;
  }
}

}  // namespace
}  // namespace picklock
