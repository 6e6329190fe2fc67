// AppendOnlyLog keeps a server's append-only file: when it is written (log_writer.hpp), and its place on the disk.
#pragma once

#include <optional>

#include "sim/core/disk.hpp"
#include "sim/redis/log_writer.hpp"
#include "sim/redis/options.hpp"
#include "sim/redis/process.hpp"

namespace picklock {

class RedisDatabase;
class RedisKeyspace;

class AppendOnlyLog {
 public:
  explicit AppendOnlyLog(RedisProcess& process) : process_(process) {}

  // A boot.  With appendonly, adds what the file says to the database, and cuts off what a crash has left half done.
  void boot(const RedisOptions& options, RedisDatabase& database);
  bool is_on() const { return writer_.has_value(); }
  bool is_busy() const { return writer_ && !writer_->idle(); }

  void append(const RedisOutputs& out) {
    if (writer_) writer_->append(out);
  }
  // The end of a turn, as far as the disk is concerned; only if it is on.
  Task<void> flush(Service service);
  // A snapshot has replaced all data: the file becomes what it says.
  void rewrite(const RedisKeyspace& keys);

 private:
  Task<void> sync_in_background(Service service);

  RedisProcess& process_;
  std::optional<LogWriter> writer_;  // present with appendonly
  FileId file_ = 0;
  Bell synced_;
};

}  // namespace picklock
