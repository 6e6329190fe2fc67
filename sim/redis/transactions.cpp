#include "sim/redis/transactions.hpp"

#include "sim/redis/commands.hpp"
#include "sim/redis/database.hpp"
#include "sim/redis/keyspace.hpp"

namespace picklock {

RedisReply RedisTransactions::multi(RedisSession& session) {
  if (session.in_transaction_) return RedisReply::error("ERR MULTI calls can not be nested");
  session.in_transaction_ = true;
  return RedisReply::ok();
}

RedisReply RedisTransactions::queue(RedisSession& session, const RedisCommandView& command, bool writes) {
  const auto size = static_cast<std::uint32_t>(command.bytes().size());
  session.queue_.append(reinterpret_cast<const char*>(&size), sizeof size);
  session.queue_ += command.bytes();
  ++session.queued_;
  session.queued_write_ |= writes;
  return RedisReply::status("QUEUED");
}

void RedisTransactions::end(RedisSession& session, RedisWatches& watches) {
  session.in_transaction_ = false;
  session.transaction_spoilt_ = false;
  session.queued_write_ = false;
  session.queued_ = 0;
  session.queue_.clear();
  unwatch(session, watches);
}

void RedisTransactions::watch(RedisSession& session, std::string_view key, const RedisKeyspace& keys,
                              RedisWatches& watches, std::optional<std::int64_t> now_ms) {
  for (const RedisSession::Watched& watched : session.watched_) {
    if (watched.key.view() == key) return;
  }
  const RedisEntry* entry = keys.find(key);
  const bool expired = entry != nullptr && now_ms && entry->expired(*now_ms);
  // The first event of a key that has expired already is its deletion, which changes nothing.
  const std::uint64_t version = watches.watch(key) + (expired ? 1 : 0);
  session.watched_.push_back({RedisText(key), version, expired});
}

void RedisTransactions::unwatch(RedisSession& session, RedisWatches& watches) {
  for (const RedisSession::Watched& watched : session.watched_) watches.unwatch(watched.key.view());
  session.watched_.clear();
}

bool RedisTransactions::aborted(const RedisSession& session, const RedisKeyspace& keys, const RedisWatches& watches,
                                std::optional<std::int64_t> now_ms, RedisReply& why) {
  if (session.transaction_spoilt_) {
    why = RedisReply::error("EXECABORT Transaction discarded because of previous errors.");
    return true;
  }
  why = RedisReply::nil();
  for (const RedisSession::Watched& watched : session.watched_) {
    if (watches.version(watched.key.view()) > watched.clean_version) return true;
    const RedisEntry* entry = keys.find(watched.key.view());
    if (entry != nullptr && now_ms && entry->expired(*now_ms) && !watched.expired_already) return true;
  }
  return false;
}

namespace {

std::optional<std::int64_t> time_that_counts(const RedisCall& call) {
  return call.database.watch_sees_expiry() ? std::optional(call.now_ms) : std::nullopt;
}

}  // namespace

RedisReply redis_multi(RedisCall& call) { return RedisTransactions::multi(call.session); }

RedisReply redis_discard(RedisCall& call) {
  if (!call.session.in_transaction()) return RedisReply::error("ERR DISCARD without MULTI");
  RedisTransactions::end(call.session, call.watches);
  return RedisReply::ok();
}

RedisReply redis_watch(RedisCall& call) {
  if (call.session.in_transaction()) {
    return RedisReply::error("ERR WATCH inside MULTI is not allowed");
  }
  for (std::size_t i = 1; i < call.argc(); ++i) {
    RedisTransactions::watch(call.session, call.arg(i), call.keys, call.watches, time_that_counts(call));
  }
  return RedisReply::ok();
}

RedisReply redis_unwatch(RedisCall& call) {
  RedisTransactions::unwatch(call.session, call.watches);
  return RedisReply::ok();
}

// Errors of single commands stand in the array; the others run nevertheless.
RedisReply redis_exec(RedisCall& call) {
  RedisSession& session = call.session;
  if (!session.in_transaction()) return RedisReply::error("ERR EXEC without MULTI");
  RedisReply reply;
  const bool aborted = RedisTransactions::aborted(session, call.keys, call.watches, time_that_counts(call), reply);
  std::string queue = RedisTransactions::take_queue(session);
  RedisTransactions::end(session, call.watches);
  if (!aborted) {
    reply = RedisReply::array();
    RedisTransactions::for_each(
        queue, [&](const RedisCommandView& command) { reply.push_back(call.database.execute_within(call, command)); });
  }
  RedisTransactions::give_back(session, std::move(queue));
  return reply;
}

}  // namespace picklock
