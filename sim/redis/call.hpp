// One execution of one command, as its handler sees it.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/redis/keyspace.hpp"
#include "sim/redis/outputs.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

class RedisDatabase;
class RedisSession;
class RedisWatches;

// Treatment of a key whose deadline has passed, by a lookup.
enum class RedisExpiry : std::uint8_t {
  remove,  // a master: deletes it, and says so to its log and its replicas
  hide,    // a replica, asked by a client: takes it for missing
  drop,    // a writable replica, before a client's write: deletes it, and tells neither log nor replicas
  ignore   // a command from the log or from the master: takes it for present
};

class RedisCall {
 public:
  RedisDatabase& database;
  RedisSession& session;
  const RedisCommandView& command;
  RedisKeyspace& keys;
  RedisWatches& watches;
  RedisOutputs& out;
  std::int64_t now_ms;  // one reading for a whole script or transaction
  RedisExpiry expiry;
  bool nested = false;  // inside a transaction or a script: it may not block

  std::size_t argc() const { return command.argc(); }
  [[gnu::always_inline]] std::string_view arg(std::size_t index) const { return command.arg(index); }

  // The live key, or null. May delete an expired one.
  RedisEntry* find(std::string_view key) {
    RedisEntry* const entry = keys.find(key);
    const bool lives = entry == nullptr || expiry == RedisExpiry::ignore || !entry->expired(now_ms);
    return lives ? entry : find_expired(*entry);
  }
  RedisEntry& create(std::string_view key, RedisType type) { return keys.insert(key, type); }

  // Call it after each modification: invalidates watchers, notes the change.
  void changed(RedisEntry& entry, KeyChange what);
  void field_changed(std::string_view field) { out.add_field(field); }  // call it before changed()
  void member_changed(std::string_view member) { out.add_member(member); }
  void erase(RedisEntry& entry, KeyChange what = KeyChange::deleted);
  // Either of them: a container that has lost its last element is deleted.
  void changed_or_gone(RedisEntry& entry);

  // Sends the command on, as it came or in other words, once it has had an effect.
  void propagate() {
    if (propagates()) out.add_effect(command.bytes());
  }
  template <RedisArgument... Args>
  void propagate(std::string_view name, const Args&... args) {
    if (propagates()) out.add_effect(RedisCommand(name, args...).bytes());
  }
  void propagate_to_replicas_only() {
    if (propagates()) out.add_effect(command.bytes(), RedisEffectKind::replicas_only);
  }

 private:
  RedisEntry* find_expired(RedisEntry& entry);  // null
  bool propagates() const { return expiry == RedisExpiry::remove && out.wants_effects(); }
};

inline bool wrong_type(const RedisEntry* entry, RedisType type) { return entry != nullptr && entry->type != type; }

}  // namespace picklock
