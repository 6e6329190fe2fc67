#include "sim/redis/log_writer.hpp"

#include "sim/redis/append_only_file.hpp"

namespace picklock {

void LogWriter::append(const RedisOutputs& out) {
  if (!out.has_effects()) return;
  if (handed_over_) buffer_.clear();
  handed_over_ = false;
  append_to_log(out, EffectTarget::append_only_file, buffer_);
}

// everysec writes before the replies leave, unless an fsync is running: then a write could block for
// as long as the disk takes, so it is put off, but by no more than two seconds.
LogWriter::Actions LogWriter::turn(std::int64_t now_ms) {
  const std::int64_t now_s = now_ms / 1000;
  Actions actions;
  if (!pending().empty()) {
    if (policy_ == AppendFsync::everysec && syncing_) {
      if (!postponed_) {
        postponed_ = true;
        postponed_since_s_ = now_s;
      }
      if (now_s - postponed_since_s_ < kLongestPostponement_s) return actions;
      actions.write_blocks = true;
    }
    actions.write = buffer_;
    written_ += buffer_.size();
    handed_over_ = true;
    postponed_ = false;
  }
  if (written_ == sync_target_) return actions;           // nothing new to sync
  if (syncing_ && actions.write.empty()) return actions;  // one fsync at a time
  if (policy_ == AppendFsync::always) {
    actions.sync_before_replies = true;
    sync_target_ = written_;
    syncing_ = true;
  } else if (policy_ == AppendFsync::everysec && now_s > last_sync_s_) {
    if (!syncing_) {
      actions.start_sync = true;
      sync_target_ = written_;
      syncing_ = true;
    }
    last_sync_s_ = now_s;
  }
  return actions;
}

void LogWriter::fsync_finished() {
  syncing_ = false;
  synced_ = sync_target_;
}

}  // namespace picklock
