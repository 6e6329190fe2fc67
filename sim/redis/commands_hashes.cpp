#include "sim/redis/commands.hpp"
#include "sim/redis/errors.hpp"

namespace picklock {
namespace {

// Sets one field; true if it is new.
bool put_field(RedisEntry& entry, std::string_view name, std::string_view value) {
  RedisField* field = entry.field(name);
  const bool is_new = field == nullptr;
  if (is_new) field = &entry.add_field(name);
  field->value.assign(value);
  return is_new;
}

enum class Part { names, values, both };

RedisReply list_fields(RedisCall& call, Part part) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::hash)) return redis_error::wrong_type();
  RedisReply reply = RedisReply::array();
  if (entry == nullptr) return reply;
  for (const RedisField& field : entry->fields) {
    if (part != Part::values) reply.push_back(RedisReply::bulk(field.name.view()));
    if (part != Part::names) reply.push_back(RedisReply::bulk(field.value.view()));
  }
  return reply;
}

// HSET and HMSET: the number of fields that are new, or an error.
RedisReply set_fields(RedisCall& call, std::string_view name) {
  if (call.argc() % 2 != 0) return redis_error::wrong_arity(name);
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::hash)) return redis_error::wrong_type();
  const bool existed = entry != nullptr;
  if (!existed) entry = &call.create(call.arg(1), RedisType::hash);
  std::int64_t added = 0;
  for (std::size_t i = 2; i < call.argc(); i += 2) {
    added += put_field(*entry, call.arg(i), call.arg(i + 1));
    call.field_changed(call.arg(i));
  }
  call.changed(*entry, existed ? KeyChange::changed : KeyChange::set);
  call.propagate();
  return RedisReply::integer(added);
}

}  // namespace

RedisReply remove_fields(RedisCall& call, RedisEntry* entry) {
  std::int64_t removed = 0;
  for (std::size_t i = 2; entry != nullptr && i < call.argc(); ++i) {
    const RedisField* field = entry->field(call.arg(i));
    if (field == nullptr) continue;
    entry->fields.erase(entry->fields.begin() + (field - entry->fields.data()));
    call.field_changed(call.arg(i));
    ++removed;
  }
  if (removed > 0) {
    call.changed_or_gone(*entry);
    call.propagate();
  }
  return RedisReply::integer(removed);
}

RedisReply redis_hset(RedisCall& call) { return set_fields(call, "hset"); }

RedisReply redis_hmset(RedisCall& call) {
  RedisReply reply = set_fields(call, "hmset");
  return reply.is_error() ? reply : RedisReply::ok();
}

RedisReply redis_hsetnx(RedisCall& call) {
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::hash)) return redis_error::wrong_type();
  const bool existed = entry != nullptr;
  if (existed && entry->field(call.arg(2)) != nullptr) return RedisReply::integer(0);
  if (!existed) entry = &call.create(call.arg(1), RedisType::hash);
  put_field(*entry, call.arg(2), call.arg(3));
  call.field_changed(call.arg(2));
  call.changed(*entry, existed ? KeyChange::changed : KeyChange::set);
  call.propagate();
  return RedisReply::integer(1);
}

RedisReply redis_hget(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::hash)) return redis_error::wrong_type();
  const RedisField* field = entry != nullptr ? entry->field(call.arg(2)) : nullptr;
  return field != nullptr ? RedisReply::bulk(field->value.view()) : RedisReply::nil();
}

RedisReply redis_hexists(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::hash)) return redis_error::wrong_type();
  return RedisReply::integer(entry != nullptr && entry->field(call.arg(2)) != nullptr);
}

RedisReply redis_hincrby(RedisCall& call) {
  std::int64_t by = 0;
  if (!parse_redis_integer(call.arg(3), by)) return redis_error::not_an_integer();
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::hash)) return redis_error::wrong_type();
  std::int64_t value = 0;
  const bool existed = entry != nullptr;
  const RedisField* field = existed ? entry->field(call.arg(2)) : nullptr;
  if (field != nullptr && !parse_redis_integer(field->value.view(), value)) {
    return RedisReply::error("ERR hash value is not an integer");
  }
  if (__builtin_add_overflow(value, by, &value)) return redis_error::would_overflow();
  if (!existed) entry = &call.create(call.arg(1), RedisType::hash);
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  put_field(*entry, call.arg(2), {digits, static_cast<std::size_t>(end - digits)});
  call.field_changed(call.arg(2));
  call.changed(*entry, !existed ? KeyChange::set : by < 0 ? KeyChange::decremented : KeyChange::changed);
  call.propagate();
  return RedisReply::integer(value);
}

RedisReply redis_hdel(RedisCall& call) {
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::hash)) return redis_error::wrong_type();
  return remove_fields(call, entry);
}

RedisReply redis_hmget(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::hash)) return redis_error::wrong_type();
  RedisReply reply = RedisReply::array();
  for (std::size_t i = 2; i < call.argc(); ++i) {
    const RedisField* field = entry != nullptr ? entry->field(call.arg(i)) : nullptr;
    reply.push_back(field != nullptr ? RedisReply::bulk(field->value.view()) : RedisReply::nil());
  }
  return reply;
}

RedisReply redis_hlen(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::hash)) return redis_error::wrong_type();
  return RedisReply::integer(entry != nullptr ? static_cast<std::int64_t>(entry->fields.size()) : 0);
}

RedisReply redis_hgetall(RedisCall& call) { return list_fields(call, Part::both); }
RedisReply redis_hkeys(RedisCall& call) { return list_fields(call, Part::names); }
RedisReply redis_hvals(RedisCall& call) { return list_fields(call, Part::values); }

}  // namespace picklock
