// One Redis server.  acquire = SETNX name 1, then PEXPIRE name ttl     release = DEL name
//
// From:      the usual repair of plain SETNX (with EXPIRE; PEXPIRE here, for leases below a
//            second).
// Promises:  one holder at a time, and a lock that becomes free after its holder's death, while
//            each pair of commands is carried out and each hold ends within its lease.
// Does not:  make two commands one: a client that dies, or is cut off, between them locks the name for
//            ever.  Nor look at PEXPIRE's answer.  Nor check at the DEL whose lock it is: after the
//            lease it ends another's hold.
// Abandoned: before the PEXPIRE: the name is locked for ever.
#pragma once

#include "algorithms/redis/polling_lock.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

struct SetnxExpireOptions {
  Duration ttl = seconds(30);
  PollingOptions polling;
  void fields(FieldVisitor& v);
};

class SetnxExpire final : public PollingLock {
 public:
  SetnxExpire(const LockContext& context, const SetnxExpireOptions& options);
  Task<Outcome<>> release(Hold hold) override;

 private:
  Hold propose() override;
  Task<Acquired> take(Hold proposed) override;

  Redis redis_;
  std::string name_;
  Duration ttl_;
};

}  // namespace picklock
