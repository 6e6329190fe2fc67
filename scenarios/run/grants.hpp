// Grants: which hold the lock service names as owner, read from what the servers recorded.
//
// The rule is the lock's own (Ownership in algorithms/lock.hpp).  A hold is *promised until* the first
// of: its applied release; the last applied set or extension plus the lease, in true time.  That a
// key vanished by a crash, or early by a step of the server's clock, ends the ownership and not the
// promise: the next owner is then a double grant.
#pragma once

#include <span>
#include <vector>

#include "algorithms/lock.hpp"
#include "checker/history.hpp"
#include "sim/core/trace.hpp"

namespace picklock {

class GrantJudge {
 public:
  // `lease`: what a stamp promises; keys carry their own time to live.
  GrantJudge(Ownership rule, std::uint64_t key_hash, std::optional<Duration> lease)
      : rule_(rule), key_(key_hash), lease_(lease) {}

  void reset() { *this = GrantJudge(rule_, key_, lease_); }
  // Looks at one record; appends what follows from it to `grants`. `wall_of_client` is the wall clock of
  // the client on whose behalf the command was sent, which a stamp lock trusts.
  void see(const TraceRecord& record, WallTime wall_of_client, std::vector<GrantEvent>& grants,
           std::uint32_t& index);
  HoldId owner() const { return owner_; }

 private:
  void begin(HoldId hold, std::int64_t time, std::int64_t until, std::vector<GrantEvent>&, std::uint32_t& index);
  void add(GrantChange change, HoldId by, std::int64_t time, std::int64_t until, std::vector<GrantEvent>&,
           std::uint32_t& index);
  std::int64_t promise(std::int64_t time, std::int64_t ttl_ms) const;

  Ownership rule_;
  std::uint64_t key_;
  std::optional<Duration> lease_;
  HoldId owner_ = kNoHold;
  std::int64_t until_ = kNoTime;
  std::int64_t stamp_ms_ = 0, next_stamp_ms_ = 0;
  bool awaiting_reload_ = false;
};

}  // namespace picklock
