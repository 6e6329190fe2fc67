#include "sim/redis/inspect.hpp"

#include <algorithm>
#include <array>

#include "sim/redis/keyspace.hpp"

namespace picklock {

std::span<const TraceKindInfo> trace::redis_kinds() {
  static constexpr std::array<TraceKindInfo, 11> kKinds = {
      {{redis_key_changed, "redis-key-changed", "hold", "key", "change and ttl"},
       {redis_key_value, "redis-key-value", "hold", "key", "integer"},
       {redis_loaded, "redis-loaded", "keys", "", ""},
       {redis_key_loaded, "redis-key-loaded", "", "key", "ttl"},
       {redis_command, "redis-command", "session", "command", "reply"},
       {redis_role, "redis-role", "1 master, 2 replica", "master", "offset"},
       {redis_resynced, "redis-resynced", "keys", "history", "offset"},
       {redis_field_number, "redis-field-number", "hold", "field", "integer"},
       {redis_field_text, "redis-field-text", "hold", "field", "text"},
       {redis_field_removed, "redis-field-removed", "hold", "field", ""},
       {redis_serves, "redis-serves", "1 answers, 0 refuses", "", ""}}};
  return kKinds;
}

namespace {

RedisInspect::Key describe(const RedisEntry& entry, std::int64_t wall_ms) {
  RedisInspect::Key key;
  key.name = entry.key.view();
  key.type = to_string(entry.type);
  if (entry.type == RedisType::string) key.text = entry.text.view();
  if (entry.expires_at_ms != kNoExpiry) {
    key.ttl_ms = std::max<std::int64_t>(entry.expires_at_ms - wall_ms, 0);
    key.expired = entry.expired(wall_ms);
  }
  return key;
}

}  // namespace

std::size_t RedisInspect::size() const { return keys_ != nullptr ? keys_->size() : 0; }

RedisInspect::Key RedisInspect::key(std::size_t index) const { return describe(keys_->at(index), wall_ms_); }

bool RedisInspect::find(std::string_view name, Key& found) const {
  const RedisEntry* const entry = keys_ != nullptr ? keys_->find(name) : nullptr;
  if (entry == nullptr) return false;
  found = describe(*entry, wall_ms_);
  return true;
}

}  // namespace picklock
