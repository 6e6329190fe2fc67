// Changes of resources that are kept in the lock's service, read from the records of its servers.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/history.hpp"
#include "sim/core/trace.hpp"

namespace picklock {

// One change of a place, that is a key or a path, which a server has applied.
struct KeptChange {
  std::uint64_t place = 0;    // hash of the key or path
  HoldId hold = kNoHold;      // the hold that asked for it
  std::uint64_t version = 0;  // version of the place from then on; versions grow over all places of a service
};

// One for each service in which a workload may keep its resources.
class ChangeReader {
 public:
  virtual ~ChangeReader() = default;
  virtual void reset() = 0;
  // The change that this record completes, if any.  Every server tells every change.
  virtual std::optional<KeptChange> see(const TraceRecord& record) = 0;
};

}  // namespace picklock
