#include "sim/etcd/options.hpp"

namespace picklock {

EtcdOptions etcd_release(EtcdRelease release) {
  EtcdOptions o;
  o.release = release;
  switch (release) {
    case EtcdRelease::v3_4:
      o.pre_vote = o.confirms_leadership = o.rechecks_leases = o.throttles_forwards = o.rechecks_locks = false;
      break;
    case EtcdRelease::v3_5:
      o.confirms_leadership = o.rechecks_leases = false;
      break;
    case EtcdRelease::v3_5_23:
      break;
    case EtcdRelease::v3_6:
      o.keeps_checkpoints = true;
      o.checks_puts_first = false;
      o.snapshot_count = 10'000;
      break;
  }
  return o;
}

void EtcdOptions::fields(FieldVisitor& v) {
  const EtcdRelease before = release;
  if (v.leading({.name = "release",
                 .help = "release of etcd that the members run: 3.4 is 3.4.23, 3.5 is 3.5.3 to 3.5.12, 3.6 is 3.6.5; "
                         "it sets the defaults of the settings below"},
                release)) {
    using O = EtcdOptions;
    change_settings(*this, etcd_release(before), etcd_release(release), &O::pre_vote, &O::confirms_leadership,
                    &O::rechecks_leases, &O::throttles_forwards, &O::rechecks_locks, &O::checks_puts_first,
                    &O::keeps_checkpoints, &O::snapshot_count);
  }
  v.field(
      {.name = "heartbeat", .help = "interval of the leader's heartbeats", .least = 1'000'000, .most = 10'000'000'000},
      heartbeat);
  v.field({.name = "election",
           .help = "shortest silence of the leader after which a member campaigns",
           .least = 2'000'000,
           .most = 50'000'000'000},
          election);
  v.field({.name = "pre-vote", .help = "a member asks the others whether it would win before it campaigns"}, pre_vote);
  v.field({.name = "initial-election-tick-advance",
           .help = "a member that boots waits for its first leader for two heartbeats only, once it is connected"},
          initial_election_tick_advance);
  v.field({.name = "confirms-leadership",
           .help = "a leader whose Raft loop stood still asks a quorum before it revokes or renews leases"},
          confirms_leadership);
  v.field({.name = "renews-after-applying",
           .help = "a leader applies every entry that it knows is committed before it renews a lease"},
          renews_after_applying);
  v.field({.name = "rechecks-leases",
           .help = "a leader looks for the lease again after its renewal has cleared a checkpoint"},
          rechecks_leases);
  v.field({.name = "throttles-forwards", .help = "a member waits 50 ms before it forwards a renewal again"},
          throttles_forwards);
  v.field(
      {.name = "rechecks-locks", .help = "the lock service checks after its wait that the caller's key still exists"},
      rechecks_locks);
  v.field({.name = "checks-puts-first", .help = "a transaction looks for its leases before it looks at its revisions"},
          checks_puts_first);
  v.field({.name = "checkpoints", .help = "the leader logs the remaining TTL of each lease every 5 minutes"},
          checkpoints);
  v.field({.name = "keeps-checkpoints", .help = "logged TTLs of leases survive a restart"}, keeps_checkpoints);
  v.field({.name = "snapshot-count", .help = "number of entries that a member applies between snapshots", .least = 1},
          snapshot_count);
  v.field({.name = "catch-up-entries", .help = "number of entries that the log keeps behind a snapshot", .least = 0},
          catch_up_entries);
}

}  // namespace picklock
