#include "sim/lua/lua_program.hpp"

#include <gtest/gtest.h>

#include <string>

namespace picklock {
namespace lua_program_test {

constexpr LuaAsk kAsks[] = {{"box", "put"}, {"box", "get"}, {"other", "ask"}};
constexpr std::string_view kObjects[] = {"box"};

std::shared_ptr<LuaProgram> load(const std::string& text, std::string& error, const LuaMachine::Limits& limits = {}) {
  return LuaProgram::load({.name = "my.lua", .text = text, .asks = kAsks, .objects = kObjects, .limits = limits},
                          error);
}

std::shared_ptr<LuaProgram> loaded(const std::string& text) {
  std::string error;
  auto program = load(text, error);
  EXPECT_EQ(error, "");
  return program;
}

std::string error_of_loading(const std::string& text) {
  std::string error;
  EXPECT_EQ(load(text, error), nullptr);
  return error;
}

// The error of calling f().
std::string error_of_f(const std::string& text, const LuaMachine::Limits& limits = {}) {
  std::string error;
  const auto program = load(text, error, limits);
  if (program == nullptr) return error;
  LuaCall call(program->global("f"), "f");
  LuaStep step = call.resume({});
  return step.kind == LuaStep::Kind::failed ? step.error : "it did not fail";
}

TEST(LuaProgram, StopsWhereItAsksAndGoesOnWithTheAnswer) {
  const auto program = loaded("function f(a) local b = box:put(a, 'x', { 1, k = true }) return b + 1, { n = b } end");
  LuaCall call(program->global("f"), "f");
  LuaStep step = call.resume({LuaValue(3.0)});
  ASSERT_EQ(step.kind, LuaStep::Kind::asks) << step.error;
  EXPECT_EQ(step.ask, 0u);
  ASSERT_EQ(step.values.size(), 3u);
  EXPECT_EQ(step.values[0].number, 3.0);
  EXPECT_EQ(step.values[1].text, "x");
  EXPECT_EQ(step.values[2].at(1).number, 1.0);
  EXPECT_TRUE(step.values[2].at("k").is_true());
  step = call.resume({LuaValue(41.0)});
  ASSERT_EQ(step.kind, LuaStep::Kind::returned) << step.error;
  EXPECT_EQ(at(step.values, 0).number, 42.0);
  EXPECT_EQ(at(step.values, 1).at("n").number, 41.0);
  EXPECT_TRUE(at(step.values, 2).is_nil());
}

TEST(LuaProgram, CallsAreApartAndGlobalsAreShared) {
  const auto program = loaded("n = 0  function f() n = n + 1  box:get()  return n end");
  LuaCall one(program->global("f"), "f"), two(program->global("f"), "f");
  (void)one.resume({});
  (void)two.resume({});
  EXPECT_EQ(at(one.resume({}).values, 0).number, 2.0);
  EXPECT_EQ(program->global("n").number, 2.0);
}

TEST(LuaProgram, FunctionsAndTablesAreKept) {
  const auto program = loaded("function f(t) t.n = (t.n or 0) + 1  return function() return t.n end end");
  const LuaValue table = program->keep(LuaValue::table());
  LuaCall first(program->global("f"), "f"), second(program->global("f"), "f");
  const LuaStep step = first.resume({table});
  (void)second.resume({table});
  LuaCall inner(at(step.values, 0), "inner");
  EXPECT_EQ(at(inner.resume({}).values, 0).number, 2.0);
}

TEST(LuaProgram, ObjectsHaveNumbers) {
  const auto program = loaded("function f(o) o:ask() end");
  LuaCall call(program->global("f"), "f");
  const LuaStep step = call.resume({program->object("other", 7)});
  EXPECT_EQ(step.ask, 2u);
  EXPECT_EQ(step.number, 7);
}

TEST(LuaProgram, ErrorsSayFileAndLine) {
  EXPECT_EQ(error_of_loading("x = 1\nif if"), "my.lua:2: unexpected symbol near 'if'");
  EXPECT_EQ(error_of_loading("x = {}\nx.y.z = 2"),
            "my.lua:2: attempt to index field 'y' (a nil value)\n    in the file (my.lua:2)");
  EXPECT_EQ(error_of_f("local function g()\n  local t\n  t.x = 1\nend\nfunction f()\n  g()\nend"),
            "my.lua:3: attempt to index local 't' (a nil value)\n    in g (my.lua:3)\n    in f (my.lua:6)");
  EXPECT_EQ(error_of_f("function f()\n  error({})\nend").substr(0, 34), "my.lua:2: an error that is a table");
  EXPECT_EQ(error_of_f("function f()\n  box.put(1)\nend").substr(0, 51),
            "my.lua:2: a question was asked with a dot, expected");
  EXPECT_EQ(error_of_f("function f()\n  box:putt(1)\nend"),
            "my.lua:2: box has no question 'putt'; did you mean 'put'?\n    in f (my.lua:2)");
  EXPECT_EQ(error_of_f("function f()\n  box:open()\nend"),
            "my.lua:2: box has no question 'open'; its questions are put, get\n    in f (my.lua:2)");
  const std::string long_name = error_of_f("function f()\n  box['" + std::string(5'000, 'x') + "'](box)\nend");
  EXPECT_EQ(long_name.substr(0, 36), "my.lua:2: box has no question 'xxxxx");
  EXPECT_EQ(error_of_f("function f()\n  y = 1\nend").substr(0, 45), "my.lua:2: attempt to create the global 'y' in");
  EXPECT_EQ(error_of_loading("box:get()").substr(0, 9), "my.lua:1:");
  EXPECT_EQ(error_of_loading("local t = {} t[1] = t  os.exit()").substr(0, 9), "my.lua:1:");
  EXPECT_EQ(error_of_loading("\x1bLua").substr(0, 9), "my.lua:1:");
}

TEST(LuaProgram, AskingWithinPcallIsAnError) {
  EXPECT_EQ(error_of_f("function f()\n  assert(pcall(function() box:get() end))\nend").substr(0, 9), "my.lua:2:");
}

TEST(LuaProgram, EachStepIsBounded) {
  const LuaMachine::Limits few{.bytes = std::size_t{1} << 20, .instructions = 10'000};
  const std::string endless = error_of_f("function f()\n  while true do end\nend", few);
  EXPECT_EQ(endless.substr(0, 44), "my.lua:2: stopped after 10000 instructions\n ") << endless;
  const std::string caught =
      error_of_f("function f()\n  while true do pcall(function() while true do end end) end\nend", few);
  EXPECT_NE(caught.find("stopped after 10000 instructions"), caught.npos) << caught;
  const std::string hog =
      error_of_f("function f()\n  local t = 'x'\n  while true do t = t .. t end\nend", {.bytes = std::size_t{1} << 20});
  EXPECT_EQ(hog.substr(0, 27), "my.lua:3: not enough memory") << hog;
  const std::string deep = error_of_f("local function g() return 1 + g() end\nfunction f()\n  g()\nend");
  EXPECT_EQ(deep.substr(0, 9), "my.lua:1:") << deep;
}

// A step may also end by asking: the next one has all instructions before it.
TEST(LuaProgram, ManyStepsMayBeManyInstructions) {
  std::string error;
  const auto program =
      load("function f() while true do for i = 1, 500 do end box:get() end end", error, {.instructions = 3'000});
  ASSERT_NE(program, nullptr) << error;
  LuaCall call(program->global("f"), "f");
  for (int i = 0; i < 100; ++i) ASSERT_EQ(call.resume({}).kind, LuaStep::Kind::asks) << i;
}

TEST(LuaProgram, WhatCannotBeCopiedIsAnError) {
  const std::string nested = error_of_f("function f()\n  local t = {}\n  t.t = t\n  box:put(t)\nend");
  EXPECT_EQ(nested.substr(0, 46), "my.lua:4: a table is nested too deeply, or in ") << nested;
}

TEST(LuaProgram, ACallMayBeDroppedHalfway) {
  const auto program = loaded("function f() box:get(function() end) end");
  const std::size_t before = program->bytes();
  for (int i = 0; i < 1000; ++i) {
    LuaCall call(program->global("f"), "f");
    ASSERT_EQ(call.resume({}).kind, LuaStep::Kind::asks);
  }
  EXPECT_LT(program->bytes(), before + (std::size_t{1} << 20));
}

}  // namespace lua_program_test
}  // namespace picklock
