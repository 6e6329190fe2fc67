// Settings of the members of an etcd cluster, and the releases of etcd that they can stand for.
//
//   EtcdOptions o = etcd_release(EtcdRelease::v3_4);   // all settings are those of that release
//   o.pre_vote = true;                                 // this one differs
//
// Defaults are those of server/embed/config.go in 3.5, with all fixes applied (3.5.23).
#pragma once

#include "sim/task/fields.hpp"

namespace picklock {

enum class EtcdRelease : std::uint8_t {
  v3_4,     // 3.4.23, as Debian 12 has it
  v3_5,     // 3.5.3 to 3.5.12
  v3_5_23,  // 3.5.23 and after: every fix that an option below names
  v3_6      // 3.6.5 and after
};
constexpr auto enum_names(EtcdRelease) { return name_list("3.4", "3.5", "3.5.23", "3.6"); }

struct EtcdOptions {
  EtcdRelease release = EtcdRelease::v3_5_23;  // says which values the settings below began with
  Duration heartbeat = milliseconds(100);      // heartbeat interval of the leader, and tick of Raft
  Duration election = seconds(1);              // a multiple of the heartbeat: 2 to 100 times it
  bool pre_vote = true;                        // since 3.5; 3.4 leaves it off
  // A member that has just booted, and is connected to two others, is as impatient for a leader as if it had
  // waited already: all but two ticks of an election timeout.
  bool initial_election_tick_advance = true;
  // Before it revokes or renews, a leader whose loop has not ticked for three ticks asks a quorum whether it
  // still leads (etcd issue 15247; 3.4.31, 3.5.13).
  bool confirms_leadership = true;
  // Before it renews on a client's behalf, a leader has applied what its loop has learnt to be committed, or
  // refuses after a second (etcd pull request 13690; 3.4.20, 3.5.3).  Every release does so for renewals that other
  // members forward.
  bool renews_after_applying = true;
  // A renewal that first has to clear a checkpoint, through the log, looks then whether the lease is still there
  // (etcd pull request 20590; 3.4.38, 3.5.23, 3.6.5).
  bool rechecks_leases = true;
  // A member waits 50 ms before it forwards a renewal again (3.5.0).
  bool throttles_forwards = true;
  // The lock service looks, after its wait, whether the caller's key is still there (etcd issue 11456; 3.5.0).
  bool rechecks_locks = true;
  // A transaction that fails for a lease and for a revision says that the lease is not there; since 3.6.0 it says what
  // is wrong with the first of its operations (applierV3backend.Txn, checkTxn).
  bool checks_puts_first = true;
  bool checkpoints = false;        // the leader logs the remaining time of leases every 5 minutes
  bool keeps_checkpoints = false;  // checkpoints survive a restart: an option of 3.4.20 and 3.5.2, always so since 3.6
  std::int64_t snapshot_count = 100'000;  // entries applied between snapshots; 10,000 since 3.6
  std::int64_t catch_up_entries = 5'000;  // kept in the log behind a snapshot

  std::uint32_t election_ticks() const { return static_cast<std::uint32_t>(election.ns / heartbeat.ns); }
  Duration request_timeout() const { return seconds(5) + election * 2; }

  // A visitor that changes the release changes every setting that stood as the former release has it; the settings
  // are visited after the release.
  void fields(FieldVisitor& v);
  bool operator==(const EtcdOptions&) const = default;
};

EtcdOptions etcd_release(EtcdRelease release);
inline EtcdOptions etcd_3_4() { return etcd_release(EtcdRelease::v3_4); }
inline EtcdOptions etcd_3_5() { return etcd_release(EtcdRelease::v3_5); }
inline EtcdOptions etcd_3_6() { return etcd_release(EtcdRelease::v3_6); }

}  // namespace picklock
