// LogWriter decides when a server with `appendonly yes` writes and syncs: a state machine without a disk.
//
//   log.append(out);                       after each command
//   LogWriter::Actions todo = log.turn(now_ms);   at the end of each turn of the event loop, before its
//                                          replies leave, and at least ten times a second (hz 10)
//   … write todo.write, start or await the fsync …
//   log.fsync_finished();
//
// The loss by a fault follows: killing the process loses pending(); losing power loses everything
// that was written after the last finished fsync, and pending() too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/outputs.hpp"

namespace picklock {

enum class AppendFsync : std::uint8_t { no, everysec, always };

class LogWriter {
 public:
  struct Actions {
    std::string_view write;            // hand this to the kernel now; valid until the next append()
    bool sync_before_replies = false;  // if true: fsync, and hold all replies until it has finished
    bool start_sync = false;           // if true: start an fsync in the background
    bool write_blocks = false;         // the write waits for the fsync that still runs (after 2 s)
  };

  explicit LogWriter(AppendFsync policy, std::int64_t now_ms = 0) : policy_(policy), last_sync_s_(now_ms / 1000) {}

  void append(const RedisOutputs& out);
  Actions turn(std::int64_t now_ms);
  void fsync_finished();
  // The file has been replaced as a whole, by what a snapshot says: nothing is pending any more.
  void restart() {
    buffer_.clear();
    handed_over_ = postponed_ = false;
  }

  std::string_view pending() const {  // executed, perhaps answered, not yet with the kernel
    return handed_over_ ? std::string_view() : std::string_view(buffer_);
  }
  bool syncing() const { return syncing_; }
  // No turn is needed before the next command.
  bool idle() const { return pending().empty() && (policy_ == AppendFsync::no || synced_ == written_) && !syncing_; }
  std::uint64_t written() const { return written_; }  // bytes since the start
  std::uint64_t synced() const { return synced_; }    // bytes certain to survive a loss of power

 private:
  static constexpr std::int64_t kLongestPostponement_s = 2;

  // Whole seconds of the wall clock, as the server counts here. A clock that steps back delays
  // syncs until it has caught up, as it does in reality.
  AppendFsync policy_;
  std::int64_t last_sync_s_;
  std::int64_t postponed_since_s_ = 0;
  bool postponed_ = false;
  bool syncing_ = false;
  bool handed_over_ = false;  // buffer_ has been written; it is kept for Actions::write
  std::string buffer_;
  std::uint64_t written_ = 0;
  std::uint64_t sync_target_ = 0;
  std::uint64_t synced_ = 0;
};

}  // namespace picklock
