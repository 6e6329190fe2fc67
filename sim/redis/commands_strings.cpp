// Strings, and the SET family on which most locks rest.
#include <optional>

#include "sim/redis/commands.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/expiry_time.hpp"

namespace picklock {
namespace {

constexpr RedisWord kNx("NX"), kXx("XX"), kGet("GET"), kKeepTtl("KEEPTTL"), kPx("PX"), kEx("EX"), kPxat("PXAT"),
    kExat("EXAT"), kPersist("PERSIST");
constexpr std::int64_t kLongestString = 512LL << 20;  // proto-max-bulk-len

struct SetOptions {
  enum class Deadline : std::uint8_t { none, ex, px, exat, pxat };
  bool nx = false;
  bool xx = false;
  bool get = false;
  bool keep_ttl = false;
  Deadline deadline = Deadline::none;
  std::size_t time = 0;  // the argument that says it

  bool hindered_by(const RedisEntry* entry) const { return entry != nullptr ? nx : xx; }
  ExpiryUnit unit() const {
    return {deadline == Deadline::ex || deadline == Deadline::exat,
            deadline == Deadline::ex || deadline == Deadline::px};
  }
};

std::optional<SetOptions::Deadline> deadline_word(std::string_view word) {
  using Deadline = SetOptions::Deadline;
  if (kPx.is(word)) return Deadline::px;
  if (kEx.is(word)) return Deadline::ex;
  if (kPxat.is(word)) return Deadline::pxat;
  if (kExat.is(word)) return Deadline::exat;
  return std::nullopt;
}

// Returns false for a syntax error. The same word may come twice; words that contradict each other may not.
bool parse_set_options(const RedisCommandView& command, SetOptions& options) {
  using Deadline = SetOptions::Deadline;
  for (std::size_t i = 3; i < command.argc(); ++i) {
    const std::string_view word = command.arg(i);
    if (kNx.is(word) && !options.xx) {
      options.nx = true;
    } else if (kXx.is(word) && !options.nx) {
      options.xx = true;
    } else if (kGet.is(word)) {
      options.get = true;
    } else if (kKeepTtl.is(word) && options.deadline == Deadline::none) {
      options.keep_ttl = true;
    } else {
      const auto deadline = deadline_word(word);
      const bool other = options.deadline != Deadline::none && options.deadline != deadline;
      if (!deadline || options.keep_ttl || other || i + 1 >= command.argc()) return false;
      options.deadline = *deadline;
      options.time = ++i;
    }
  }
  return true;
}

// Gives the key this value, whatever it held. `entry` is what it holds; null: it is absent.
void put(RedisCall& call, RedisEntry* entry, std::string_view key, std::string_view value, std::int64_t expires_at_ms) {
  const bool existed = entry != nullptr;
  if (existed) {
    entry->become(RedisType::string);
  } else {
    entry = &call.create(key, RedisType::string);
  }
  entry->text.assign(value);
  entry->expires_at_ms = expires_at_ms;
  call.changed(*entry, existed ? KeyChange::overwritten : KeyChange::set);
}
void put(RedisCall& call, RedisEntry* entry, std::string_view value, std::int64_t expires_at_ms) {
  put(call, entry, call.arg(1), value, expires_at_ms);
}
void put(RedisCall& call, std::string_view key, std::string_view value, std::int64_t expires_at_ms) {
  put(call, call.find(key), key, value, expires_at_ms);
}

void propagate_put(RedisCall& call, std::string_view value, std::int64_t expires_at_ms) {
  if (expires_at_ms == kNoExpiry) {
    call.propagate("SET", call.arg(1), value);
  } else {
    call.propagate("SET", call.arg(1), value, "PXAT", expires_at_ms);
  }
}

void set(RedisCall& call, RedisEntry* entry, const SetOptions& options, std::int64_t deadline) {
  if (options.keep_ttl && entry != nullptr) deadline = entry->expires_at_ms;
  put(call, entry, call.arg(2), deadline);
  if (options.keep_ttl) {
    call.propagate("SET", call.arg(1), call.arg(2), "KEEPTTL");
  } else {
    propagate_put(call, call.arg(2), deadline);
  }
}

RedisReply set_and_get(RedisCall& call, RedisEntry* entry, const SetOptions& options, std::int64_t deadline) {
  if (wrong_type(entry, RedisType::string)) return redis_error::wrong_type();
  RedisReply old = entry != nullptr ? RedisReply::bulk(entry->text.view()) : RedisReply::nil();
  if (!options.hindered_by(entry)) set(call, entry, options, deadline);
  return old;
}

RedisReply set_with_ttl(RedisCall& call, ExpiryUnit unit, std::string_view name) {
  const auto deadline = set_deadline(call, 2, unit);
  if (!deadline) return no_set_deadline(call, 2, name);
  put(call, call.find(call.arg(1)), call.arg(3), *deadline);
  propagate_put(call, call.arg(3), *deadline);
  return RedisReply::ok();
}

// MSET and MSETNX. A key that is named twice gets its last value.
void set_pairs(RedisCall& call) {
  for (std::size_t i = 1; i < call.argc(); i += 2) put(call, call.arg(i), call.arg(i + 1), kNoExpiry);
  call.propagate();
}

RedisReply increment(RedisCall& call, std::int64_t by) {
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::string)) return redis_error::wrong_type();
  std::int64_t value = 0;
  if (entry != nullptr && !parse_redis_integer(entry->text.view(), value)) {
    return redis_error::not_an_integer();
  }
  if (__builtin_add_overflow(value, by, &value)) return redis_error::would_overflow();
  const bool existed = entry != nullptr;
  if (!existed) entry = &call.create(call.arg(1), RedisType::string);
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  entry->text.assign({digits, static_cast<std::size_t>(end - digits)});
  call.changed(*entry, !existed ? KeyChange::set : by < 0 ? KeyChange::decremented : KeyChange::changed);
  call.propagate();
  return RedisReply::integer(value);
}

}  // namespace

RedisReply redis_get(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (entry == nullptr) return RedisReply::nil();
  if (entry->type != RedisType::string) return redis_error::wrong_type();
  return RedisReply::bulk(entry->text.view());
}

RedisReply redis_set(RedisCall& call) {
  SetOptions options;
  if (!parse_set_options(call.command, options)) return redis_error::syntax();
  std::int64_t deadline = kNoExpiry;
  if (options.deadline != SetOptions::Deadline::none) {
    const auto given = set_deadline(call, options.time, options.unit());
    if (!given) return no_set_deadline(call, options.time, "set");
    deadline = *given;
  }
  RedisEntry* entry = call.find(call.arg(1));
  if (options.get) return set_and_get(call, entry, options, deadline);
  if (options.hindered_by(entry)) return RedisReply::nil();
  set(call, entry, options, deadline);
  return RedisReply::ok();
}

RedisReply redis_setnx(RedisCall& call) {
  if (call.find(call.arg(1)) != nullptr) return RedisReply::integer(0);
  put(call, nullptr, call.arg(2), kNoExpiry);
  propagate_put(call, call.arg(2), kNoExpiry);
  return RedisReply::integer(1);
}

RedisReply redis_setex(RedisCall& call) { return set_with_ttl(call, {true, true}, "setex"); }

RedisReply redis_psetex(RedisCall& call) { return set_with_ttl(call, {false, true}, "psetex"); }

RedisReply redis_getset(RedisCall& call) {
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::string)) return redis_error::wrong_type();
  const RedisReply old = entry != nullptr ? RedisReply::bulk(entry->text.view()) : RedisReply::nil();
  put(call, entry, call.arg(2), kNoExpiry);
  propagate_put(call, call.arg(2), kNoExpiry);
  return old;
}

RedisReply redis_getdel(RedisCall& call) {
  RedisEntry* entry = call.find(call.arg(1));
  if (entry == nullptr) return RedisReply::nil();
  if (entry->type != RedisType::string) return redis_error::wrong_type();
  const RedisReply old = RedisReply::bulk(entry->text.view());
  call.erase(*entry);
  call.propagate("DEL", call.arg(1));
  return old;
}

RedisReply redis_getex(RedisCall& call) {
  using Deadline = SetOptions::Deadline;
  const bool persists = call.argc() == 3 && kPersist.is(call.arg(2));
  const Deadline word = call.argc() == 4 ? deadline_word(call.arg(2)).value_or(Deadline::none) : Deadline::none;
  const bool expires = word != Deadline::none;
  if (call.argc() > 2 && !persists && !expires) return redis_error::syntax();
  RedisEntry* entry = call.find(call.arg(1));
  if (entry == nullptr) return RedisReply::nil();
  if (entry->type != RedisType::string) return redis_error::wrong_type();
  std::int64_t deadline = kNoExpiry;
  if (expires) {
    const bool seconds = word == Deadline::ex || word == Deadline::exat;
    const auto given = set_deadline(call, 3, {seconds, word == Deadline::ex || word == Deadline::px});
    if (!given) return no_set_deadline(call, 3, "getex");
    deadline = *given;
  }
  const RedisReply value = RedisReply::bulk(entry->text.view());
  if (expires && deadline <= call.now_ms && call.expiry == RedisExpiry::remove) {
    call.erase(*entry);
    call.propagate("DEL", call.arg(1));
  } else if (expires || (persists && entry->expires_at_ms != kNoExpiry)) {
    entry->expires_at_ms = deadline;
    call.changed(*entry, KeyChange::ttl_set);
    expires ? call.propagate("PEXPIREAT", call.arg(1), deadline) : call.propagate("PERSIST", call.arg(1));
  }
  return value;
}

RedisReply redis_mget(RedisCall& call) {
  RedisReply reply = RedisReply::array();
  for (std::size_t i = 1; i < call.argc(); ++i) {
    const RedisEntry* entry = call.find(call.arg(i));
    const bool is_text = entry != nullptr && entry->type == RedisType::string;
    reply.push_back(is_text ? RedisReply::bulk(entry->text.view()) : RedisReply::nil());
  }
  return reply;
}

RedisReply redis_mset(RedisCall& call) {
  if (call.argc() % 2 == 0) return redis_error::wrong_arity("mset");
  set_pairs(call);
  return RedisReply::ok();
}

RedisReply redis_msetnx(RedisCall& call) {
  if (call.argc() % 2 == 0) return redis_error::wrong_arity("msetnx");
  for (std::size_t i = 1; i < call.argc(); i += 2) {
    if (call.find(call.arg(i)) != nullptr) return RedisReply::integer(0);
  }
  set_pairs(call);
  return RedisReply::integer(1);
}

RedisReply redis_strlen(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::string)) return redis_error::wrong_type();
  return RedisReply::integer(entry != nullptr ? entry->text.size() : 0);
}

RedisReply redis_incr(RedisCall& call) { return increment(call, 1); }

RedisReply redis_decr(RedisCall& call) { return increment(call, -1); }

RedisReply redis_incrby(RedisCall& call) {
  std::int64_t by = 0;
  if (!parse_redis_integer(call.arg(2), by)) return redis_error::not_an_integer();
  return increment(call, by);
}

RedisReply redis_decrby(RedisCall& call) {
  std::int64_t by = 0;
  if (!parse_redis_integer(call.arg(2), by)) return redis_error::not_an_integer();
  if (by == INT64_MIN) return RedisReply::error("ERR decrement would overflow");
  return increment(call, -by);
}

RedisReply redis_append(RedisCall& call) {
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::string)) return redis_error::wrong_type();
  const bool existed = entry != nullptr;
  if (!existed) entry = &call.create(call.arg(1), RedisType::string);
  entry->text.append(call.arg(2));
  call.changed(*entry, existed ? KeyChange::changed : KeyChange::set);
  call.propagate();
  return RedisReply::integer(entry->text.size());
}

RedisReply redis_setrange(RedisCall& call) {
  std::int64_t offset = 0;
  const std::string_view piece = call.arg(3);
  if (!parse_redis_integer(call.arg(2), offset)) return redis_error::not_an_integer();
  if (offset < 0) return RedisReply::error("ERR offset is out of range");
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::string)) return redis_error::wrong_type();
  const bool existed = entry != nullptr;
  if (piece.empty()) return RedisReply::integer(existed ? entry->text.size() : 0);
  if (offset > kLongestString || offset + static_cast<std::int64_t>(piece.size()) > kLongestString) {
    return RedisReply::error("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
  }
  if (!existed) entry = &call.create(call.arg(1), RedisType::string);
  const auto end = static_cast<std::uint32_t>(offset) + static_cast<std::uint32_t>(piece.size());
  if (end > entry->text.size()) {
    const std::uint32_t missing = end - entry->text.size();
    std::memset(entry->text.grow(missing), 0, missing);
  }
  std::memcpy(entry->text.data() + offset, piece.data(), piece.size());
  call.changed(*entry, existed ? KeyChange::changed : KeyChange::set);
  call.propagate();
  return RedisReply::integer(entry->text.size());
}

}  // namespace picklock
