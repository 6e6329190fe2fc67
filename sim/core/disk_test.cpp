#include "sim/core/disk.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace {

using testing::EchoServer;
using testing::Lab;
using testing::ms;
using testing::us;

TEST(Disk, ASyncThatBeganBeforeAWriteDoesNotCoverIt) {
  Disk disk;
  const FileId f = disk.open("f");
  disk.append(f, "one");
  const auto sync = disk.begin_sync(f);
  disk.append(f, "two");
  disk.finish_sync(f, sync);
  EXPECT_EQ(disk.contents(f), "onetwo");
  disk.lose_power();
  EXPECT_EQ(disk.contents(f), "one");
}

TEST(Disk, ASyncThatBeganBeforeAReplacementDoesNotCoverIt) {
  Disk disk;
  const FileId f = disk.open("f");
  disk.append(f, "old and long");
  disk.finish_sync(f, disk.begin_sync(f));
  const auto sync = disk.begin_sync(f);
  disk.replace(f, "new");
  disk.finish_sync(f, sync);
  disk.lose_power();
  EXPECT_EQ(disk.contents(f), "old and long");
}

TEST(Disk, AReplacementIsAllOrNothing) {
  Disk disk;
  const FileId f = disk.open("f");
  disk.append(f, "old");
  disk.finish_sync(f, disk.begin_sync(f));
  disk.append(f, ", never synced");
  disk.replace(f, "new");
  disk.replace(f, "newer");
  disk.append(f, " still");
  EXPECT_EQ(disk.contents(f), "newer still");
  Disk other = disk;
  disk.lose_power();
  EXPECT_EQ(disk.contents(f), "old");
  other.finish_sync(f, other.begin_sync(f));
  other.append(f, " lost");
  other.lose_power();
  EXPECT_EQ(other.contents(f), "newer still");
}

TEST(Disk, FilesAreFoundByName) {
  Disk disk;
  const FileId a = disk.open("a"), b = disk.open("b");
  EXPECT_NE(a, b);
  disk.append(a, "x");
  EXPECT_EQ(disk.open("a"), a);
  EXPECT_EQ(disk.contents(disk.open("b")), "");
  disk.reset();
  EXPECT_EQ(disk.contents(disk.open("a")), "");
}

// Against the obvious model: for each byte, whether a sync that began after it has finished.
RC_GTEST_PROP(Disk, LosesWhatNoFinishedSyncCovers, ()) {
  const auto commands = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5));
  Disk disk;
  const FileId f = disk.open("f");
  std::string cached, platter;
  std::vector<std::pair<Disk::Sync, std::string>> pending;  // syncs, each with the text it covers
  char next = 'a';
  for (const int c : commands) {
    switch (c) {
      case 0:
        disk.append(f, std::string(2, next));
        cached += std::string(2, next);
        next = next == 'z' ? 'a' : static_cast<char>(next + 1);
        break;
      case 1:
        pending.emplace_back(disk.begin_sync(f), cached);
        break;
      case 2:
        if (!pending.empty()) {  // the later may finish first
          const auto [sync, covers] = pending.back();
          pending.pop_back();
          disk.finish_sync(f, sync);
          if (covers.size() > platter.size()) platter = covers;
        }
        break;
      case 3:
        disk.lose_power();
        cached = platter;
        pending.clear();
        break;
      case 4:
        disk.replace(f, std::string(1, next));
        cached = std::string(1, next);
        while (!pending.empty()) {  // a sync of the replaced file has no effect
          disk.finish_sync(f, pending.back().first);
          pending.pop_back();
        }
        // From here on the platter holds the old file until a sync of the new one has finished.
        if (*rc::gen::arbitrary<bool>()) {
          disk.finish_sync(f, disk.begin_sync(f));
          platter = cached;
        } else {
          disk.lose_power();
          cached = platter;
        }
        break;
      default:
        break;
    }
    RC_ASSERT(disk.contents(f) == cached);
  }
  disk.lose_power();
  RC_ASSERT(disk.contents(f) == platter);
}

// --- through a world

Task<void> writes_and_syncs(Host host, World* world, std::vector<Duration>* when) {
  Disk& disk = world->nodes.disk(host.node());
  const FileId f = disk.open("f");
  co_await DiskWrite(*world, host, f, std::string_view("first"));
  when->push_back(world->now() - TrueTime{});
  co_await DiskSync(*world, host, f);
  when->push_back(world->now() - TrueTime{});
  co_await DiskWrite(*world, host, f, std::string_view(", second"));
  when->push_back(world->now() - TrueTime{});
  co_await host.sleep(seconds(1));
}

TEST(DiskInWorld, WritesAndSyncsTakeTheirTime) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  lab.world.nodes.disk(n).write_latency = Law::constant(us(10));
  lab.world.nodes.disk(n).sync_latency = Law::constant(ms(1));
  std::vector<Duration> when;
  lab.world.tasks.start(n, "main", writes_and_syncs(lab.world.host(n), &lab.world, &when));
  lab.at(us(100), [n](World& w) { w.nodes.disk(n).slowdown = Law::constant(ms(5)); });
  lab.run();
  EXPECT_EQ(when, (std::vector<Duration>{us(10), us(1010), us(1020) + ms(5)}));
}

TEST(DiskInWorld, AKillKeepsThePageCacheAndAPowerLossDoesNot) {
  for (const bool power : {false, true}) {
    Lab lab;
    const NodeId n = lab.world.nodes.add("n");
    std::vector<Duration> when;
    lab.world.tasks.start(n, "main", writes_and_syncs(lab.world.host(n), &lab.world, &when));
    lab.at(ms(500), [n, power](World& w) { power ? w.faults.lose_power(n) : w.faults.kill(n); });
    lab.run();
    Disk& disk = lab.world.nodes.disk(n);
    EXPECT_EQ(disk.contents(disk.open("f")), power ? "first" : "first, second");
  }
}

TEST(DiskInWorld, AServerThatSyncsLosesNothingThatItAnswered) {
  for (std::int64_t at_us = 200; at_us < 60'000; at_us += 777) {
    Lab lab;
    const NodeId server = lab.world.nodes.add("server"), n = lab.world.nodes.add("n");
    EchoServer echo;
    echo.durable = true;
    lab.world.install(server, echo);
    RpcChannel& channel = lab.world.channels.open(n, server, {});
    std::vector<testing::Seen> seen;
    lab.world.tasks.start(n, "main", testing::caller(lab.world.host(n), &lab.world, &channel, 5, &seen));
    lab.at(us(at_us), [server](World& w) { w.faults.lose_power(server); });
    lab.run_until(us(at_us) + ms(50));
    Disk& disk = lab.world.nodes.disk(server);
    const std::string log = disk.contents(disk.open("log"));
    EXPECT_EQ(std::string("12345").substr(0, log.size()), log);
    std::size_t answered = 0;
    for (const auto& s : seen) answered += s.what.starts_with("ok");
    EXPECT_GE(log.size(), answered);
  }
}

}  // namespace
}  // namespace picklock
