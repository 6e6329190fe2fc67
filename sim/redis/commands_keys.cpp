// Keys of any type: deletion, deadlines, renaming.
#include "sim/redis/commands.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/expiry_time.hpp"

namespace picklock {
namespace {

struct ExpireCondition {
  bool nx = false;  // true: the key must have no deadline
  bool xx = false;  // true: the key must have a deadline
  bool gt = false;  // true: the new one must be later; no deadline counts as infinitely late
  bool lt = false;  // true: the new one must be earlier

  bool forbids(std::int64_t current, std::int64_t wanted) const {
    const bool none = current == kNoExpiry;
    return (nx && !none) || (xx && none) || (gt && (none || wanted <= current)) || (lt && !none && wanted >= current);
  }
};

std::optional<RedisReply> parse_condition(const RedisCall& call, ExpireCondition& condition) {
  for (std::size_t i = 3; i < call.argc(); ++i) {
    const std::string_view word = call.arg(i);
    if (is_redis_word(word, "NX")) {
      condition.nx = true;
    } else if (is_redis_word(word, "XX")) {
      condition.xx = true;
    } else if (is_redis_word(word, "GT")) {
      condition.gt = true;
    } else if (is_redis_word(word, "LT")) {
      condition.lt = true;
    } else {
      return RedisReply::error("ERR Unsupported option " + std::string(word));
    }
  }
  if (condition.nx && (condition.xx || condition.gt || condition.lt)) {
    return RedisReply::error("ERR NX and XX, GT or LT options at the same time are not compatible");
  }
  if (condition.gt && condition.lt) {
    return RedisReply::error("ERR GT and LT options at the same time are not compatible");
  }
  return std::nullopt;
}

// Unlike SET, these take any time; one that has come deletes the key at once, on a master.
RedisReply expire_at(RedisCall& call, ExpiryUnit unit, std::string_view name) {
  ExpireCondition condition;
  if (auto error = parse_condition(call, condition)) return *error;
  std::int64_t deadline = 0;
  if (!parse_redis_integer(call.arg(2), deadline)) return redis_error::not_an_integer();
  if ((unit.seconds && __builtin_mul_overflow(deadline, std::int64_t{1000}, &deadline)) ||
      (unit.relative && __builtin_add_overflow(deadline, call.now_ms, &deadline))) {
    return redis_error::invalid_expire_time(name);
  }
  RedisEntry* entry = call.find(call.arg(1));
  if (entry == nullptr || condition.forbids(entry->expires_at_ms, deadline)) {
    return RedisReply::integer(0);
  }
  if (deadline <= call.now_ms && call.expiry == RedisExpiry::remove) {
    call.erase(*entry);
    call.propagate("DEL", call.arg(1));
    return RedisReply::integer(1);
  }
  entry->expires_at_ms = deadline;
  call.changed(*entry, KeyChange::ttl_set);
  call.propagate("PEXPIREAT", call.arg(1), deadline);
  return RedisReply::integer(1);
}

// -2: no such key; -1: no deadline; else what `answer` makes of the deadline.
template <class Answer>
RedisReply deadline_reply(RedisCall& call, Answer answer) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (entry == nullptr) return RedisReply::integer(-2);
  if (entry->expires_at_ms == kNoExpiry) return RedisReply::integer(-1);
  return RedisReply::integer(answer(entry->expires_at_ms));
}

std::int64_t rounded_seconds(std::int64_t ms) { return (ms + 500) / 1000; }

}  // namespace

RedisReply redis_del(RedisCall& call) {
  std::int64_t count = 0;
  for (std::size_t i = 1; i < call.argc(); ++i) {
    RedisEntry* entry = call.find(call.arg(i));
    if (entry == nullptr) continue;
    call.erase(*entry);
    ++count;
  }
  if (count > 0) call.propagate();  // the effect names absent keys, too
  return RedisReply::integer(count);
}

RedisReply redis_exists(RedisCall& call) {
  std::int64_t count = 0;
  for (std::size_t i = 1; i < call.argc(); ++i) count += call.find(call.arg(i)) != nullptr;
  return RedisReply::integer(count);
}

RedisReply redis_expire(RedisCall& call) { return expire_at(call, {true, true}, "expire"); }
RedisReply redis_pexpire(RedisCall& call) { return expire_at(call, {false, true}, "pexpire"); }
RedisReply redis_expireat(RedisCall& call) { return expire_at(call, {true, false}, "expireat"); }
RedisReply redis_pexpireat(RedisCall& call) { return expire_at(call, {false, false}, "pexpireat"); }

RedisReply redis_persist(RedisCall& call) {
  RedisEntry* entry = call.find(call.arg(1));
  if (entry == nullptr || entry->expires_at_ms == kNoExpiry) return RedisReply::integer(0);
  entry->expires_at_ms = kNoExpiry;
  call.changed(*entry, KeyChange::ttl_set);
  call.propagate();
  return RedisReply::integer(1);
}

RedisReply redis_pttl(RedisCall& call) {
  return deadline_reply(call,
                        [&call](std::int64_t deadline) { return deadline > call.now_ms ? deadline - call.now_ms : 0; });
}

RedisReply redis_ttl(RedisCall& call) {
  return deadline_reply(call, [&call](std::int64_t deadline) {
    return deadline > call.now_ms ? rounded_seconds(deadline - call.now_ms) : 0;
  });
}

RedisReply redis_pexpiretime(RedisCall& call) {
  return deadline_reply(call, [](std::int64_t deadline) { return deadline; });
}

RedisReply redis_expiretime(RedisCall& call) { return deadline_reply(call, rounded_seconds); }

RedisReply redis_type(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  return RedisReply::status(entry != nullptr ? to_string(entry->type) : "none");
}

RedisReply redis_rename(RedisCall& call) {
  RedisEntry* from = call.find(call.arg(1));
  if (from == nullptr) return redis_error::no_such_key();
  if (call.arg(1) == call.arg(2)) return RedisReply::ok();
  RedisEntry* to = call.find(call.arg(2));
  const bool existed = to != nullptr;
  if (!existed) to = &call.create(call.arg(2), from->type);
  to->copy_value(*from);
  call.erase(*from);
  call.changed(*to, existed ? KeyChange::overwritten : KeyChange::set);
  call.propagate();
  return RedisReply::ok();
}

RedisReply redis_copy(RedisCall& call) {
  bool replace = false;
  for (std::size_t i = 3; i < call.argc(); ++i) {  // there is one database, so no DB option
    if (!is_redis_word(call.arg(i), "REPLACE")) return redis_error::syntax();
    replace = true;
  }
  if (call.arg(1) == call.arg(2)) {
    return RedisReply::error("ERR source and destination objects are the same");
  }
  const RedisEntry* from = call.find(call.arg(1));
  if (from == nullptr) return RedisReply::integer(0);
  RedisEntry* to = call.find(call.arg(2));
  const bool existed = to != nullptr;
  if (existed && !replace) return RedisReply::integer(0);
  if (!existed) to = &call.create(call.arg(2), from->type);
  to->copy_value(*from);
  call.changed(*to, existed ? KeyChange::overwritten : KeyChange::set);
  call.propagate();
  return RedisReply::integer(1);
}

RedisReply redis_keys(RedisCall& call) {
  RedisReply reply = RedisReply::array();
  for (std::size_t i = 0; i < call.keys.size(); ++i) {
    const RedisEntry& entry = call.keys.at(i);
    const bool lives = call.expiry == RedisExpiry::ignore || !entry.expired(call.now_ms);
    if (lives && matches_redis_pattern(entry.key.view(), call.arg(1))) {
      reply.push_back(RedisReply::bulk(entry.key.view()));
    }
  }
  return reply;
}

RedisReply redis_touch(RedisCall& call) { return redis_exists(call); }

RedisReply redis_dbsize(RedisCall& call) { return RedisReply::integer(static_cast<std::int64_t>(call.keys.size())); }

RedisReply redis_flushall(RedisCall& call) {
  const bool with_mode =
      call.argc() == 2 && (is_redis_word(call.arg(1), "SYNC") || is_redis_word(call.arg(1), "ASYNC"));
  if (call.argc() > 1 && !with_mode) return redis_error::syntax();
  while (call.keys.size() > 0) call.erase(call.keys.at(call.keys.size() - 1));
  call.propagate("FLUSHALL");
  return RedisReply::ok();
}

}  // namespace picklock
