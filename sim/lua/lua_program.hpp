// A text in Lua whose functions run step by step: each call is a coroutine that stops where it asks for something.
//
//   std::string error;
//   const auto program = LuaProgram::load({.name = "my.lua", .text = text, .asks = asks}, error);
//   LuaCall call(program->global("acquire"), {});
//   for (LuaStep step = call.resume({}); step.kind == LuaStep::Kind::asks; step = call.resume(answers)) …
//
// A text asks with a colon: redis:call("GET", key) stops the coroutine, tells the caller the question, and goes on with the
// caller's answers.  All else that a text can do is done within a step, bounded in memory and instructions.  A failure
// is an error text that begins with file and line, and shows the calls that led there.
//
// A text may assign to globals while it is loaded, and later to those that it has.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/lua/machine.hpp"
#include "sim/lua/value.hpp"

namespace picklock {

class LuaProgram;

// A question that texts may ask: object:name(…).
struct LuaAsk {
  std::string_view object, name;
};

// A function or table that stays in its program, under a number there.
class LuaKept {
 public:
  LuaKept(std::shared_ptr<LuaProgram> program, int number) : program_(std::move(program)), number_(number) {}
  LuaKept(const LuaKept&) = delete;
  LuaKept& operator=(const LuaKept&) = delete;
  ~LuaKept();
  const std::shared_ptr<LuaProgram>& program() const { return program_; }
  int number() const { return number_; }

 private:
  std::shared_ptr<LuaProgram> program_;
  int number_;
};

class LuaProgram : public std::enable_shared_from_this<LuaProgram> {
 public:
  struct Source {
    std::string_view name;  // file name, for errors
    std::string_view text;
    std::span<const LuaAsk> asks;
    std::span<const std::string_view> objects;  // globals of the text that take asks
    std::string_view before = {};               // text of ours that is run first; its globals cannot be changed
    bool translated = false;                    // text and before are what translate() gave
    LuaMachine::Limits limits = {};             // limits on memory and on the instructions of one step
  };
  // The text as the interpreter runs it, for load(): a text that is loaded many times is read once.  A text with a mistake:
  // empty, and `error` says where.
  static std::string translate(std::string_view name, std::string_view text, std::string& error);
  // Runs the text once.  Null: it failed, and `error` says where.
  static std::shared_ptr<LuaProgram> load(const Source& source, std::string& error);
  LuaProgram(const LuaMachine::Limits& limits, std::span<const LuaAsk> asks) : machine_(limits), asks_(asks) {
    machine_.guest = this;
  }

  // A global of the text: a copy, functions kept; nil if it has none.
  LuaValue global(std::string_view name);
  // A table that stays the same whenever it is passed.
  LuaValue keep(const LuaValue& table);
  // An object that asks the questions of `object`, as its `number`th.
  LuaValue object(std::string_view object, std::int64_t number);

  // "my.lua:7": where a function that is kept begins.
  std::string place_of(const LuaValue& function) const;

  std::size_t bytes() const { return machine_.bytes(); }
  std::span<const LuaAsk> asks() const { return asks_; }

 private:
  friend class LuaCall;
  friend class LuaKept;
  // Calls `function` with `argument` in protected mode; gives the error text, or none.
  std::string protect(int (*function)(lua_State*), void* argument);
  std::shared_ptr<const LuaKept> kept(int number);

  LuaMachine machine_;
  std::span<const LuaAsk> asks_;
  int globals_ = 0;  // number of the table of the text's own globals
};

// Result of a call, or of its next step.
struct LuaStep {
  enum class Kind : unsigned char { returned, asks, failed };
  Kind kind = Kind::failed;
  std::size_t ask = 0;      // place in Source::asks
  std::int64_t number = 0;  // number of the object that was asked
  LuaValues values;         // arguments of the question, or what was returned
  std::string error;
};

// One call of a function of a text.
class LuaCall {
 public:
  // Requires a function that is kept.  `name` is what a traceback calls it.
  LuaCall(const LuaValue& function, std::string name);

  // The first time with arguments, then with answers: at most three.
  LuaStep resume(const LuaValues& values);
  // Error text as if the question had failed: with place and traceback.
  std::string failure(std::string_view why) const;

 private:
  std::shared_ptr<const LuaKept> function_, thread_;
  std::string name_;
};

}  // namespace picklock
