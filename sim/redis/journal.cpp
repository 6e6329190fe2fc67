#include "sim/redis/journal.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "sim/redis/inspect.hpp"

namespace picklock {
namespace {

std::int64_t ttl_ms(std::int64_t expires_at_ms, std::int64_t now_ms) {
  return expires_at_ms == kNoExpiry ? -1 : std::max<std::int64_t>(expires_at_ms - now_ms, 0);
}

}  // namespace

void RedisJournal::loaded(const RedisKeyspace& keys) {
  const std::int64_t now_ms = process_.now_ms();
  process_.record(trace::redis_loaded, static_cast<std::uint32_t>(keys.size()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const RedisEntry& entry = keys.at(i);
    process_.record(
        trace::redis_key_loaded, 0, remembered_hash_of(entry.key.view()),
        trace::redis_change(static_cast<std::uint8_t>(KeyChange::set), ttl_ms(entry.expires_at_ms, now_ms)));
  }
}

void RedisJournal::changed(const RedisOutputs& out, const RedisKeyspace& keys, std::int64_t now_ms,
                           std::uint32_t hold) {
  for (std::size_t i = 0; i < out.note_count(); ++i) {
    const RedisOutputs::Note note = out.note(i);
    const std::uint64_t key = remembered_hash_of(note.key);
    const std::uint32_t by = note.what == KeyChange::expired ? 0 : hold;
    const RedisEntry* const entry = keys.find(note.key);
    std::int64_t number = 0;
    if (note.what <= KeyChange::decremented && entry != nullptr && entry->type == RedisType::string &&
        parse_redis_integer(entry->text.view(), number)) {
      process_.record(trace::redis_key_value, by, key, static_cast<std::uint64_t>(number));
    }
    out.for_each_field_of(i, [&](std::string_view name) { field(entry, name, by); });
    process_.record(trace::redis_key_changed, by, key,
                    trace::redis_change(static_cast<std::uint8_t>(note.what), ttl_ms(note.expires_at_ms, now_ms)));
  }
}

void RedisJournal::field(const RedisEntry* entry, std::string_view name, std::uint32_t by) {
  const RedisField* const field = entry != nullptr && entry->type == RedisType::hash ? entry->field(name) : nullptr;
  std::int64_t number = 0;
  if (field == nullptr) {
    process_.record(trace::redis_field_removed, by, remembered_hash_of(name));
  } else if (parse_redis_integer(field->value.view(), number)) {
    process_.record(trace::redis_field_number, by, remembered_hash_of(name), static_cast<std::uint64_t>(number));
  } else {
    process_.record(trace::redis_field_text, by, remembered_hash_of(name), remembered_hash_of(field->value.view()));
  }
}

}  // namespace picklock
