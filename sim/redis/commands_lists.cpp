#include <iterator>

#include "sim/redis/commands.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/index_range.hpp"

namespace picklock {
namespace {

enum class End { head, tail };

RedisReply push(RedisCall& call, End where) {
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::list)) return redis_error::wrong_type();
  const bool existed = entry != nullptr;
  if (!existed) entry = &call.create(call.arg(1), RedisType::list);
  auto& items = entry->items;
  for (std::size_t i = 2; i < call.argc(); ++i) {
    items.insert(where == End::head ? items.begin() : items.end(), RedisText(call.arg(i)));
  }
  call.changed(*entry, existed ? KeyChange::changed : KeyChange::set);
  call.propagate();
  return RedisReply::integer(static_cast<std::int64_t>(items.size()));
}

RedisReply take(std::vector<RedisText>& items, End where) {
  const auto at = where == End::head ? items.begin() : std::prev(items.end());
  RedisReply item = RedisReply::bulk(at->view());
  items.erase(at);
  return item;
}

RedisReply pop(RedisCall& call, End where, std::string_view name) {
  if (call.argc() > 3) return redis_error::wrong_arity(name);
  const bool many = call.argc() == 3;
  std::int64_t count = 1;
  if (many && (!parse_redis_integer(call.arg(2), count) || count < 0)) {
    return RedisReply::error("ERR value is out of range, must be positive");
  }
  RedisEntry* entry = call.find(call.arg(1));
  if (entry == nullptr) return RedisReply::nil();
  if (entry->type != RedisType::list) return redis_error::wrong_type();
  RedisReply reply = RedisReply::array();
  if (count == 0) return reply;
  if (many) {
    for (; count > 0 && !entry->items.empty(); --count) reply.push_back(take(entry->items, where));
  } else {
    reply = take(entry->items, where);
  }
  call.changed_or_gone(*entry);
  call.propagate();
  return reply;
}

}  // namespace

RedisReply redis_lpush(RedisCall& call) { return push(call, End::head); }
RedisReply redis_rpush(RedisCall& call) { return push(call, End::tail); }
RedisReply redis_lpop(RedisCall& call) { return pop(call, End::head, "lpop"); }
RedisReply redis_rpop(RedisCall& call) { return pop(call, End::tail, "rpop"); }

RedisReply redis_llen(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::list)) return redis_error::wrong_type();
  return RedisReply::integer(entry != nullptr ? static_cast<std::int64_t>(entry->items.size()) : 0);
}

RedisReply redis_lindex(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (entry == nullptr) return RedisReply::nil();
  if (entry->type != RedisType::list) return redis_error::wrong_type();
  std::int64_t index = 0;
  if (!parse_redis_integer(call.arg(2), index)) return redis_error::not_an_integer();
  const auto size = static_cast<std::int64_t>(entry->items.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) return RedisReply::nil();
  return RedisReply::bulk(entry->items[static_cast<std::size_t>(index)].view());
}

RedisReply redis_lrange(RedisCall& call) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (!parse_redis_integer(call.arg(2), first) || !parse_redis_integer(call.arg(3), last)) {
    return redis_error::not_an_integer();
  }
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::list)) return redis_error::wrong_type();
  RedisReply reply = RedisReply::array();
  if (entry == nullptr) return reply;
  const IndexRange range = IndexRange::of(first, last, entry->items.size());
  for (auto i = range.begin; i < range.end; ++i) {
    reply.push_back(RedisReply::bulk(entry->items[static_cast<std::size_t>(i)].view()));
  }
  return reply;
}

// Removes up to |count| items equal to the value: from the head, or from the tail if count < 0.
RedisReply redis_lrem(RedisCall& call) {
  std::int64_t count = 0;
  if (!parse_redis_integer(call.arg(2), count)) return redis_error::not_an_integer();
  RedisEntry* entry = call.find(call.arg(1));
  if (entry == nullptr) return RedisReply::integer(0);
  if (entry->type != RedisType::list) return redis_error::wrong_type();
  auto& items = entry->items;
  const std::string_view value = call.arg(3);
  const auto wanted = static_cast<std::size_t>(count == 0 || count == INT64_MIN ? INT64_MAX
                                               : count < 0                      ? -count
                                                                                : count);
  std::size_t removed = 0;
  for (std::size_t step = 0, size = items.size(); step < size && removed < wanted; ++step) {
    const std::size_t at = count < 0 ? size - 1 - step : step - removed;
    if (items[at].view() != value) continue;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
    ++removed;
  }
  if (removed > 0) {
    call.changed_or_gone(*entry);
    call.propagate();
  }
  return RedisReply::integer(static_cast<std::int64_t>(removed));
}

}  // namespace picklock
