#include "sim/redis/append_only_log.hpp"

#include <string>
#include <string_view>

#include "base/check.hpp"
#include "sim/redis/append_only_file.hpp"

namespace picklock {
namespace {

constexpr std::string_view kLogName = "appendonly.aof";

}  // namespace

// Keys whose deadline has passed are loaded as well, and expire like others.
void AppendOnlyLog::boot(const RedisOptions& options, RedisDatabase& database) {
  writer_.reset();
  if (options.appendonly == AppendOnly::no) return;
  Disk& disk = process_.disk();
  file_ = disk.open(kLogName);
  writer_.emplace(options.appendonly == AppendOnly::always ? AppendFsync::always : AppendFsync::everysec,
                  process_.now_ms());
  const std::string& bytes = disk.contents(file_);
  if (!options.auto_aof_load || bytes.empty()) return;
  const LogLoad found = load_log(bytes, database);
  PICKLOCK_CHECK(found.end != LogLoad::End::corrupt);
  if (found.valid_bytes < bytes.size()) {
    const std::string valid = bytes.substr(0, found.valid_bytes);
    disk.replace(file_, valid);
  }
}

Task<void> AppendOnlyLog::flush(Service service) {
  World& world = service.world();
  const Host host = service.host();
  const LogWriter::Actions todo = writer_->turn(process_.now_ms());
  if (!todo.write.empty()) {
    if (todo.write_blocks && writer_->syncing()) {
      co_await service.wait({.bell = &synced_, .messages = false, .what = "the fsync before the write"});
    }
    co_await DiskWrite(world, host, file_, todo.write);
  }
  if (todo.sync_before_replies) {
    co_await DiskSync(world, host, file_);
    writer_->fsync_finished();
  }
  if (todo.start_sync) host.spawn("fsync", sync_in_background(service));
}

Task<void> AppendOnlyLog::sync_in_background(Service service) {
  World& world = service.world();
  const Host host = service.host();
  world.tasks.serve_background(static_cast<std::uint32_t>(host.monotonic_now().ns / seconds(1).ns) + 1);
  host.declare_state(0);
  co_await DiskSync(world, host, file_);
  writer_->fsync_finished();
  synced_.ring();
}

void AppendOnlyLog::rewrite(const RedisKeyspace& keys) {
  if (!writer_) return;
  std::string rewritten;
  rewrite_log(keys, rewritten);
  process_.disk().replace(file_, rewritten);
  writer_->restart();
}

}  // namespace picklock
