#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/redis/append_only_file.hpp"
#include "sim/redis/database.hpp"
#include "sim/redis/log_writer.hpp"

namespace picklock {
namespace {

RedisOutputs one_write() {
  RedisDatabase database;
  RedisSession session;
  RedisOutputs out;
  const RedisCommand command("SET", "k", "v");
  database.execute(session, command, 0, out);
  return out;
}

TEST(RedisLogWriter, AlwaysSyncsBeforeReplies) {
  LogWriter log(AppendFsync::always);
  log.append(one_write());
  const LogWriter::Actions todo = log.turn(1000);
  EXPECT_FALSE(todo.write.empty());
  EXPECT_TRUE(todo.sync_before_replies);
  EXPECT_EQ(log.synced(), 0U);
  log.fsync_finished();
  EXPECT_EQ(log.synced(), log.written());
  EXPECT_TRUE(log.idle());
  EXPECT_TRUE(log.turn(2000).write.empty());
}

TEST(RedisLogWriter, NoNeverSyncs) {
  LogWriter log(AppendFsync::no);
  for (std::int64_t now = 0; now < 60'000; now += 100) {
    log.append(one_write());
    const LogWriter::Actions todo = log.turn(now);
    EXPECT_FALSE(todo.write.empty());
    EXPECT_FALSE(todo.start_sync || todo.sync_before_replies);
  }
  EXPECT_TRUE(log.idle());
  EXPECT_EQ(log.synced(), 0U);
}

TEST(RedisLogWriter, EverysecWritesAtOnceAndSyncsOnceASecond) {
  LogWriter log(AppendFsync::everysec, 10'000);
  int syncs = 0;
  for (std::int64_t now = 10'000; now < 20'000; now += 100) {
    log.append(one_write());
    const LogWriter::Actions todo = log.turn(now);
    EXPECT_FALSE(todo.write.empty());
    if (!todo.start_sync) continue;
    ++syncs;
    log.fsync_finished();
  }
  EXPECT_EQ(syncs, 9);
}

TEST(RedisLogWriter, EverysecSyncsTheRestWithoutFurtherCommands) {
  LogWriter log(AppendFsync::everysec, 10'000);
  log.append(one_write());
  EXPECT_FALSE(log.turn(10'100).start_sync);
  EXPECT_FALSE(log.idle());
  EXPECT_FALSE(log.turn(10'900).start_sync);
  EXPECT_TRUE(log.turn(11'000).start_sync);
  log.fsync_finished();
  EXPECT_TRUE(log.idle());
}

TEST(RedisLogWriter, EverysecPostponesTheWriteForTwoSecondsWhileAnFsyncRuns) {
  LogWriter log(AppendFsync::everysec, 10'000);
  log.append(one_write());
  ASSERT_TRUE(log.turn(11'000).start_sync);  // the fsync runs on a slow disk
  log.append(one_write());
  EXPECT_TRUE(log.turn(11'100).write.empty());
  EXPECT_FALSE(log.pending().empty());  // lost if the process is killed now
  log.append(one_write());
  EXPECT_TRUE(log.turn(12'900).write.empty());
  const LogWriter::Actions late = log.turn(13'000);
  EXPECT_FALSE(late.write.empty());
  EXPECT_TRUE(late.write_blocks);
  EXPECT_TRUE(log.pending().empty());
  EXPECT_FALSE(late.start_sync);
  log.fsync_finished();
  EXPECT_LT(log.synced(), log.written());
}

TEST(RedisLogWriter, EverysecWritesWhatWasPostponedOnceTheFsyncHasFinished) {
  LogWriter log(AppendFsync::everysec, 10'000);
  log.append(one_write());
  ASSERT_TRUE(log.turn(11'000).start_sync);
  log.append(one_write());
  EXPECT_TRUE(log.turn(11'100).write.empty());
  log.fsync_finished();
  const LogWriter::Actions todo = log.turn(11'200);
  EXPECT_FALSE(todo.write.empty());
  EXPECT_FALSE(todo.write_blocks);
}

// Nothing is written twice or lost, and with a prompt disk no acknowledged write is older than a
// second (and a turn) without being on the platter.
RC_GTEST_PROP(RedisLogWriterProperty, BytesAreWrittenOnceInOrder, ()) {
  const auto policy = *rc::gen::element(AppendFsync::no, AppendFsync::everysec, AppendFsync::always);
  LogWriter log(policy, 0);
  const RedisOutputs out = one_write();
  std::string expected, file;
  std::int64_t now = 0;
  std::int64_t oldest_unsynced = -1;
  int running = 0;  // turns until the fsync finishes
  const bool prompt = *rc::gen::arbitrary<bool>();
  for (const int what : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6))) {
    now += 100;
    if (what < 3) {
      log.append(out);
      append_to_log(out, EffectTarget::append_only_file, expected);
      if (oldest_unsynced < 0) oldest_unsynced = now;
    }
    const LogWriter::Actions todo = log.turn(now);
    file += todo.write;
    RC_ASSERT(expected == file + std::string(log.pending()));
    RC_ASSERT(log.written() == file.size());
    if (todo.sync_before_replies) log.fsync_finished();
    if (todo.start_sync) running = prompt ? 1 : *rc::gen::inRange(1, 40);
    if (running > 0 && --running == 0) log.fsync_finished();
    RC_ASSERT(log.synced() <= log.written());
    if (log.synced() == expected.size()) oldest_unsynced = -1;
    if (policy == AppendFsync::always) RC_ASSERT(oldest_unsynced < 0);
    if (policy == AppendFsync::everysec && prompt && oldest_unsynced >= 0) {
      RC_ASSERT(now - oldest_unsynced <= 1100);
    }
  }
}

}  // namespace
}  // namespace picklock
