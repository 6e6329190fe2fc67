// How the members of an etcd cluster are set up, and what its release does otherwise than the newest.
#pragma once

#include <array>

#include "sim/task/fields.hpp"

namespace picklock {

// Defaults are those of server/embed/config.go as of 3.5 and 3.6, all fixes applied.
struct EtcdOptions {
  Duration heartbeat = milliseconds(100);  // of the leader, and the tick of Raft
  Duration election = seconds(1);          // a multiple of the heartbeat: 2 to 100 times it
  bool pre_vote = true;                    // since 3.5; 3.4 leaves it off
  // A member that has just booted, and is connected to two others, is as impatient for a leader as if it had
  // waited already: all but two ticks of an election timeout.
  bool initial_election_tick_advance = true;
  // Before it revokes or renews, a leader whose loop has not ticked for three ticks asks a quorum whether it
  // still leads (etcd issue 15247; 3.4.31, 3.5.13).
  bool confirms_leadership = true;
  // Before it renews on a client's behalf, a leader has applied what its loop has learnt to be committed, or
  // refuses after a second (etcd pull request 13690; 3.4.20, 3.5.3).  Of renewals that other members hand on
  // every release does so.
  bool renews_after_applying = true;
  // A renewal that first has to clear a checkpoint, through the log, looks then whether the lease is still there
  // (etcd pull request 20590; 3.4.38, 3.5.23, 3.6.5).
  bool rechecks_leases = true;
  // A renewal that could not be handed on waits 50 ms before it is again (3.5.0).
  bool throttles_forwards = true;
  // The lock service looks, after its wait, whether the caller's key is still there (etcd issue 11456; 3.5.0).
  bool rechecks_locks = true;
  bool checkpoints = false;        // of what remains of leases, every 5 minutes, through the log
  bool keeps_checkpoints = false;  // they survive a restart: an option of 3.4.20 and 3.5.2, always so from 3.6 on
  std::int64_t snapshot_count = 100'000;  // entries applied between snapshots; 10,000 since 3.6
  std::int64_t catch_up_entries = 5'000;  // that the log keeps behind a snapshot

  std::uint32_t election_ticks() const { return static_cast<std::uint32_t>(election.ns / heartbeat.ns); }
  Duration request_timeout() const { return seconds(5) + election * 2; }

  void fields(FieldVisitor& v) {
    v.field({.name = "heartbeat",
             .help = "interval of the leader's heartbeats",
             .least = 1'000'000,
             .most = 10'000'000'000},
            heartbeat);
    v.field({.name = "election",
             .help = "least silence after which a member campaigns",
             .least = 2'000'000,
             .most = 50'000'000'000},
            election);
    v.field({.name = "pre-vote", .help = "a member asks whether it would win before it campaigns"}, pre_vote);
    v.field({.name = "initial-election-tick-advance",
             .help = "a member that boots and is connected waits less for a leader"},
            initial_election_tick_advance);
    v.field({.name = "confirms-leadership",
             .help = "a leader that stood still asks a quorum before it ends or renews leases"},
            confirms_leadership);
    v.field({.name = "renews-after-applying", .help = "a leader applies what it knows is committed before it renews"},
            renews_after_applying);
    v.field({.name = "rechecks-leases", .help = "a renewal that cleared a checkpoint looks for its lease again"},
            rechecks_leases);
    v.field({.name = "throttles-forwards", .help = "a renewal that could not be handed on waits 50 ms"},
            throttles_forwards);
    v.field({.name = "rechecks-locks", .help = "the lock service looks for its caller's key after the wait"},
            rechecks_locks);
    v.field({.name = "checkpoints", .help = "what remains of leases is written to the log every 5 minutes"},
            checkpoints);
    v.field({.name = "keeps-checkpoints", .help = "checkpoints of leases survive a restart"}, keeps_checkpoints);
    v.field({.name = "snapshot-count", .help = "applied entries between two snapshots", .least = 1}, snapshot_count);
    v.field({.name = "catch-up-entries", .help = "entries that the log keeps behind a snapshot", .least = 0},
            catch_up_entries);
  }
  bool operator==(const EtcdOptions&) const = default;
};

// As shipped: what a release of that line did by default.
inline EtcdOptions etcd_3_4() {  // 3.4.23, as Debian 12 has it
  EtcdOptions o;
  o.pre_vote = o.confirms_leadership = o.rechecks_leases = o.throttles_forwards = o.rechecks_locks = false;
  return o;
}
inline EtcdOptions etcd_3_5() {  // 3.5.3 to 3.5.12
  EtcdOptions o;
  o.confirms_leadership = o.rechecks_leases = false;
  return o;
}
inline EtcdOptions etcd_3_6() {  // 3.6.5 and after
  EtcdOptions o;
  o.keeps_checkpoints = true;
  o.snapshot_count = 10'000;
  return o;
}

}  // namespace picklock
