#include "sim/lua/machine.hpp"

#include <gtest/gtest.h>

#include <lua.hpp>
#include <string>

namespace picklock {
namespace {

struct Texts {
  std::string text, result;
};

int run_it(lua_State* lua) {
  Texts& texts = *static_cast<Texts*>(lua_touserdata(lua, 1));
  LuaMachine::push_library(lua);
  LuaMachine::set_globals(lua);
  const bool fails =
      luaL_loadbuffer(lua, texts.text.data(), texts.text.size(), "=text") != 0 || lua_pcall(lua, 0, 1, 0) != 0;
  const char* const result = lua_tostring(lua, -1);
  texts.result.assign(fails ? "!" : "");
  texts.result.append(result != nullptr ? result : luaL_typename(lua, -1));
  return 0;
}

std::string run(const std::string& text, const LuaMachine::Limits& limits = {}) {
  LuaMachine machine(limits);
  Texts texts{.text = text, .result = ""};
  if (!machine.protect(run_it, &texts)) return "!!";
  EXPECT_LE(machine.bytes(), limits.bytes);
  return texts.result;
}

TEST(LuaMachine, RunsTheLanguage) {
  EXPECT_EQ(run("return 1 + 2"), "3");
  EXPECT_EQ(run("return table.concat({('a'):rep(3), #'xyz', tostring(nil)}, ' ')"), "aaa 3 nil");
  EXPECT_EQ(run("local f = coroutine.wrap(function(a) coroutine.yield(a + 1) end) return f(1)"), "2");
  EXPECT_EQ(run("return loadstring('return 4')()"), "4");
}

TEST(LuaMachine, GivesNoFilesClocksAddressesOrBytecode) {
  for (const char* name : {"io", "os", "debug", "print", "dofile", "require", "newproxy", "collectgarbage", "load"}) {
    EXPECT_EQ(run("return " + std::string(name)),
              "!text:1: Script attempted to access nonexistent global variable '" + std::string(name) + "'");
  }
  EXPECT_EQ(run("return string.dump"), "nil");
  EXPECT_EQ(run("return tostring({})"), "table");
  EXPECT_EQ(run("return tostring(print == nil)").substr(0, 1), "!");
  EXPECT_EQ(run("return tostring(pcall)"), "function");
  EXPECT_EQ(run("local f, why = loadstring('\\27Lua') return why"), "bytecode is not run");
  EXPECT_EQ(run("for k in pairs({[{}] = 1}) do end"),
            "!text:1: a table with a table for a key has no order: it cannot be traversed");
}

TEST(LuaMachine, CannotBeChanged) {
  for (const char* text :
       {"x = 1", "string.x = 1", "_G.x = 1", "rawset(_G, 'x', 1)", "math.random = nil", "setmetatable(_G, {})"}) {
    EXPECT_NE(run(text).find("Attempt to modify a readonly table"), std::string::npos) << text << " " << run(text);
  }
  const std::string own = run("setmetatable(setmetatable({}, {__metatable = 'mine'}), {})");
  EXPECT_NE(own.find("cannot change a protected metatable"), std::string::npos) << own;
}

TEST(LuaMachine, StopsWhatRunsForTooLong) {
  const LuaMachine::Limits limits{.instructions = 100'000};
  EXPECT_EQ(run("while true do end", limits), "!text:1: stopped after 100000 instructions");
  for (const char* text : {"while true do pcall(function() while true do end end) end",
                           "local t = {} for i = 1, 1000 do t[i] = i end while true do next(t) end",
                           "while true do coroutine.wrap(function() while true do end end)() end",
                           "local function f() return pcall(f) end while true do f() end",
                           "while true do coroutine.resume(coroutine.create(function() while true do end end)) end"}) {
    EXPECT_NE(run(text, limits).find("stopped after"), std::string::npos) << text;
  }
}

// A call of a C function is one instruction; its work counts too.
TEST(LuaMachine, StopsACallThatRunsForTooLong) {
  const std::string many = "local s, p = ('a'):rep(200), ('a*'):rep(20) .. 'b' ";
  for (const char* call : {"s:find(p)", "s:match(p)", "s:gsub(p, '')", "for w in s:gmatch(p) do end",
                           "string.find(s, p, 1)", "s:find('(' .. ('.-'):rep(12) .. ')%1b')"}) {
    EXPECT_EQ(run(many + call), "!text:1: stopped after 5000000 instructions") << call;
    EXPECT_NE(run(many + "while true do pcall(function() " + call + " end) end").find("stopped after"),
              std::string::npos);
  }
  // Each of these is a loop of few instructions, and much work in each.
  const std::string large = "local s, t = ('a'):rep(2000000), {} for i = 1, 50000 do t[i] = i end while true do ";
  for (const char* work : {"s:find('b')", "s:find(('a'):rep(1000) .. 'b', 1, true)", "s:upper()", "s:lower()",
                           "s:reverse()", "('ab'):rep(1000000)", "table.insert(t, 1, 0) table.remove(t, 1)",
                           "table.sort(t)", "table.insert(t, -2147483648, 0)", "table.concat(t)", "table.maxn(t)",
                           "local x = s:sub(2)", "('%s'):format(s)", "tonumber((' '):rep(100000))"}) {
    EXPECT_NE(run(large + work + " end").find("stopped after"), std::string::npos) << work;
  }
}

TEST(LuaMachine, ChargesLittleForLittleWork) {
  EXPECT_EQ(run("local n = 0 for i = 1, 20000 do n = n + #(('key:%d:owner'):format(i):match(':(%d+):')) end return n"),
            "88894");
  EXPECT_EQ(run("local s, n = ('word '):rep(20000), 0 for w in s:gmatch('%a+') do n = n + 1 end return n"), "20000");
  EXPECT_EQ(run("local t = {3, 1, 2} table.insert(t, 1e15) table.insert(t, 'x') table.remove(t) return #t"), "4");
  EXPECT_EQ(run("local s = ('x'):rep(100000) .. 'y' for i = 1, 20 do s:find('y', 1, true) end return (s:find('y'))"),
            "100001");
}

TEST(LuaMachine, StopsWhatTakesTooMuchMemory) {
  EXPECT_EQ(run("return #('x'):rep(100000000)"), "!not enough memory");
  EXPECT_EQ(run("local t = {} for i = 1, 1e9 do t[i] = {} end"), "!not enough memory");
  EXPECT_NE(run("local function f() return 1 + f() end return f()").find("stack overflow"), std::string::npos);
  for (const char* name : {"find", "match", "gmatch", "gsub"}) {
    const std::string text =
        std::string("return string.") + name + "(('a'):rep(400000), ('a?'):rep(400000) .. 'b', '')";
    EXPECT_EQ(run(text), "!text:1: a pattern of more than 2000 characters");
  }
  EXPECT_EQ(run("return #('a'):rep(900):match(('a?'):rep(999) .. '$')"), "900");
}

TEST(LuaMachine, DrawsTheSameEachTime) {
  const std::string draw = "return math.random(1000) .. ' ' .. math.random(1000) .. ' ' .. math.random()";
  EXPECT_EQ(run(draw), run(draw));
  EXPECT_EQ(run("math.randomseed(1) return math.random(1000)"), run("math.randomseed(1) return math.random(1000)"));
}

}  // namespace
}  // namespace picklock
