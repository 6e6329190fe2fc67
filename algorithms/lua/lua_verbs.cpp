#include "algorithms/lua/lua_verbs.hpp"

#include <fmt/format.h>

#include "algorithms/lua/lua_options.hpp"
#include "base/text.hpp"
#include "sim/task/etcd.hpp"

namespace picklock {

LuaStreams::~LuaStreams() {
  for (const auto& watch : watches) watch->cancel();
}

std::span<const LuaVerb> lua_verbs() {
  static const std::vector<LuaVerb> kAll = [] {
    std::vector<LuaVerb> all;
    for (const auto family : {lua_host_verbs, lua_redis_verbs, lua_etcd_verbs, lua_zookeeper_verbs}) {
      all.insert(all.end(), family().begin(), family().end());
    }
    return all;
  }();
  return kAll;
}

std::span<const LuaAsk> lua_asks() {
  static const std::vector<LuaAsk> kAll = [] {
    std::vector<LuaAsk> all;
    for (const LuaVerb& verb : lua_verbs()) all.push_back(verb.ask);
    return all;
  }();
  return kAll;
}

LuaAnswer lua_answer(LuaValue value) {
  LuaAnswer answer;
  answer.values.push_back(std::move(value));
  return answer;
}

LuaAnswer lua_mistake(std::string error) {
  LuaAnswer answer;
  answer.error = std::move(error);
  return answer;
}

namespace {

constexpr std::string_view kAnswerFields[] = {"yes", "no", "unknown", "value", "why", "error", "code"};
constexpr LuaFields kAnswer = {"an answer", kAnswerFields};

LuaValue empty_answer() {
  LuaValue answer = LuaValue::table();
  answer.fields = &kAnswer;
  return answer;
}

}  // namespace

LuaValue lua_yes(LuaValue value) {
  LuaValue answer = empty_answer();
  answer.set("yes", true);
  if (!value.is_nil()) answer.set("value", std::move(value));
  return answer;
}

LuaValue lua_missing(bool unknown, Why why, std::string_view error) {
  constexpr std::string_view kNames[] = {"none", "refused", "error", "not-connected", "timed-out", "disconnected"};
  LuaValue answer = empty_answer();
  answer.set(unknown ? "unknown" : "no", true);
  answer.set("why", kNames[static_cast<std::size_t>(why)]);
  if (!error.empty()) answer.set("error", error);
  return answer;
}

std::optional<Duration> lua_duration(const Host& host, const LuaValue& value) {
  if (value.is_number()) return Duration{value.as_ns()};
  if (!value.is_text()) return std::nullopt;
  if (const auto duration = parse_duration(value.text)) return duration;
  const auto law = parse_duration_law(value.text);
  if (!law) return std::nullopt;
  return host.draw_duration(Purpose::retry_delay, *law);
}

}  // namespace picklock
