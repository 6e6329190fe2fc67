// One Redis server, the clients' clocks.
//   acquire = as for getset-timestamp, but an expired lock is deleted, then taken: DEL name, SETNX
//   release = as for getset-timestamp
//
// From:      the mistake against which the old page of the SETNX command warns.
// Promises:  no more than one holder, until a lock expires.
// Does not:  let only one client take an expired lock.  Two see the old stamp; the first deletes it
//            and sets its own; the second deletes that one and sets its own; both hold the lock.
// Abandoned: as for getset-timestamp; between DEL and SETNX the lock is free.
#pragma once

#include "algorithms/redis/getset_timestamp.hpp"

namespace picklock {

class DelSetnxTimestamp final : public GetsetTimestamp {
 public:
  using GetsetTimestamp::GetsetTimestamp;

 private:
  Task<Acquired> take_over() override;
};

}  // namespace picklock
