// redis:…: commands, scripts, and messages of channels.
#include <fmt/format.h>

#include <map>

#include "algorithms/lua/lua_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "algorithms/redis/redis_servers.hpp"

namespace picklock {
namespace lua_redis {
namespace {

LuaValue value_of(const RedisReply& reply) {
  switch (reply.kind()) {
    case RedisReply::Kind::integer:
      return LuaValue::integer(reply.integer());
    case RedisReply::Kind::status:
    case RedisReply::Kind::bulk:
    case RedisReply::Kind::error:
      return reply.text();
    case RedisReply::Kind::array: {
      LuaValues all;
      for (const RedisReply& element : reply.elements()) {
        all.push_back(element.is_nil() ? LuaValue(false) : value_of(element));
      }
      return LuaValue::list(std::move(all));
    }
    case RedisReply::Kind::nil:
      break;
  }
  return {};
}

// Meaning of nil: SET NX, GET and their like answer it if the key was not as the caller wished.
enum class Nil : std::uint8_t { is_no, is_yes };

LuaAnswer answer_of(const Outcome<RedisReply>& reply, Nil nil) {
  if (reply.yes() && reply.value().is_nil() && nil == Nil::is_no) return lua_answer(lua_missing(false, Why::refused));
  return lua_answer(lua_outcome(reply, value_of));
}

std::string_view without_blank_ends(std::string_view text) {
  while (!text.empty() && (text.front() == '\n' || text.front() == ' ')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

// A script that picklock's own locks send too has a body in C++ that does the same: it is known by its name.
std::string_view sent_as(const std::string& script) {
  static const std::map<std::string_view, std::string_view> kNames = [] {
    std::map<std::string_view, std::string_view> names;
    for (const RedisScript* const known : redis_scripts()) names.emplace(without_blank_ends(known->lua), known->name);
    return names;
  }();
  const auto known = kNames.find(without_blank_ends(script));
  return known == kNames.end() ? std::string_view(script) : known->second;
}

// Describes the mistake in an argument; empty: none.
std::string add_argument(RedisCommand& command, const LuaValue& argument) {
  if (!argument.is_text() && !argument.is_number()) {
    return fmt::format("found a {} as an argument, expected texts and numbers", argument.type());
  }
  if (command.argc() == RedisCommand::kMostArguments) {
    return fmt::format("found more than the {} arguments that a command has", RedisCommand::kMostArguments);
  }
  command.add(argument.to_text());
  return "";
}

std::string add_list(RedisCommand& command, const LuaValue& list) {
  for (const LuaEntry& e : list.entries) {
    if (const std::string wrong = add_argument(command, e.value); !wrong.empty()) return wrong;
  }
  return "";
}

Redis server_of(const LuaQuestion& q) {
  const Redis redis = q.lock.context().get<RedisServers>()[static_cast<std::size_t>(q.number)];
  const Duration timeout = q.lock.timeout(q.number);
  return timeout == Duration{} ? redis : redis.within(timeout);
}

bool reaches_redis(const LuaQuestion& q) { return q.lock.context().reach.find<RedisServers>() != nullptr; }
constexpr const char* kNoRedis = "this lock's service is another one; the head says service = \"redis\" to reach Redis";

Task<LuaAnswer> send(LuaQuestion q, RedisCommand command, Nil nil) {
  const Redis redis = server_of(q);
  const auto reply = co_await redis.command(command);
  co_return answer_of(reply, nil);
}

Task<LuaAnswer> call(LuaQuestion q) {
  if (!reaches_redis(q)) co_return lua_mistake(kNoRedis);
  if (q.arguments.empty()) co_return lua_mistake("found nothing, expected a command");
  RedisCommand command;
  for (const LuaValue& argument : q.arguments) {
    if (std::string wrong = add_argument(command, argument); !wrong.empty()) co_return lua_mistake(std::move(wrong));
  }
  Task<LuaAnswer> task = send(std::move(q), std::move(command), Nil::is_no);
  LuaAnswer answer = co_await task;
  co_return std::move(answer);
}

// redis:eval(script, { key, … }, { argument, … })
Task<LuaAnswer> eval(LuaQuestion q) {
  if (!reaches_redis(q)) co_return lua_mistake(kNoRedis);
  const LuaValue &script = at(q.arguments, 0), &keys = at(q.arguments, 1), &arguments = at(q.arguments, 2);
  if (!script.is_text() || !keys.is_table() || !(arguments.is_table() || arguments.is_nil())) {
    co_return lua_mistake("expected a script, a list of keys and a list of arguments");
  }
  RedisCommand command("EVAL", sent_as(script.text), keys.entries.size());
  std::string wrong = add_list(command, keys);
  if (wrong.empty()) wrong = add_list(command, arguments);
  if (!wrong.empty()) co_return lua_mistake(std::move(wrong));
  Task<LuaAnswer> task = send(std::move(q), std::move(command), Nil::is_yes);
  LuaAnswer answer = co_await task;
  co_return std::move(answer);
}

LuaAnswer wait_at_most(LuaQuestion& q) {
  const auto limit = lua_duration(q.host(), at(q.arguments, 0));
  if (!limit || limit->ns <= 0) return lua_mistake("expected the longest wait for an answer, in milliseconds");
  q.lock.set_timeout(q.number, *limit);
  return {};
}

// --- channels

bool subscribes(const LuaQuestion& q) {
  return reaches_redis(q) && !q.lock.context().get<RedisServers>().subscriptions.empty();
}
constexpr const char* kNoSubscriptions = "the head must say subscribes = true";

Task<LuaAnswer> subscribe(LuaQuestion q) {
  if (!subscribes(q)) co_return lua_mistake(kNoSubscriptions);
  const std::string channel = at(q.arguments, 0).text;
  const Redis redis = q.lock.context().get<RedisServers>().subscription(static_cast<std::size_t>(q.number));
  const auto reply = co_await redis.subscribe(channel);
  co_return answer_of(reply, Nil::is_yes);
}

Task<LuaAnswer> unsubscribe(LuaQuestion q) {
  if (!subscribes(q)) co_return lua_mistake(kNoSubscriptions);
  const std::string channel = at(q.arguments, 0).text;
  const Redis redis = q.lock.context().get<RedisServers>().subscription(static_cast<std::size_t>(q.number));
  const auto reply = co_await redis.unsubscribe(channel);
  co_return answer_of(reply, Nil::is_yes);
}

Task<Nothing> until_told(Host, Event* event) {
  co_await event->wait();
  co_return Nothing{};
}

// The next message, { channel = …, text = … }; nil: none came in time, or the connection has changed.
Task<LuaAnswer> message(LuaQuestion q) {
  if (!subscribes(q)) co_return lua_mistake(kNoSubscriptions);
  const auto limit = lua_duration(q.host(), at(q.arguments, 0));
  if (!limit) co_return lua_mistake("expected the longest wait for a message, in milliseconds");
  const Redis redis = q.lock.context().get<RedisServers>().subscription(static_cast<std::size_t>(q.number));
  Event& pushes = q.lock.process().pushes(redis.arrivals());
  auto published = redis.published();
  if (!published && limit->ns > 0) {
    const auto told = co_await with_timeout(q.host(), until_told(q.host(), &pushes), *limit);
    if (told) published = redis.published();
  }
  if (!published) co_return lua_answer({});
  LuaValue found = LuaValue::table();
  found.set("channel", published->channel);
  found.set("text", published->message);
  co_return lua_answer(std::move(found));
}

// Ends the wait of redis:message, wherever in this process it is under way.
LuaAnswer wake(LuaQuestion& q) {
  if (!subscribes(q)) return lua_mistake(kNoSubscriptions);
  const Redis redis = q.lock.context().get<RedisServers>().subscription(static_cast<std::size_t>(q.number));
  q.lock.process().pushes(redis.arrivals()).notify();
  return {};
}

// The number of connections so far: if it has grown, subscriptions made before are gone; nil: there is none now.
LuaAnswer connection(LuaQuestion& q) {
  if (!subscribes(q)) return lua_mistake(kNoSubscriptions);
  const Redis redis = q.lock.context().get<RedisServers>().subscription(static_cast<std::size_t>(q.number));
  if (!redis.arrivals().connected()) return lua_answer({});
  return lua_answer(LuaValue::integer(static_cast<std::int64_t>(redis.arrivals().connections_opened())));
}

constexpr LuaVerb kVerbs[] = {
    {.ask = {"redis", "call"}, .later = call},
    {.ask = {"redis", "eval"}, .later = eval},
    {.ask = {"redis", "wait_at_most"}, .now = wait_at_most},
    {.ask = {"redis", "subscribe"}, .later = subscribe},
    {.ask = {"redis", "unsubscribe"}, .later = unsubscribe},
    {.ask = {"redis", "message"}, .later = message},
    {.ask = {"redis", "wake"}, .now = wake},
    {.ask = {"redis", "connection"}, .now = connection},
};

}  // namespace
}  // namespace lua_redis

std::span<const LuaVerb> lua_redis_verbs() { return lua_redis::kVerbs; }

void add_lua_servers(const LockContext& context, LuaProgram& program, LuaValue& ctx) {
  const auto* const redis = context.reach.find<RedisServers>();
  if (redis == nullptr) return;
  LuaValues servers;
  for (std::size_t i = 0; i < redis->size(); ++i) {
    servers.push_back(program.object("redis", static_cast<std::int64_t>(i)));
  }
  ctx.set("servers", LuaValue::list(std::move(servers)));
}

}  // namespace picklock
