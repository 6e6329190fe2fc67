#include "sim/lua/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace picklock {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kExact = 9007199254740992.0;  // 2^53

std::int64_t rounded(double x) { return std::isnan(x) ? 0 : std::llround(std::clamp(x, -1e18, 1e18)); }

const LuaValue& nothing() {
  static const LuaValue kNil;
  return kNil;
}

}  // namespace

LuaValue LuaValue::integer(std::int64_t n) { return static_cast<double>(n); }

LuaValue LuaValue::time(std::int64_t ns) { return static_cast<double>(ns) / kNsPerMs; }

std::int64_t LuaValue::as_integer() const { return rounded(number); }

bool LuaValue::is_integer() const { return is_number() && number == std::floor(number) && std::abs(number) <= kExact; }

std::int64_t LuaValue::as_ns() const { return rounded(number * kNsPerMs); }

LuaValue LuaValue::table() {
  LuaValue value;
  value.kind = Kind::table;
  return value;
}

LuaValue LuaValue::list(std::vector<LuaValue> values) {
  LuaValue all = table();
  for (LuaValue& value : values) {
    const auto index = static_cast<double>(all.entries.size() + 1);
    all.entries.push_back({LuaValue(index), std::move(value)});
  }
  return all;
}

std::string_view LuaValue::type() const {
  constexpr std::string_view kNames[] = {"nil", "boolean", "number", "string", "table", "function"};
  return kNames[static_cast<std::size_t>(kind)];
}

const LuaValue& LuaValue::at(std::string_view key) const {
  for (const LuaEntry& e : entries) {
    if (e.key.is_text() && e.key.text == key) return e.value;
  }
  return nothing();
}

const LuaValue& LuaValue::at(std::size_t index) const {
  for (const LuaEntry& e : entries) {
    if (e.key.is_number() && e.key.number == static_cast<double>(index)) return e.value;
  }
  return nothing();
}

void LuaValue::set(std::string_view key, LuaValue value) { entries.push_back({LuaValue(key), std::move(value)}); }

std::string LuaValue::to_text() const {
  switch (kind) {
    case Kind::text:
      return text;
    case Kind::number:
      if (is_integer()) return fmt::format("{}", as_integer());
      return fmt::format("{:.17g}", number);
    case Kind::boolean:
      return boolean ? "true" : "false";
    default:
      return std::string(type());
  }
}

const LuaValue& at(const LuaValues& values, std::size_t index) {
  return index < values.size() ? values[index] : nothing();
}

}  // namespace picklock
