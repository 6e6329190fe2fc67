// The data of one Redis database: keys with their values and deadlines.
//
// Keys, hash fields and sorted-set members are kept in order, so that equal contents are equal
// states whatever their history (a real server's order of hash fields is unspecified too).  Made for
// the handful of keys of a lock: a lookup is a binary search, an insertion moves pointers.
// Entries are recycled with the capacity of their buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/redis/text.hpp"

namespace picklock {

inline constexpr std::int64_t kNoExpiry = -1;

enum class RedisType : std::uint8_t { string, hash, list, sorted_set, set };
std::string_view to_string(RedisType type);  // name in TYPE's answer: "string", "hash", "list", "zset", "set"

struct RedisField {
  RedisText name;
  RedisText value;
};

struct RedisScored {
  double score = 0;
  RedisText member;
};

// One key. Only the member that `type` names is meant.
struct RedisEntry {
  RedisText key;
  std::int64_t expires_at_ms = kNoExpiry;  // wall clock
  RedisType type = RedisType::string;
  RedisText text;                   // string
  std::vector<RedisField> fields;   // hash, by name; set: names without values
  std::vector<RedisText> items;     // list, from the head
  std::vector<RedisScored> scored;  // sorted set, by score, then member

  // Strict, as a real server has it: at the deadline itself the key still lives.
  bool expired(std::int64_t now_ms) const { return expires_at_ms != kNoExpiry && now_ms > expires_at_ms; }
  const RedisField* field(std::string_view name) const;
  RedisField* field(std::string_view name) {
    return const_cast<RedisField*>(static_cast<const RedisEntry*>(this)->field(name));
  }
  RedisField& add_field(std::string_view name);  // the field must be absent
  const RedisScored* member(std::string_view name) const;
  // Adds the member, or moves it to its new place.
  void set_score(std::string_view member, double score);
  bool remove_member(std::string_view member);
  // True if the container of the entry has become empty; a string never is.
  bool hollow() const;
  void become(RedisType new_type);           // the new value is empty
  void copy_value(const RedisEntry& other);  // copies the deadline, too
};

class RedisKeyspace {
 public:
  RedisKeyspace() = default;
  RedisKeyspace(const RedisKeyspace& other) { *this = other; }
  RedisKeyspace& operator=(const RedisKeyspace& other);
  RedisKeyspace(RedisKeyspace&&) = default;
  RedisKeyspace& operator=(RedisKeyspace&&) = default;

  // Looks at the data alone: expiry is the caller's business. Entries stay where they are.
  [[gnu::always_inline]] const RedisEntry* find(std::string_view key) const {
    // Most look-ups ask for what the last one has found, or for the only key.
    const bool again = last_found_ < order_.size() && is_same_short_text(order_[last_found_]->key.view(), key);
    return again ? order_[last_found_] : search(key);
  }
  [[gnu::always_inline]] RedisEntry* find(std::string_view key) {
    return const_cast<RedisEntry*>(static_cast<const RedisKeyspace*>(this)->find(key));
  }
  RedisEntry& insert(std::string_view key, RedisType type);  // `key` must be absent
  void erase(RedisEntry& entry);
  void clear();

  std::size_t size() const { return order_.size(); }
  const RedisEntry& at(std::size_t index) const { return *order_[index]; }  // keys in order
  RedisEntry& at(std::size_t index) { return *order_[index]; }

  // Fingerprint of the contents, deadlines included.
  std::uint64_t fingerprint() const;

 private:
  std::size_t position(std::string_view key) const;  // position of the first key not less than `key`
  const RedisEntry* search(std::string_view key) const;

  mutable std::size_t last_found_ = 0;
  std::vector<RedisEntry*> order_;
  std::vector<RedisEntry*> spare_;
  std::vector<std::unique_ptr<RedisEntry>> owned_;
};

}  // namespace picklock
