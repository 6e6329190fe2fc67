// A value on its way between C++ and a text in Lua.
//
// Tables are copied, lists and all; functions and tables that must stay the same are kept in their program, and pass as
// references to them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace picklock {

class LuaKept;  // see sim/lua/lua_program.hpp
struct LuaEntry;

// Fields that tables of one sort may have.  A text that reads any other is told so, with the nearest name.
struct LuaFields {
  std::string_view what;  // "an answer"
  std::span<const std::string_view> names;
};

struct LuaValue {
  enum class Kind : unsigned char { nil, boolean, number, text, table, kept };

  LuaValue();
  LuaValue(bool v);                            // NOLINT
  LuaValue(double v);                          // NOLINT
  LuaValue(std::string v);                     // NOLINT
  LuaValue(std::string_view v);                // NOLINT
  LuaValue(const char* v);                     // NOLINT
  LuaValue(std::shared_ptr<const LuaKept> v);  // NOLINT
  static LuaValue integer(std::int64_t n);     // exact up to 2^53
  // Texts count time in milliseconds, with fractions.
  static LuaValue time(std::int64_t ns);
  static LuaValue table();
  static LuaValue list(std::vector<LuaValue> values);  // the first index is 1

  bool is_nil() const { return kind == Kind::nil; }
  bool is_text() const { return kind == Kind::text; }
  bool is_number() const { return kind == Kind::number; }
  bool is_table() const { return kind == Kind::table; }
  bool is_true() const { return kind == Kind::boolean && boolean; }
  std::string_view type() const;  // name that Lua gives the type; "function" for a kept value

  // Table: the value beside this key; nil if there is none.
  const LuaValue& at(std::string_view key) const;
  const LuaValue& at(std::size_t index) const;  // the first index is 1
  void set(std::string_view key, LuaValue value);
  // Number: the nearest integer; 0 for any other type.
  std::int64_t as_integer() const;
  bool is_integer() const;
  // Number of milliseconds, converted to ns.
  std::int64_t as_ns() const;
  // An integral number is written as an integer; another, and a text, as Lua writes it.
  std::string to_text() const;

  Kind kind = Kind::nil;
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<LuaEntry> entries;  // content of a table: 1, 2, … first, then texts in their order, then the rest
  std::shared_ptr<const LuaKept> kept;
  const LuaFields* fields = nullptr;  // fields of a table to be printed; null: any; must outlive the program
};

struct LuaEntry {
  LuaValue key, value;
};

inline LuaValue::LuaValue() {}
inline LuaValue::LuaValue(bool v) : kind(Kind::boolean), boolean(v) {}
inline LuaValue::LuaValue(double v) : kind(Kind::number), number(v) {}
inline LuaValue::LuaValue(std::string v) : kind(Kind::text), text(std::move(v)) {}
inline LuaValue::LuaValue(std::string_view v) : kind(Kind::text), text(v) {}
inline LuaValue::LuaValue(const char* v) : kind(Kind::text), text(v) {}
inline LuaValue::LuaValue(std::shared_ptr<const LuaKept> v) : kind(Kind::kept), kept(std::move(v)) {}

using LuaValues = std::vector<LuaValue>;

// The value at this place; nil beyond the end.
const LuaValue& at(const LuaValues& values, std::size_t index);

}  // namespace picklock
