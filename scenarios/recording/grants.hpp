// Grants: which hold the lock service names as owner, read from what the servers recorded.
//
// One judge for each lock and kind of service.  A hold is *promised until* the first of: its applied
// release; a declared force; the last applied set, extension or touch plus the lease, in true time.  What
// else ends an ownership (lost data, a failover, an expiry that comes early) does not end the promise: the
// next owner is then a double grant.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/history.hpp"
#include "sim/core/trace.hpp"

namespace picklock {

// The hold and client for which a request was sent.  Server logic never sees it.
struct Provenance {
  HoldId hold = kNoHold;
  bool force = false;        // true: an operator's command, which ends others' holds and says so
  WallTime wall;             // wall clock of the sender's machine, now; a stamp lock trusts it
  bool shared = false;       // a read hold
  std::uint32_t client = 0;  // client that owns the hold
  WallTime here = {};        // wall clock of the server that makes the record, now
};

class GrantJudge {
 public:
  virtual ~GrantJudge() = default;
  virtual void reset() = 0;
  // False: a record of this kind says nothing to this judge.
  virtual bool wants(TraceKind kind) const = 0;
  // The hold that the record names; kNoHold: it names none.
  virtual HoldId hold_of(const TraceRecord& record) const = 0;
  // Looks at one record of a server; appends what follows from it to `grants`.
  virtual void see(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& grants,
                   std::uint32_t& index) = 0;
  // Merges when the service first heard of each hold, if the records say so.
  virtual void first_heard(std::vector<std::int64_t>&) const {}
};

}  // namespace picklock
