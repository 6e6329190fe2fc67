#include "sim/lua/pattern_steps.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <lua.hpp>
#include <string>

namespace picklock {
namespace pattern_steps_test {

struct Draw {
  std::uint64_t state = 1;
  std::uint64_t operator()(std::uint64_t most) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % most;
  }
};

std::string text(Draw& draw) {
  std::string made;
  for (std::uint64_t n = draw(14); n > 0; --n) made += "aab(().-%1 A\n"[draw(13)];
  return made;
}

// Parts of patterns in any order: most are right, some have a mistake.
std::string pattern(Draw& draw) {
  constexpr const char* kParts[] = {"a",     "b",  ".",  "%a", "%A", "%s",   "[ab]",   "[^ab]",  "[a-c%-]",
                                    "[]]",   "(",  ")",  "()", "%1", "%b()", "%f[%a]", "%f[^a]", "$",
                                    "^",     "%.", "%(", "-",  "*",  "+",    "?",      "%z",     "%w",
                                    "[%a_]", "%",  "[",  "(a", "b)", "%2",   "%g",     "[^]]",   "%bab"};
  constexpr const char* kHow[] = {"", "", "", "*", "+", "-", "?"};
  std::string made = draw(8) == 0 ? "^" : "";
  for (std::uint64_t n = draw(6) + 1; n > 0; --n) {
    made += kParts[draw(std::size(kParts))];
    made += kHow[draw(std::size(kHow))];
  }
  return made;
}

// Lua's own answer: begin and end, from 1; "none"; "mistake".
std::string found_by_lua(lua_State* lua, const std::string& subject, const std::string& wanted, std::size_t from) {
  lua_getglobal(lua, "string");
  lua_getfield(lua, -1, "find");
  lua_pushlstring(lua, subject.data(), subject.size());
  lua_pushlstring(lua, wanted.data(), wanted.size());
  lua_pushnumber(lua, static_cast<double>(from + 1));
  const bool fails = lua_pcall(lua, 3, 2, 0) != 0;
  std::string found = "mistake";
  if (!fails && lua_isnil(lua, -2)) found = "none";
  if (!fails && !lua_isnil(lua, -2)) {
    found = std::to_string(lua_tointeger(lua, -2)) + " " + std::to_string(lua_tointeger(lua, -1));
  }
  lua_settop(lua, 0);
  return found;
}

// The count is that of Lua's own search only if it finds the same.
TEST(PatternSteps, FindsWhatLuaFinds) {
  lua_State* const lua = luaL_newstate();
  luaL_openlibs(lua);
  Draw draw;
  int matches = 0, none = 0, mistakes = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::string subject = text(draw), wanted = pattern(draw);
    const std::size_t from = draw(subject.size() + 1);
    const std::string expected = found_by_lua(lua, subject, wanted, from);
    if (expected == "mistake") {
      ++mistakes;
      continue;
    }
    constexpr std::int64_t kMany = 1'000'000'000;
    const PatternSteps counted =
        is_pattern(wanted)
            ? count_pattern_steps({.text = subject, .pattern = wanted, .from = from, .anchored = true}, kMany)
            : count_plain_steps(subject, wanted, from, kMany);
    const std::string found =
        counted.found ? std::to_string(counted.begin + 1) + " " + std::to_string(counted.end) : "none";
    ASSERT_EQ(found, expected) << "'" << subject << "' '" << wanted << "' from " << from;
    ++(counted.found ? matches : none);
  }
  lua_close(lua);
  EXPECT_GT(matches, 10'000);
  EXPECT_GT(none, 10'000);
  EXPECT_GT(mistakes, 10'000);
}

TEST(PatternSteps, GrowWithTheWork) {
  const auto steps = [](std::size_t length, std::size_t repetitions) {
    const std::string subject(length, 'a');
    std::string wanted;
    for (std::size_t i = 0; i < repetitions; ++i) wanted += "a*";
    return count_pattern_steps({.text = subject, .pattern = wanted + "b", .anchored = true}, 1'000'000).steps;
  };
  EXPECT_LT(steps(10, 1), 300);
  EXPECT_GT(steps(100, 1), 5'000);
  EXPECT_GT(steps(100, 2), 100'000);
  // It stops soon after the bound.
  EXPECT_GT(steps(1000, 20), 1'000'000);
  EXPECT_LT(steps(1000, 20), 1'010'000);
  EXPECT_GE(count_plain_steps(std::string(16'000, 'a'), "b", 0, 1'000'000).steps, 1'000);
  EXPECT_GT(count_plain_steps(std::string(10'000, 'a'), std::string(1'000, 'a') + "b", 0, 100'000'000).steps, 500'000);
}

TEST(PatternSteps, EveryMatchIsCounted) {
  const std::string subject(1'000, 'a');
  const auto first = count_pattern_steps({.text = subject, .pattern = "a", .every = false}, 1'000'000);
  const auto every = count_pattern_steps({.text = subject, .pattern = "a", .every = true}, 1'000'000);
  EXPECT_LT(first.steps, 10);
  EXPECT_GT(every.steps, 2'000);
}

}  // namespace pattern_steps_test
}  // namespace picklock
