#include "algorithms/lua/lua_hints.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"

namespace picklock {
namespace {

constexpr std::string_view kNamesOfFields[] = {"name",     "thread", "options", "servers", "value", "token",
                                               "deadline", "yes",    "no",      "unknown", "why",   "error"};
constexpr std::string_view kNamesOfGlobals[] = {"host", "redis", "etcd", "zk", "yes", "no", "unknown", "yes_if"};

// The name between `before` and the next quote; nothing: `before` does not occur.
std::optional<std::string_view> quoted_after(std::string_view line, std::string_view before) {
  const std::size_t found = line.find(before);
  if (found == line.npos) return std::nullopt;
  const std::string_view rest = line.substr(found + before.size());
  const std::size_t end = rest.find('\'');
  if (end == rest.npos) return std::nullopt;
  return rest.substr(0, end);
}

}  // namespace

std::string with_lua_hint(std::string error, const std::deque<LuaOption>& options) {
  const std::size_t end = std::min(error.find('\n'), error.size());
  const std::string_view line = std::string_view(error).substr(0, end);
  std::vector<std::string> names;
  std::optional<std::string_view> blamed;
  if (line.find("(a nil value)") != line.npos) {
    for (const std::string_view kind : {"field '", "method '"}) {
      if (!blamed) blamed = quoted_after(line, kind);
    }
    names.assign(std::begin(kNamesOfFields), std::end(kNamesOfFields));
    for (const LuaOption& option : options) names.push_back(option.in_text);
  } else {
    blamed = quoted_after(line, "nonexistent global variable '");
    names.assign(std::begin(kNamesOfGlobals), std::end(kNamesOfGlobals));
  }
  // A name that is right stands where it has no value.
  if (!blamed || std::find(names.begin(), names.end(), *blamed) != names.end()) return error;
  return error.insert(end, did_you_mean(*blamed, names));
}

}  // namespace picklock
