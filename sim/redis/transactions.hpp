// MULTI, EXEC, DISCARD, WATCH, UNWATCH.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/redis/registries.hpp"
#include "sim/redis/session.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

class RedisKeyspace;

class RedisTransactions {
 public:
  static RedisReply multi(RedisSession& session);
  static RedisReply queue(RedisSession& session, const RedisCommandView& command, bool writes);
  // A command that could not be queued: EXEC will fail. Harmless outside a transaction.
  static void spoil(RedisSession& session) {
    if (session.in_transaction_) session.transaction_spoilt_ = true;
  }
  // Back to no transaction and nothing watched.
  static void end(RedisSession& session, RedisWatches& watches);

  // An expiry that is no modification is not looked at: `now_ms` is none.
  static void watch(RedisSession& session, std::string_view key, const RedisKeyspace& keys, RedisWatches& watches,
                    std::optional<std::int64_t> now_ms);
  static void unwatch(RedisSession& session, RedisWatches& watches);

  // Error if EXEC must run nothing because it is spoilt, nil if a watched key was modified or has expired.
  static bool aborted(const RedisSession& session, const RedisKeyspace& keys, const RedisWatches& watches,
                      std::optional<std::int64_t> now_ms, RedisReply& why);
  // Moves the queued commands out; visit(RedisCommandView) for each with for_each.
  static std::string take_queue(RedisSession& session) {
    session.queued_ = 0;
    return std::exchange(session.queue_, {});
  }
  static std::string_view queue_of(const RedisSession& session) { return session.queue_; }
  static void give_back(RedisSession& session, std::string storage) {  // its capacity is used again
    storage.clear();
    session.queue_ = std::move(storage);
  }
  template <class Visit>
  static void for_each(std::string_view queue, Visit&& visit) {
    while (!queue.empty()) {
      std::uint32_t size = 0;
      std::memcpy(&size, queue.data(), sizeof size);
      visit(RedisCommandView(queue.substr(sizeof size, size)));
      queue.remove_prefix(sizeof size + size);
    }
  }
};

}  // namespace picklock
