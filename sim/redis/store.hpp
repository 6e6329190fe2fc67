// RedisStore keeps the data of a server, the file that they survive in, and what the last execution has given rise to.
//
// An execution fills out(); then settle() hands its effects to the append-only file, its notes to the judge, and the
// news of deadlines to the cron.  Replicas and subscribers are for others to serve, from out().
#pragma once

#include <span>
#include <string_view>

#include "sim/redis/append_only_log.hpp"
#include "sim/redis/cron.hpp"
#include "sim/redis/database.hpp"
#include "sim/redis/journal.hpp"
#include "sim/redis/replication_stream.hpp"

namespace picklock {

class RedisStore {
 public:
  RedisStore(std::span<const RedisScript* const> scripts, RedisProcess& process, const RedisConfig& config,
             RedisCron& cron)
      : process_(process), config_(config), cron_(cron), database_(scripts), log_(process), journal_(process) {}

  void boot();  // begins without data
  void load();  // reads the file

  // Call it before an execution.  `streamed`: there may be replicas to hear of its effects.
  void clear_outputs(bool streamed) {
    out_.clear();
    out_.want_effects(streamed || log_.is_on());
  }
  // A client's command; adds to out().
  RedisReply execute(RedisSession& session, const RedisCommandView& command, std::int64_t now_ms) {
    return database_.execute(session, command, now_ms, out_);
  }
  // A unit of the master's stream.  True: the master asks for an acknowledgement.
  bool apply(const ReplicationUnitView& unit, std::int64_t now_ms);
  // One pass of the active cycle, settled.
  void expire_actively(const Host& host);
  void settle(std::int64_t now_ms, std::uint32_t hold);

  // A snapshot in place of all data; with `keep`, which is a mistake, in addition to them.
  void load_snapshot(std::string_view log, bool keep);

  const RedisOutputs& out() const { return out_; }
  RedisDatabase& database() { return database_; }
  const RedisDatabase& database() const { return database_; }
  const RedisKeyspace& keys() const { return database_.keys(); }
  std::int64_t next_deadline_ms() const { return database_.next_deadline(); }
  AppendOnlyLog& log() { return log_; }
  const AppendOnlyLog& log() const { return log_; }
  RedisJournal& journal() { return journal_; }
  const RedisJournal& journal() const { return journal_; }

 private:
  RedisProcess& process_;
  const RedisConfig& config_;
  RedisCron& cron_;
  RedisDatabase database_;
  RedisOutputs out_;
  AppendOnlyLog log_;
  RedisJournal journal_;
};

}  // namespace picklock
