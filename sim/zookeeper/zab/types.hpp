// Names and numbers of an ensemble that runs ZAB, ZooKeeper's atomic broadcast.
//
// From:  Junqueira, Reed, Serafini, "Zab: High-performance broadcast for primary-backup systems" (DSN 2011),
//        and the Java sources of ZooKeeper 3.8 (server/quorum); defaults are those of zoo_sample.cfg.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/zookeeper/zab/shared_bytes.hpp"

namespace picklock {

using ZabSid = std::uint32_t;   // a server's number in the configuration ("myid"), from 1 on
using ZabZxid = std::int64_t;   // zxid of a transaction: its epoch above a counter of 32 bits
using ZabEpoch = std::int64_t;  // epoch of a leader; 0: before the first
using ZabLink = std::uint32_t;  // a connection between a learner and a leader; never used again; 0: none
using ZabMs = std::int64_t;     // a reading of the server's monotonic clock, in milliseconds

inline constexpr ZabMs kZabNever = INT64_MAX;

constexpr ZabZxid zab_zxid(ZabEpoch epoch, std::int64_t counter) { return epoch << 32 | counter; }
constexpr ZabEpoch zab_epoch(ZabZxid zxid) { return zxid >> 32; }
constexpr std::int64_t zab_counter(ZabZxid zxid) { return zxid & 0xffffffff; }

enum class ZabRole : std::uint8_t { looking, following, leading, observing };

// Wrong on purpose: broken twins, which tests must catch.
enum class ZabFlaw : std::uint8_t {
  none,
  commits_alone,        // the leader commits what it has logged itself
  forgets_truncation,   // a learner keeps the entries that the leader told it to drop
  forgets_epoch,        // the accepted and the current epoch do not reach the platter
  acks_before_log,      // a follower acknowledges what it has not synced
  elects_by_sid,        // a vote for the largest sid, whatever its log
  drops_own_proposals,  // a new leader throws away what it does not know to be committed
  count_,
  // Defects of real servers (ZooDefect) in which the machine has its part.
  takes_diff_for_read,  // a learner stands where a DIFF ends, before it has read what that is made of
  reloads_truncated     // a learner keeps the state of a snapshot that is newer than what is left of its log
};

struct ZabOptions {
  ZabMs tick = 2000;
  std::int64_t init_limit = 10, sync_limit = 5;  // unit: ticks
  ZabMs connect_retry = 100;                     // 1000 before 3.5
  std::size_t committed_log = 500;               // entries from which a learner can be brought up to date
  std::size_t snapshot_every = 100'000;          // applied transactions; real servers add a random share
  std::int64_t last_counter = 0xffffffff;        // largest counter of an epoch; smaller in tests of the roll-over
  ZabFlaw flaw = ZabFlaw::none;
};

struct ZabMember {
  ZabSid sid = 0;
  bool observer = false;
};

struct ZabEnsemble {
  std::vector<ZabMember> members;

  std::size_t voters() const {
    std::size_t n = 0;
    for (const ZabMember& m : members) n += m.observer ? 0 : 1;
    return n;
  }
  bool votes(ZabSid sid) const {
    for (const ZabMember& m : members) {
      if (m.sid == sid) return !m.observer;
    }
    return false;
  }
};

struct ZabEntry {
  ZabZxid zxid = 0;
  SharedBytes txn;
  bool operator==(const ZabEntry&) const = default;
};

}  // namespace picklock
