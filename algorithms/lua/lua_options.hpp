// The options of a lock written in Lua: their names, defaults and bounds come from the head of its file.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/lua/value.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

// One of several names, by place.
struct LuaChoice {
  std::size_t index = 0;
};
using LuaSetting = std::variant<bool, std::int64_t, Duration, std::optional<Duration>, Law, std::string, LuaChoice>;

struct LuaOption {
  std::string name;     // "wait-replicas", as scenarios have it
  std::string in_text;  // "wait_replicas", as the text has it
  std::string help;
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::string> choices;
  std::vector<std::string_view> choice_names;
  LuaSetting usual;
};

// Reads `options` of a head.  An option is its default, by which its type is known (true, 3, "200ms", "none",
// "5ms..10ms", "word"), or a table: { default = …, help = "…", least = …, most = …, one_of = { … } }.
// Gives what is wrong, or nothing.
std::string read_lua_options(const LuaValue& head, std::deque<LuaOption>& options);

// Values for the options of one file.
struct LuaOptions {
  std::shared_ptr<const std::deque<LuaOption>> of;
  std::vector<LuaSetting> settings = {};

  static LuaOptions usual(std::shared_ptr<const std::deque<LuaOption>> of);
  void fields(FieldVisitor& v);
  // Options in the text's form: durations in milliseconds, laws as text, "none" as nil.
  LuaValue as_table() const;
  // The duration of this name; nothing if it is none.
  std::optional<Duration> duration(std::string_view name) const;
  // True if the option of this name is true, or a duration that is given.
  bool says_yes(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  // The word of this name, chosen from several; empty if it is none.
  std::string word(std::string_view name) const;
};

}  // namespace picklock
