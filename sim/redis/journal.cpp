#include "sim/redis/journal.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/lease_text.hpp"
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
    if (by != 0) process_.world().trace.wrote_key(note.key);
    const RedisEntry* const entry = keys.find(note.key);
    std::int64_t number = 0;
    if (note.what <= KeyChange::decremented && entry != nullptr && entry->type == RedisType::string &&
        parse_redis_integer(entry->text.view(), number)) {
      process_.record(trace::redis_key_value, by, key, static_cast<std::uint64_t>(number));
    }
    out.for_each_field_of(i, [&](std::string_view name) { field(entry, name, by); });
    if (process_.world().trace.leases() != nullptr) [[unlikely]]
      leases(out, i, entry, by);
    process_.record(trace::redis_key_changed, by, key,
                    trace::redis_change(static_cast<std::uint8_t>(note.what), ttl_ms(note.expires_at_ms, now_ms)));
  }
}

void RedisJournal::lease(std::uint64_t part, std::string_view text, std::uint32_t by) {
  const auto said = read_lease(*process_.world().trace.leases(), text);
  if (!said) return no_lease(part, by);
  const std::uint64_t owner = part != 0 ? part : said->owner;
  process_.record(trace::lease_in_data, by, owner, static_cast<std::uint64_t>(said->time_ns));
}

void RedisJournal::leases(const RedisOutputs& out, std::size_t note, const RedisEntry* entry, std::uint32_t by) {
  if (entry == nullptr) return;  // the key is gone, and all that it had
  if (entry->type == RedisType::string) return lease(0, entry->text.view(), by);
  out.for_each_field_of(note, [&](std::string_view name) {
    const std::uint64_t part = remembered_hash_of(name);
    const RedisField* const field = entry->type == RedisType::hash ? entry->field(name) : nullptr;
    field == nullptr ? no_lease(part, by) : lease(part, field->value.view(), by);
  });
  out.for_each_member_of(note, [&](std::string_view name) {
    const std::uint64_t part = remembered_hash_of(name);
    const RedisScored* const member = entry->type == RedisType::sorted_set ? entry->member(name) : nullptr;
    member == nullptr ? no_lease(part, by) : lease(part, format_redis_score(member->score).view(), by);
  });
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
