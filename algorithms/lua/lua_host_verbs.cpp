// host:…, patience:… and ctx:…: clocks, waiting, chance, tasks, and the lock itself.
#include <fmt/format.h>

#include <array>

#include "algorithms/lua/lua_lock.hpp"
#include "algorithms/random_guid.hpp"
#include "algorithms/redis/redis_scripts.hpp"

namespace picklock {
namespace lua_host {
namespace {

constexpr const char* kDuration = "expected milliseconds, or a text such as \"20ms\" or \"5ms..10ms\"";

LuaAnswer now(LuaQuestion& q) { return lua_answer(LuaValue::time(q.host().monotonic_now().ns)); }
LuaAnswer wall(LuaQuestion& q) { return lua_answer(LuaValue::time(q.host().wall_now().ns)); }
LuaAnswer random(LuaQuestion& q) { return lua_answer(owner_value(q.host())); }

LuaAnswer uuid(LuaQuestion& q) { return lua_answer(random_uuid(q.host())); }

LuaAnswer draw(LuaQuestion& q) {
  const auto duration = lua_duration(q.host(), at(q.arguments, 0));
  return duration ? lua_answer(LuaValue::time(duration->ns)) : lua_mistake(kDuration);
}

Task<LuaAnswer> sleep(LuaQuestion q) {
  const auto duration = lua_duration(q.host(), at(q.arguments, 0));
  if (!duration) co_return lua_mistake(kDuration);
  co_await q.host().sleep(*duration);
  co_return LuaAnswer{};
}

Task<LuaAnswer> work(LuaQuestion q) {
  const auto duration = lua_duration(q.host(), at(q.arguments, 0));
  if (!duration) co_return lua_mistake(kDuration);
  co_await q.host().work(*duration);
  co_return LuaAnswer{};
}

Task<LuaAnswer> yield(LuaQuestion q) {
  co_await q.host().yield("a yield");
  co_return LuaAnswer{};
}

// A renewal is about to be sent: faults aim at this point.
Task<LuaAnswer> renews(LuaQuestion q) {
  co_await q.host().pass(mark::renews);
  co_return LuaAnswer{};
}

LuaAnswer announce(LuaQuestion& q) {
  const LuaValue &kind = at(q.arguments, 0), &due = at(q.arguments, 1);
  constexpr std::array<std::string_view, 4> kKinds = {"lease", "validity", "session-timeout", "renewal"};
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (!kind.is_text() || kind.text != kKinds[i] || !due.is_number()) continue;
    q.host().announce_deadline(static_cast<DeadlineKind>(i), MonoTime{due.as_ns()});
    return {};
  }
  return lua_mistake("expected lease, validity, session-timeout or renewal, and an instant");
}

LuaAnswer spawn(LuaQuestion& q) {
  const LuaValue &name = at(q.arguments, 0), &function = at(q.arguments, 1);
  if (!name.is_text() || function.kind != LuaValue::Kind::kept) return lua_mistake("expected a name and a function");
  q.lock.spawn(name.text, function);
  return {};
}

LuaAnswer signal(LuaQuestion& q) {
  const LuaValue& name = at(q.arguments, 0);
  if (!name.is_text()) return lua_mistake("expected the name of a signal");
  q.lock.process().event(name.text).notify();
  return {};
}

Task<Nothing> until_signalled(Host, Event* event) {
  co_await event->wait();
  co_return Nothing{};
}

// true: it was signalled; false: the time was over before.
Task<LuaAnswer> wait(LuaQuestion q) {
  const LuaValue &name = at(q.arguments, 0), &most = at(q.arguments, 1);
  if (!name.is_text()) co_return lua_mistake("expected the name of a signal");
  Event& event = q.lock.process().event(name.text);
  if (most.is_nil()) {
    co_await event.wait();
    co_return lua_answer(true);
  }
  const auto limit = lua_duration(q.host(), most);
  if (!limit) co_return lua_mistake(kDuration);
  const auto signalled = co_await with_timeout(q.host(), until_signalled(q.host(), &event), *limit);
  co_return lua_answer(signalled.has_value());
}

// --- patience

constexpr const char* kNoPatience = "the patience of an acquire that is not under way here";

LuaAnswer over(LuaQuestion& q) {
  return q.patience == nullptr ? lua_mistake(kNoPatience) : lua_answer(q.patience->over());
}

LuaAnswer remaining(LuaQuestion& q) {
  if (q.patience == nullptr) return lua_mistake(kNoPatience);
  const Duration left = q.patience->remaining();
  return lua_answer(left == kForever ? LuaValue() : LuaValue(LuaValue::time(left.ns)));
}

Task<LuaAnswer> pause(LuaQuestion q) {
  if (q.patience == nullptr) co_return lua_mistake(kNoPatience);
  const auto duration = lua_duration(q.host(), at(q.arguments, 0));
  if (!duration) co_return lua_mistake(kDuration);
  co_await q.patience->pause(*duration);
  co_return LuaAnswer{};
}

LuaAnswer note_unknown(LuaQuestion& q) {
  if (q.patience == nullptr) return lua_mistake(kNoPatience);
  q.patience->note_unknown();
  return {};
}

LuaAnswer exhausted(LuaQuestion& q) {
  if (q.patience == nullptr) return lua_mistake(kNoPatience);
  const Acquired answer = q.patience->exhausted();
  return lua_answer(lua_missing(answer.unknown(), answer.why()));
}

// --- ctx

LuaAnswer lost(LuaQuestion& q) {
  q.lock.loss().set();
  return {};
}

LuaAnswer prolong(LuaQuestion& q) {
  const LuaValue &hold = at(q.arguments, 0), &due = at(q.arguments, 1);
  if (!hold.at("value").is_text() || !due.is_number()) return lua_mistake("expected a hold and its new deadline");
  q.lock.prolong(hold.at("value").text, MonoTime{due.as_ns()});
  return {};
}

constexpr LuaVerb kVerbs[] = {
    {.ask = {"host", "now"}, .now = now},
    {.ask = {"host", "wall"}, .now = wall},
    {.ask = {"host", "random"}, .now = random},
    {.ask = {"host", "uuid"}, .now = uuid},
    {.ask = {"host", "draw"}, .now = draw},
    {.ask = {"host", "sleep"}, .later = sleep},
    {.ask = {"host", "work"}, .later = work},
    {.ask = {"host", "yield"}, .later = yield},
    {.ask = {"host", "renews"}, .later = renews},
    {.ask = {"host", "announce"}, .now = announce},
    {.ask = {"host", "spawn"}, .now = spawn},
    {.ask = {"host", "signal"}, .now = signal},
    {.ask = {"host", "wait"}, .later = wait},
    {.ask = {"patience", "over"}, .now = over},
    {.ask = {"patience", "remaining"}, .now = remaining},
    {.ask = {"patience", "pause"}, .later = pause},
    {.ask = {"patience", "note_unknown"}, .now = note_unknown},
    {.ask = {"patience", "exhausted"}, .now = exhausted},
    {.ask = {"host", "lost"}, .now = lost},
    {.ask = {"host", "prolong"}, .now = prolong},
};

}  // namespace
}  // namespace lua_host

std::span<const LuaVerb> lua_host_verbs() { return lua_host::kVerbs; }

}  // namespace picklock
