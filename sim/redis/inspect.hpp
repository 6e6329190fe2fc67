// Views of a simulated Redis server for a judge: records in the trace, and its data now.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/core/trace.hpp"

namespace picklock {

class RedisKeyspace;

namespace trace {

// Kinds of sim/redis: 96 to 127.  Keys appear as hash_of(key) (base/hash.hpp).
//
// `change` is a KeyChange (sim/redis/outputs.hpp) in the low 8 bits; above them, signed, stands the
// ttl that the key has afterwards: in ms as of the server's wall clock, -1 for none or no key.
inline constexpr TraceKind redis_key_changed = kJournal | 96,  // a: hold on whose behalf, 0: none; b: key, c: change
    redis_key_value = kJournal | 97,   // precedes redis_key_changed of an integer: c: that integer
    redis_loaded = kJournal | 98,      // each boot, after loading: a: number of keys
    redis_key_loaded = kJournal | 99,  // each key after redis_loaded: b: key, c: as a change, KeyChange::set
    redis_command = 100,               // a: session, b: call, c: kind of the reply
    // The role of a server; one without such a record is a master.  A change that a replica applies from
    // the stream is recorded like its master's, under the replica's node and on behalf of the same hold: only
    // these records tell which server was the master.
    redis_role = kJournal | 101,      // a: 1 master, 2 replica; b: node of its master; c: offset
    redis_resynced = kJournal | 102,  // a replica's data was replaced by its master's: a: number of keys,
                                      // b: history, c: offset; then redis_loaded and what follows that
    // They note each field that a command for hashes has set or removed, before the redis_key_changed of the
    // key.  RENAME and COPY of a hash make none.
    redis_field_number = kJournal | 103,   // a: hold, b: field, c: its value, an integer
    redis_field_text = kJournal | 104,     // a: hold, b: field, c: hash_of(its value), which is no integer
    redis_field_removed = kJournal | 105,  // a: hold, b: field
    // A node of a cluster begins or ceases to refuse every command with a key, whatever its role.  It begins
    // a run answering.
    redis_serves = kJournal | 106;  // a: 1 answers, 0 refuses
std::span<const TraceKindInfo> redis_kinds();
constexpr bool is_of_redis(TraceKind k) { return k >= (kJournal | 96) && k <= (kJournal | 127); }  // journal only

constexpr std::uint64_t redis_change(std::uint8_t what, std::int64_t ttl_ms) {
  return static_cast<std::uint64_t>(ttl_ms) << 8 | what;
}
constexpr std::uint8_t redis_change_what(std::uint64_t c) { return static_cast<std::uint8_t>(c); }
constexpr std::int64_t redis_change_ttl_ms(std::uint64_t c) { return static_cast<std::int64_t>(c) >> 8; }

}  // namespace trace

// The data of a living server at this instant, keys in order; read-only.  Keys whose deadline has
// passed are there until the server notices.  Valid until the world goes on.
class RedisInspect {
 public:
  RedisInspect() = default;  // view of a dead server: no data
  RedisInspect(const RedisKeyspace& keys, std::int64_t wall_ms) : keys_(&keys), wall_ms_(wall_ms) {}

  struct Key {
    std::string_view name;
    std::string_view type;     // "string", "hash", "list", "zset"
    std::string_view text;     // value of a string; else empty
    std::int64_t ttl_ms = -1;  // -1: none; 0 at its deadline and after
    bool expired = false;      // its deadline has passed: no client sees it any more
  };
  std::size_t size() const;
  Key key(std::size_t index) const;
  bool find(std::string_view name, Key& found) const;
  // Gives the rest of a key: fields, items, members.  Null if the server is dead.
  const RedisKeyspace* keys() const { return keys_; }
  std::int64_t wall_ms() const { return wall_ms_; }  // the server's own idea of the current time

 private:
  const RedisKeyspace* keys_ = nullptr;
  std::int64_t wall_ms_ = 0;
};

}  // namespace picklock
