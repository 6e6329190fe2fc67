// Leases of etcd: the part that all members agree on, and the part that only the leader's memory has.
//
// All members know each lease's id, TTL and keys, from the log.  Only the leader knows when a lease ends, by its own
// monotonic clock: a renewal is a write into its memory, and an end is a revocation that it proposes.
//
//   lessor.promote(now, election_timeout);     // it leads: every lease gets its TTL anew, and a little more
//   lessor.renew(id, now);
//   for (id : lessor.take_expired(now, 500)) … // every 500 ms: propose its revocation
//   lessor.demote();                           // leases do not end here any more
//
// From:      etcd, server/lease/lessor.go: names, periods and conditions are those of that file.
// Left out:  the store of leases beside the keys (a snapshot has both).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/packing.hpp"
#include "base/time.hpp"
#include "sim/etcd/wire.hpp"

namespace picklock {

struct EtcdLessorOptions {
  std::int64_t least_ttl_s = 2;         // smaller ones are raised to it: etcd_least_ttl_s
  Duration expired_retry = seconds(7);  // an expired lease is proposed again after that
  Duration checkpoint_every{};          // zero: no checkpoints
  bool checkpoints_survive_restart = false;
};
// 1.5 election timeouts, rounded up: 2 s of 1 s.
constexpr std::int64_t etcd_least_ttl_s(Duration election_timeout) {
  const std::int64_t ns = election_timeout.ns * 3 / 2;
  return (ns + seconds(1).ns - 1) / seconds(1).ns;
}

enum class EtcdRenewal : std::uint8_t {
  renewed,
  not_primary,
  not_found,
  expired,  // the answer waits: not_found once it is revoked, not_primary once this member no longer leads
  // Its remaining TTL has been checkpointed: a checkpoint of 0 is to go through the log first, then refresh().
  checkpointed
};

class EtcdLessor {
 public:
  static constexpr std::int64_t kMostTtl = 9'000'000'000;
  static constexpr std::size_t kRevokeRate = 1000;      // a second
  static constexpr std::size_t kPiledUp = kRevokeRate;  // smallest number of leases whose ends are spread
  static constexpr std::int64_t kEndsPerSecond = 3 * static_cast<std::int64_t>(kRevokeRate) / 4;
  static constexpr Duration kForeverMore = kForever;

  explicit EtcdLessor(const EtcdLessorOptions& options = {}) : options_(options) {}

  // --- by the log, on every member.  `now`: its monotonic clock; matters to a primary only
  EtcdError grant(EtcdLeaseId id, std::int64_t ttl_s, MonoTime now);
  // Forgets the lease; its keys, in order, are the caller's to delete.
  std::optional<std::vector<std::string>> revoke(EtcdLeaseId id);
  void checkpoint(EtcdLeaseId id, std::int64_t remaining_s, MonoTime now);
  void attach(EtcdLeaseId id, const std::string& key);
  void detach(EtcdLeaseId id, const std::string& key);

  // --- the leader's memory
  void promote(MonoTime now, Duration extend);
  void demote();
  bool primary() const { return primary_; }
  EtcdRenewal renew(EtcdLeaseId id, MonoTime now);
  // Unconditionally, by its full TTL; false if there is no such lease.
  bool refresh(EtcdLeaseId id, MonoTime now);
  // Leases that have ended, each again only after expired_retry.
  std::vector<EtcdLeaseId> take_expired(MonoTime now, std::size_t most);
  std::vector<EtcdLeaseCheckpoint::One> take_checkpoints(MonoTime now, std::size_t most);
  // Earliest instant at which take_expired or take_checkpoints may give something; nothing: not before a change.
  std::optional<MonoTime> next_due() const;

  // --- what is known
  bool exists(EtcdLeaseId id) const { return leases_.count(id) != 0; }
  std::size_t size() const { return leases_.size(); }
  std::optional<std::int64_t> ttl_s(EtcdLeaseId id) const;                // time to live granted
  std::optional<Duration> remaining(EtcdLeaseId id, MonoTime now) const;  // kForever on a member that does not lead
  std::vector<std::string> keys(EtcdLeaseId id) const;                    // sorted
  std::vector<EtcdLeaseId> ids() const;

  // --- snapshots: without the keys, which the store knows
  void save(Packer& to) const;
  bool load(Unpacker& from);

 private:
  struct Lease {
    std::int64_t ttl_s = 0;
    std::int64_t remaining_s = 0;        // last checkpoint; 0: none
    MonoTime expiry{};                   // expiry, if this lessor is the primary
    std::optional<MonoTime> watched;     // its place among those that will end
    std::optional<MonoTime> checkpoint;  // its place among those to be checkpointed
    std::vector<std::string> keys;       // sorted
  };
  using Queue = std::set<std::pair<MonoTime, EtcdLeaseId>>;
  void refresh(EtcdLeaseId id, Lease& lease, MonoTime now, Duration extend);
  static void place(Queue& queue, std::optional<MonoTime>& at, EtcdLeaseId id, std::optional<MonoTime> when);
  void schedule_checkpoint(EtcdLeaseId id, Lease& lease, MonoTime now);
  void spread_ends(MonoTime now, Duration extend);

  EtcdLessorOptions options_;
  bool primary_ = false;
  std::map<EtcdLeaseId, Lease> leases_;
  Queue ends_, checkpoints_;
};

}  // namespace picklock
