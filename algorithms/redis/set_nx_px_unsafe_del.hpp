// One Redis server.  acquire = SET name value NX PX ttl     release = DEL name
//
// From:      half of the documented lock: the command was copied, the release script was not.
// Promises:  one holder at a time, while every hold ends within its lease.
// Does not:  look whose lock it deletes.  A holder that comes late ends its successor's hold, and a
//            third client walks in beside the second.
// Abandoned: as for set-nx-px.
#pragma once

#include "algorithms/redis/set_nx_px.hpp"

namespace picklock {

class SetNxPxUnsafeDel final : public SetNxPx {
 public:
  using SetNxPx::SetNxPx;
  Task<Outcome<>> release(Hold hold) override;
};

}  // namespace picklock
