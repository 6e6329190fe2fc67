#include "sim/redis/call.hpp"

#include "sim/redis/database.hpp"
#include "sim/redis/registries.hpp"

namespace picklock {

RedisEntry* RedisCall::find_expired(RedisEntry& entry) {
  if (expiry != RedisExpiry::hide) {
    if (propagates()) out.add_effect(RedisCommand("DEL", entry.key.view()).bytes(), RedisEffectKind::expiry);
    erase(entry, KeyChange::expired);
  }
  return nullptr;
}

void RedisCall::changed(RedisEntry& entry, KeyChange what) {
  watches.touch(entry.key.view());
  out.add_note(what, entry.key.view(), entry.expires_at_ms);
}

// A replica hears of an expiry as a DEL, and for its watchers it is one.
void RedisCall::erase(RedisEntry& entry, KeyChange what) {
  const bool unseen = what == KeyChange::expired && expiry != RedisExpiry::ignore && !database.watch_sees_expiry();
  if (!unseen) watches.touch(entry.key.view());
  out.add_note(what, entry.key.view(), kNoExpiry);
  keys.erase(entry);
}

void RedisCall::changed_or_gone(RedisEntry& entry) {
  if (entry.hollow()) {
    erase(entry);
  } else {
    changed(entry, KeyChange::changed);
  }
}

}  // namespace picklock
