// One server's copy of one key: which holds it names as owners, by the lock's rule.
//
// Of what follows from a record it writes down changes of ownership and marks, with what each hold
// is promised by this server alone.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/lock.hpp"
#include "checker/history.hpp"
#include "sim/core/trace.hpp"

namespace picklock {

// On whose behalf a command was sent.  Server logic never sees it.
struct Provenance {
  HoldId hold = kNoHold;
  bool force = false;  // an operator's: it ends others' holds, and says so
  WallTime wall;       // of the sender's machine, now; a stamp lock trusts it
};

class KeyOwners {
 public:
  // `lease`: what a stamp promises; keys carry their own time to live.
  KeyOwners(Ownership rule, std::uint64_t key_hash, std::optional<Duration> lease)
      : rule_(rule), key_(key_hash), lease_(lease) {}

  // Appends to `changes`; their indices are not set.
  void see(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& changes);
  HoldId owner() const { return owner_; }
  std::int64_t promised_until() const { return until_; }

 private:
  void key_changed(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& changes);
  void loaded(std::int64_t time, std::vector<GrantEvent>& changes);
  void begin(HoldId hold, std::int64_t time, std::int64_t until, std::vector<GrantEvent>& changes);
  void add(GrantChange change, HoldId by, std::int64_t time, std::int64_t until,
           std::vector<GrantEvent>& changes) const;
  std::int64_t promise(std::int64_t time, std::int64_t ttl_ms) const;

  Ownership rule_;
  std::uint64_t key_;
  std::optional<Duration> lease_;
  HoldId owner_ = kNoHold;
  std::int64_t until_ = kNoTime;
  std::int64_t stamp_ms_ = 0, next_stamp_ms_ = 0;
  std::uint32_t to_load_ = 0;  // keys that a restart is about to load
  bool reloaded_ = false;      // this one was among them
};

}  // namespace picklock
