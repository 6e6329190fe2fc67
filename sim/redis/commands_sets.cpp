// Sets. A set's members are the names of an entry's fields, in their order; a real server's order is unspecified.
#include "sim/redis/commands.hpp"
#include "sim/redis/errors.hpp"

namespace picklock {

RedisReply redis_sadd(RedisCall& call) {
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::set)) return redis_error::wrong_type();
  const bool existed = entry != nullptr;
  if (!existed) entry = &call.create(call.arg(1), RedisType::set);
  std::int64_t added = 0;
  for (std::size_t i = 2; i < call.argc(); ++i) {
    if (entry->field(call.arg(i)) != nullptr) continue;
    entry->add_field(call.arg(i));
    call.field_changed(call.arg(i));
    ++added;
  }
  if (added > 0) {
    call.changed(*entry, existed ? KeyChange::changed : KeyChange::set);
    call.propagate();
  }
  return RedisReply::integer(added);
}

RedisReply redis_srem(RedisCall& call) {
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::set)) return redis_error::wrong_type();
  return remove_fields(call, entry);
}

RedisReply redis_sismember(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::set)) return redis_error::wrong_type();
  return RedisReply::integer(entry != nullptr && entry->field(call.arg(2)) != nullptr);
}

RedisReply redis_smembers(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::set)) return redis_error::wrong_type();
  RedisReply reply = RedisReply::array();
  if (entry == nullptr) return reply;
  for (const RedisField& member : entry->fields) reply.push_back(RedisReply::bulk(member.name.view()));
  return reply;
}

RedisReply redis_scard(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::set)) return redis_error::wrong_type();
  return RedisReply::integer(entry != nullptr ? static_cast<std::int64_t>(entry->fields.size()) : 0);
}

}  // namespace picklock
