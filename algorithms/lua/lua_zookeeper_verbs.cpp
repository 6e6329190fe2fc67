// zk:…: a session, its nodes, and the events of one lock's watches.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "algorithms/lua/lua_lock.hpp"
#include "algorithms/zookeeper/zk_process.hpp"
#include "sim/task/zookeeper.hpp"

namespace picklock {
namespace lua_zookeeper {
namespace {

constexpr const char* kNoZooKeeper =
    "this lock's service is another one; the head says service = \"zookeeper\" to reach ZooKeeper";
constexpr const char* kNoSession = "expected an object that zk:session(10000) has given";

LuaValue number(std::int64_t n) { return LuaValue::integer(n); }

// The session that an object stands for; none: it stands for none.
ZooKeeper session_of(const LuaQuestion& q) {
  const auto& all = q.lock.process().sessions;
  const auto place = static_cast<std::size_t>(q.number);
  return place >= 1 && place <= all.size() ? all[place - 1] : ZooKeeper();
}

LuaValue stat_value(const ZooStat& stat) {
  LuaValue table = LuaValue::table();
  table.set("czxid", number(stat.czxid));
  table.set("mzxid", number(stat.mzxid));
  table.set("version", number(stat.version));
  table.set("cversion", number(stat.cversion));
  table.set("children", number(stat.children));
  table.set("ephemeral", stat.ephemeral_owner != 0);
  return table;
}
LuaValue created_value(const ZooCreated& created) {
  LuaValue table = stat_value(created.stat);
  table.set("path", created.path);
  return table;
}
LuaValue data_value(const ZooData& data) {
  LuaValue table = stat_value(data.stat);
  table.set("data", data.data);
  return table;
}
LuaValue children_value(const ZooChildren& children) {
  LuaValues names;
  for (const std::string& name : children.names) names.emplace_back(name);
  LuaValue table = stat_value(children.stat);
  table.set("names", LuaValue::list(std::move(names)));
  return table;
}
LuaValue nothing(const Nothing&) { return {}; }

// The code has its own name: code = "NoNode".
template <class T, class Convert>
LuaAnswer answer_of(const ZooOutcome<T>& outcome, const Convert& convert) {
  LuaValue answer = lua_outcome(outcome, convert);
  if (!outcome.yes()) answer.set("code", to_string(outcome.code()));
  return lua_answer(std::move(answer));
}

// --- sessions

// The process has one session for all its locks; a new one if that has expired.
LuaAnswer session(LuaQuestion& q) {
  if (q.lock.context().reach.find<ZooConnector>() == nullptr) return lua_mistake(kNoZooKeeper);
  const auto timeout = lua_duration(q.host(), at(q.arguments, 0));
  if (!timeout || timeout->ns <= 0) return lua_mistake("expected the session's timeout, in milliseconds");
  if (q.lock.context().process == nullptr) return lua_mistake("there is no process here that could have a session");
  const ZooKeeper zk = ZkProcess::of(q.lock.context(), *timeout).handle();
  auto& all = q.lock.process().sessions;
  auto place = std::find(all.begin(), all.end(), zk);
  if (place == all.end()) place = all.insert(all.end(), zk);
  return lua_answer(q.lock.process().program().object("zk", place - all.begin() + 1));
}

LuaAnswer state(LuaQuestion& q) {
  const ZooKeeper zk = session_of(q);
  return zk ? lua_answer(to_string(zk.state())) : lua_mistake(kNoSession);
}

LuaAnswer alive(LuaQuestion& q) {
  const ZooKeeper zk = session_of(q);
  return zk ? lua_answer(zk.alive()) : lua_mistake(kNoSession);
}

// Waits until the session is connected: false if it is dead for good, or the acquire's patience is over.
Task<LuaAnswer> connected(LuaQuestion q) {
  const ZooKeeper zk = session_of(q);
  if (!zk) co_return lua_mistake(kNoSession);
  ZkProcess& process = ZkProcess::of(q.lock.context(), zk.timeout());
  Patience patience = Patience::unlimited(q.host());
  if (q.patience != nullptr) patience = *q.patience;
  const bool is_connected = co_await process.connected(zk, patience);
  co_return lua_answer(is_connected);
}

// --- nodes

constexpr std::array<std::string_view, 5> kModes = {"persistent", "ephemeral", "persistent-sequential",
                                                    "ephemeral-sequential", "container"};
constexpr const char* kPath = "expected a path";

Task<LuaAnswer> create(LuaQuestion q) {
  const ZooKeeper zk = session_of(q);
  if (!zk) co_return lua_mistake(kNoSession);
  const LuaValue& mode_name = at(q.arguments, 2);
  const auto mode = mode_name.is_nil() ? kModes.begin() : std::find(kModes.begin(), kModes.end(), mode_name.text);
  if (!at(q.arguments, 0).is_text() || mode == kModes.end()) {
    co_return lua_mistake(fmt::format("expected a path, data, and one of {}", fmt::join(kModes, ", ")));
  }
  const std::string path = at(q.arguments, 0).text, data = at(q.arguments, 1).text;
  const auto created = co_await zk.create(path, data, static_cast<ZooMode>(mode - kModes.begin()));
  co_return answer_of(created, created_value);
}

std::int32_t version_of(const LuaValue& value) {
  return value.is_number() ? static_cast<std::int32_t>(value.as_integer()) : kZooAnyVersion;
}

Task<LuaAnswer> remove(LuaQuestion q) {
  const ZooKeeper zk = session_of(q);
  if (!zk) co_return lua_mistake(kNoSession);
  if (!at(q.arguments, 0).is_text()) co_return lua_mistake(kPath);
  const std::string path = at(q.arguments, 0).text;
  const std::int32_t version = version_of(at(q.arguments, 1));
  const auto removed = co_await zk.remove(path, version);
  co_return answer_of(removed, nothing);
}

Task<LuaAnswer> look(LuaQuestion q, bool watches) {
  const ZooKeeper zk = session_of(q);
  if (!zk) co_return lua_mistake(kNoSession);
  if (!at(q.arguments, 0).is_text()) co_return lua_mistake(kPath);
  const std::string path = at(q.arguments, 0).text;
  const ZooWatcher watcher = watches ? q.lock.watcher() : ZooWatcher();
  const auto there = co_await zk.exists(path, watcher);
  co_return answer_of(there, stat_value);
}

Task<LuaAnswer> exists(LuaQuestion q) {
  const bool watches = at(q.arguments, 1).is_true();
  return look(std::move(q), watches);
}

// Watches a node even before it exists.
Task<LuaAnswer> watch(LuaQuestion q) { return look(std::move(q), true); }

Task<LuaAnswer> get(LuaQuestion q) {
  const ZooKeeper zk = session_of(q);
  if (!zk) co_return lua_mistake(kNoSession);
  if (!at(q.arguments, 0).is_text()) co_return lua_mistake(kPath);
  const std::string path = at(q.arguments, 0).text;
  const ZooWatcher watcher = at(q.arguments, 1).is_true() ? q.lock.watcher() : ZooWatcher();
  const auto data = co_await zk.get_data(path, watcher);
  co_return answer_of(data, data_value);
}

Task<LuaAnswer> children(LuaQuestion q) {
  const ZooKeeper zk = session_of(q);
  if (!zk) co_return lua_mistake(kNoSession);
  if (!at(q.arguments, 0).is_text()) co_return lua_mistake(kPath);
  const std::string path = at(q.arguments, 0).text;
  const ZooWatcher watcher = at(q.arguments, 1).is_true() ? q.lock.watcher() : ZooWatcher();
  const auto names = co_await zk.get_children(path, watcher);
  co_return answer_of(names, children_value);
}

Task<LuaAnswer> set(LuaQuestion q) {
  const ZooKeeper zk = session_of(q);
  if (!zk) co_return lua_mistake(kNoSession);
  if (!at(q.arguments, 0).is_text() || !at(q.arguments, 1).is_text()) co_return lua_mistake("expected a path and data");
  const std::string path = at(q.arguments, 0).text, data = at(q.arguments, 1).text;
  const std::int32_t version = version_of(at(q.arguments, 2));
  const auto changed = co_await zk.set_data(path, data, version);
  co_return answer_of(changed, stat_value);
}

Task<LuaAnswer> sync(LuaQuestion q) {
  const ZooKeeper zk = session_of(q);
  if (!zk) co_return lua_mistake(kNoSession);
  const std::string path = at(q.arguments, 0).text;
  const auto synced = co_await zk.sync(path);
  co_return answer_of(synced, nothing);
}

// --- watches: of one lock, with one queue of events

// The next event, { type = "deleted", path = …, state = "connected" }; nil once the time is over.
Task<LuaAnswer> event(LuaQuestion q) {
  const auto limit = lua_duration(q.host(), at(q.arguments, 0));
  std::optional<ZooEvent> next;
  if (limit) {
    auto came = co_await with_timeout(q.host(), q.lock.watcher().next(), *limit);
    next = std::move(came);
  } else {
    ZooEvent came = co_await q.lock.watcher().next();
    next = std::move(came);
  }
  if (!next) co_return lua_answer({});
  LuaValue table = LuaValue::table();
  table.set("type", to_string(next->type));
  table.set("path", next->path);
  table.set("state", to_string(next->state));
  co_return lua_answer(std::move(table));
}

LuaAnswer drop_events(LuaQuestion& q) {
  q.lock.watcher().forget();
  return {};
}

LuaAnswer unwatch(LuaQuestion& q) {
  const ZooKeeper zk = session_of(q);
  if (!zk) return lua_mistake(kNoSession);
  zk.forget(q.lock.watcher());
  return {};
}

constexpr LuaVerb kVerbs[] = {
    {.ask = {"zk", "session"}, .now = session}, {.ask = {"zk", "state"}, .now = state},
    {.ask = {"zk", "alive"}, .now = alive},     {.ask = {"zk", "connected"}, .later = connected},
    {.ask = {"zk", "create"}, .later = create}, {.ask = {"zk", "delete"}, .later = remove},
    {.ask = {"zk", "exists"}, .later = exists}, {.ask = {"zk", "watch"}, .later = watch},
    {.ask = {"zk", "get"}, .later = get},       {.ask = {"zk", "children"}, .later = children},
    {.ask = {"zk", "set"}, .later = set},       {.ask = {"zk", "sync"}, .later = sync},
    {.ask = {"zk", "event"}, .later = event},   {.ask = {"zk", "drop_events"}, .now = drop_events},
    {.ask = {"zk", "unwatch"}, .now = unwatch},
};

}  // namespace
}  // namespace lua_zookeeper

std::span<const LuaVerb> lua_zookeeper_verbs() { return lua_zookeeper::kVerbs; }

}  // namespace picklock
