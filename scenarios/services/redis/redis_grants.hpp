// Grants of one lock on Redis servers: each server's copy of the key names owners by the lock's own rule
// (RedisOwnership in redis_key_owners.hpp).
//
// The copies of masters count that live and answer: not that of a cluster's node which refuses
// every command.  With several independent groups of servers a hold owns the lock while more than half of
// the groups name it; each promises for itself, and the lock is promised as long as more than half still
// do.  That a key vanished by a crash, by a failover, or early by a step of the server's clock ends the
// ownership and not the promise.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "scenarios/services/redis/redis_key_owners.hpp"

namespace picklock {

// One Redis server.  Servers of one group replicate the same data; groups are independent.
struct RedisPlace {
  std::uint32_t group = 0;
  bool replica = false;    // true: a replica at the start
  bool elsewhere = false;  // true: belongs to another shard of the cluster and never has the lock's key
};

// The hold that a record of a server names; kNoHold: it names none.
HoldId redis_hold_of(const TraceRecord& record);

class RedisGrants final : public GrantJudge {
 public:
  // Judges the lock with this key.  `places`: of the Redis servers, whose first has NodeId 1.
  RedisGrants(RedisOwnership rule, std::uint64_t key_hash, std::optional<Duration> lease,
              std::vector<RedisPlace> places, const DataLease& form = {});

  void reset() override;
  bool wants(TraceKind kind) const override;
  HoldId hold_of(const TraceRecord& record) const override { return redis_hold_of(record); }
  void see(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& grants,
           std::uint32_t& index) override;

 private:
  struct Voice {           // one copy, which counts if it is a live master's that answers
    bool master = false;   // true: a master's copy
    bool down = false;     // true: its server is dead.  (A lone server's owners stay.)
    bool refuses = false;  // true: its server refuses every command
    bool counts() const { return master && !down && !refuses; }
  };
  struct Candidate {  // a hold that some group names or promises something
    bool owner = false;
    std::int64_t promised = kNoTime;  // promise by the lock as a whole, as last said
  };
  struct Silenced {  // the last hold that ended because its server died or was demoted
    HoldId hold = kNoHold;
    std::size_t place = 0;
  };
  struct Share {               // the part of one group in one candidate
    std::uint32_t naming = 0;  // copies of masters that name it
    std::int64_t promised = kNoTime;
  };

  std::uint32_t quorum() const { return groups_ / 2 + 1; }
  std::span<Share> shares_of(HoldId hold);
  void change_voice(std::int64_t time, std::size_t place, Voice now, std::vector<GrantEvent>& grants,
                    std::uint32_t& index);
  // All but what most records are: a change of a key of a lone server.
  void see_slowly(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& grants,
                  std::uint32_t& index);
  void voice_changed(const TraceRecord& record, std::size_t place, std::vector<GrantEvent>& grants,
                     std::uint32_t& index);
  void combine(const GrantEvent& change, std::uint32_t group, std::vector<GrantEvent>& grants, std::uint32_t& index);
  [[nodiscard]] GrantEnd why_not_against(HoldId newcomer, std::int64_t time) const;
  void decide(const GrantEvent& why, std::vector<GrantEvent>& grants, std::uint32_t& index);

  const std::vector<RedisPlace> places_;
  std::uint32_t groups_ = 1;
  std::vector<RedisKeyOwners> copies_;  // index: place
  std::vector<Voice> voices_;           // index: place
  std::vector<Candidate> candidates_;   // index: HoldId
  std::vector<Share> shares_;           // shares of all candidates, one for each group
  Silenced silenced_;
  std::size_t place_ = 0;               // place of the current record
  std::vector<std::int64_t> promises_;  // scratch
  std::vector<GrantEvent> changes_;     // scratch
};

}  // namespace picklock
