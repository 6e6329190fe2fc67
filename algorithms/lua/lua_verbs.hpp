// The questions that a lock in Lua may ask, and how they are answered: redis:call(…), host:sleep(…), …
//
// Each family is a table of its own file.  A verb answers at once, or is a task of the world which may wait.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/lock.hpp"
#include "sim/lua/lua_program.hpp"

namespace picklock {

class LuaLock;
class EtcdWatch;

// Streams that a call has opened; they end with it, also when it is given up.
struct LuaStreams {
  LuaStreams() = default;
  LuaStreams(const LuaStreams&) = delete;
  LuaStreams& operator=(const LuaStreams&) = delete;
  ~LuaStreams();
  std::vector<std::shared_ptr<EtcdWatch>> watches;
};

// A question under way: its arguments, and who asks.
struct LuaQuestion {
  LuaLock& lock;
  Patience* patience = nullptr;  // patience of the acquire that asks; null: another call
  std::int64_t number = 0;       // number of the object asked, beginning at 0: index of a server
  LuaValues arguments = {};
  LuaStreams* streams = nullptr;
  const Host& host() const;
};

struct LuaAnswer {
  LuaValues values = {};
  std::string error = {};  // mistake in the question; empty: none
};

struct LuaVerb {
  LuaAsk ask;
  LuaAnswer (*now)(LuaQuestion&) = nullptr;
  Task<LuaAnswer> (*later)(LuaQuestion) = nullptr;
};

std::span<const LuaVerb> lua_host_verbs();
std::span<const LuaVerb> lua_redis_verbs();
std::span<const LuaVerb> lua_etcd_verbs();
std::span<const LuaVerb> lua_zookeeper_verbs();
// All of them, and the questions alone in the same order.
std::span<const LuaVerb> lua_verbs();
std::span<const LuaAsk> lua_asks();

// Gives the text an object for each independent server: ctx.servers.
void add_lua_servers(const LockContext& context, LuaProgram& program, LuaValue& ctx);

// --- for the tables

LuaAnswer lua_answer(LuaValue value);
LuaAnswer lua_mistake(std::string error);
// { yes = true, value = … }, { no = true, why = "refused" }, { unknown = true, why = "timed-out" }
LuaValue lua_yes(LuaValue value = {});
LuaValue lua_missing(bool unknown, Why why, std::string_view error = {});
template <class T, class Convert>
LuaValue lua_outcome(const Outcome<T>& outcome, const Convert& convert) {
  return outcome.yes() ? lua_yes(convert(outcome.value()))
                       : lua_missing(outcome.unknown(), outcome.why(), outcome.error());
}
// A duration: milliseconds, or a text such as "20ms" or "5ms..10ms", from which is drawn.  Nothing: it is none.
std::optional<Duration> lua_duration(const Host& host, const LuaValue& value);

}  // namespace picklock
