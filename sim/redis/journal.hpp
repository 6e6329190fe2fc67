// RedisJournal tells the judge what happens at a server (inspect.hpp), and keeps when each hold was first served here.
#pragma once

#include "sim/core/first_heard.hpp"
#include "sim/redis/keyspace.hpp"
#include "sim/redis/outputs.hpp"
#include "sim/redis/process.hpp"

namespace picklock {

class RedisJournal {
 public:
  explicit RedisJournal(RedisProcess& process) : process_(process) {}

  void begin_run() { first_heard_.clear(); }
  void served(std::uint32_t hold) {
    if (hold != 0) first_heard_.note(hold, process_.world().now());
  }
  const FirstHeard& first_heard() const { return first_heard_; }

  void loaded(const RedisKeyspace& keys);  // notes all keys, at a boot or by a snapshot
  // The notes of an execution on behalf of a hold; 0: of none.
  void changed(const RedisOutputs& out, const RedisKeyspace& keys, std::int64_t now_ms, std::uint32_t hold);

 private:
  void field(const RedisEntry* entry, std::string_view name, std::uint32_t by);
  // Notes the leases in the fields, the members or the value that this note is about.
  void leases(const RedisOutputs& out, std::size_t note, const RedisEntry* entry, std::uint32_t by);
  void lease(std::uint64_t part, std::string_view text, std::uint32_t by);
  void no_lease(std::uint64_t part, std::uint32_t by) { process_.record(trace::lease_gone, by, part); }

  RedisProcess& process_;
  FirstHeard first_heard_;
};

}  // namespace picklock
