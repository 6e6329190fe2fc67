// For the tests of Redis's judges: records_lab.hpp with the verbs of what Redis servers record.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "scenarios/recording/records_lab.hpp"
#include "scenarios/services/redis/redis_grants.hpp"
#include "sim/redis/inspect.hpp"
#include "sim/redis/outputs.hpp"
#include "sim/task/runtime.hpp"

namespace picklock {

// Servers have numbers from 1 on, which are their nodes.  A line may say which [server] records it; else it is 1.
//
//   set, overwritten, changed, decremented, ttl-set, deleted, expired HOLD [ttl MS] [key KEY] [force 1]   (KeyChange)
//   stamp-set, stamp-overwritten HOLD at MS        … of a key whose value is a stamp
//   number HOLD field FIELD is N; removes HOLD field FIELD        ahead of the change of their hash
//   restarts KEYS, resynced KEYS                   with this number of keys, of which the lock's is the first
//   master 1, serves 1, or 0                       from now on, or not any more
//   dies 0
class RedisRecords : public RecordsLab {
 public:
  RedisRecords(RedisOwnership rule, std::vector<RedisPlace> places)
      : judge_(rule, hash_of("lock"), milliseconds(100), std::move(places)) {}

  void play(RecordLine& line) {
    ms_ = line.ms;
    server_ = static_cast<NodeId>(line.number("server", 1));
    force_ = line.number("force") != 0;
    const auto number = static_cast<std::uint32_t>(line.about);
    if (line.verb == "removes") return record(trace::redis_field_removed, number, hash_of(line.text("field")));
    if (line.verb == "number") {
      const std::uint64_t field = hash_of(line.text("field"));
      return record(trace::redis_field_number, number, field, bits(line.number("is")));
    }
    if (line.verb == "master") return record(trace::redis_role, number == 1 ? 1 : 2);
    if (line.verb == "serves") return record(trace::redis_serves, number);
    if (line.verb == "dies") return record(trace::power_lost, 0);
    if (line.verb == "restarts") return loads(number);
    if (line.verb == "resynced") {
      record(trace::redis_resynced, number);
      return loads(number);
    }
    std::string change = line.verb;
    if (change.starts_with("stamp-")) {
      change = change.substr(std::string_view("stamp-").size());
      record(trace::redis_key_value, line.hold(), hash_of("lock"), bits(line.number("at")));
    }
    key_changed(line.hold(), line.text("key", "lock"), kChanges.at(change), line.number("ttl", -1));
  }

 private:
  static std::uint64_t bits(std::int64_t n) { return static_cast<std::uint64_t>(n); }
  void record(TraceKind kind, std::uint32_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
    see(judge_, {ms_ * kMs, kind, server_, a, b, c}, {a, force_, {ms_ * kMs}});
  }
  void key_changed(HoldId by, const std::string& key, KeyChange what, std::int64_t ttl_ms) {
    record(trace::redis_key_changed, by, hash_of(key), trace::redis_change(static_cast<std::uint8_t>(what), ttl_ms));
  }
  void loads(std::uint32_t keys) {
    record(trace::redis_loaded, keys);
    for (std::uint32_t i = 0; i < keys; ++i) {
      record(trace::redis_key_loaded, 0, hash_of(i == 0 ? "lock" : "other"), trace::redis_change(0, 50));
    }
  }

  inline static const std::map<std::string, KeyChange> kChanges = {
      {"set", KeyChange::set},         {"overwritten", KeyChange::overwritten}, {"changed", KeyChange::changed},
      {"ttl-set", KeyChange::ttl_set}, {"decremented", KeyChange::decremented}, {"deleted", KeyChange::deleted},
      {"expired", KeyChange::expired}};
  RedisGrants judge_;
  std::int64_t ms_ = 0;
  NodeId server_ = 1;
  bool force_ = false;
};

inline std::vector<RedisPlace> independent(std::uint32_t n) {
  std::vector<RedisPlace> all;
  for (std::uint32_t g = 0; g < n; ++g) all.push_back({g, false});
  return all;
}
inline const std::vector<RedisPlace> kReplicated = {{0, false}, {0, true}};  // a master and its replica

// The grants that the script causes at a lone server, with their times.
inline std::string of_one(RedisOwnership rule, const std::string& script) {
  return RecordsLab::after(RedisRecords(rule, independent(1)), script);
}
inline std::string of_all(RedisOwnership rule, std::vector<RedisPlace> places, const std::string& script) {
  return RecordsLab::after(RedisRecords(rule, std::move(places)), script, true);
}

}  // namespace picklock
