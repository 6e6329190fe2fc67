// The settings of an ensemble's servers. Defaults are those of zoo_sample.cfg.
#pragma once

#include "sim/task/fields.hpp"
#include "sim/zookeeper/tree.hpp"
#include "sim/zookeeper/zab/types.hpp"

namespace picklock {

// 3.4 has another pause before a learner connects again, and another overflow.  A server of 3.9 does what one of 3.8
// does here: what is new there, that a client expires by itself, is an option of the client.
enum class ZooVersion : std::uint8_t { v3_4, v3_8, v3_9 };
constexpr auto enum_names(ZooVersion) { return name_list("3.4", "3.8", "3.9"); }

// Defects that real servers have had, or are said to have: a scenario may ask for one.  The servers then break their
// own invariants, which is no error of that run but its subject.
enum class ZooDefect : std::uint8_t {
  none,
  // ZOOKEEPER-2355 (until 3.4.11, 3.5.4): a follower that is sent a DIFF stands where that ends before it has read the
  // proposals; if it fails while it reads them, it never asks for them again.  Nodes that they deleted stay there.
  diff_taken_for_read,
  // ZOOKEEPER-4837 (open): a learner that truncates its log loads its newest snapshot, though that be of later than
  // what is left of the log.  An elected server makes a snapshot of its whole log (ZooKeeperServer.loadData): of what
  // is not committed too.  Entries that others never saw stay there.
  truncation_reloads,
  // No server does that, but it is believed: a session ends with its connection, and takes its nodes along.
  vanish_on_disconnect
};
constexpr auto enum_names(ZooDefect) {
  return name_list("none", "diff-taken-for-read", "truncation-reloads", "vanish-on-disconnect");
}

// Wrong on purpose, above ZAB: broken twins, which tests must catch.
enum class ZooFlaw : std::uint8_t {
  none,
  watch_after_reply,  // an event leaves after the reply from which its client can know of the change
  follower_expires,   // every server lets sessions expire that it has not heard of itself
  closing_may_create  // a session that is being closed goes on writing: ephemerals outlive it
};

struct ZooServerOptions {
  Duration tick = seconds(2);
  std::int64_t init_limit = 10;  // ticks that a learner has to connect to its leader and take over its history
  std::int64_t sync_limit = 5;   // ticks of silence after which a leader and a learner give each other up
  ZooVersion version = ZooVersion::v3_8;
  ZooDefect defect = ZooDefect::none;
  // Time that a JVM is busy when its server becomes the leader (classes, threads, a snapshot): of 30 servers of
  // Debian's 3.8.0 that had not led before, on two cores and a disk that costs nothing (docs/live.md).
  Law start_leading = Law::uniform(milliseconds(5), milliseconds(15));
  Law start_serving = Law::uniform(milliseconds(25), milliseconds(50));

  void fields(FieldVisitor& v) {
    v.field(
        {.name = "tick", .help = "unit of the servers' timeouts; a session lasts 2 to 20 ticks", .least = 1'000'000},
        tick);
    v.field({.name = "init-limit",
             .help = "ticks that a learner has to connect to its leader and take over its history",
             .least = 1},
            init_limit);
    v.field({.name = "sync-limit",
             .help = "ticks of silence after which a leader and a learner give each other up",
             .least = 1},
            sync_limit);
    v.field({.name = "start-leading",
             .help = "time from its election until a leader accepts connections of followers",
             .least = 0},
            start_leading);
    v.field({.name = "start-serving",
             .help = "time from a quorum's acknowledgement until a new leader serves clients",
             .least = 0},
            start_serving);
    v.field({.name = "version", .help = "release of ZooKeeper whose timings and limits the servers have"}, version);
    v.field(
        {.name = "defect", .help = "known defect of real servers that these servers have too; none = correct servers"},
        defect);
  }
  bool operator==(const ZooServerOptions&) const = default;

  ZabOptions zab() const {
    ZabOptions o;
    o.tick = tick.ms();
    o.init_limit = init_limit;
    o.sync_limit = sync_limit;
    o.connect_retry = version == ZooVersion::v3_4 ? 1000 : 100;
    if (defect == ZooDefect::diff_taken_for_read) o.flaw = ZabFlaw::takes_diff_for_read;
    if (defect == ZooDefect::truncation_reloads) o.flaw = ZabFlaw::reloads_truncated;
    return o;
  }
  ZooOverflow overflow() const { return version == ZooVersion::v3_4 ? ZooOverflow::negative : ZooOverflow::sticks; }
};

}  // namespace picklock
