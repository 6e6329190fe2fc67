// The base of the locks that hold by a session: attempts until one holds, a session for them, the news that it
// has ended, and the time until which its client counts on it.
//
// From:      etcd, client/v3/concurrency: each of its locks is made of a Session.
// Does not:  say what an attempt is, or how it is undone: that is the lock.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/etcd/etcd_session.hpp"

namespace picklock {

struct EtcdSessionUse {
  Duration ttl;           // time to live of its lease
  Duration pause;         // pause between two attempts
  bool shared = false;    // one session for all locks of the process
  bool per_lock = false;  // a session for each Lock, which ends with it: when it fails, or when its Unlock is answered
  bool own = true;        // false: the server grants a lease without renewals
};

class EtcdSessionLock : public Lock {
 public:
  Task<Acquired> acquire(Patience patience) final;
  Task<Outcome<>> release(Hold hold) final;
  std::optional<MonoTime> deadline(const Hold& hold) const final;
  Event* lost() final { return use_.own ? loss_.event() : nullptr; }

 protected:
  EtcdSessionLock(const LockContext& context, const EtcdSessionUse& use);

  Etcd& etcd_;
  std::string my_key_;  // key of the last attempt

  void drop_session() { sessions_.drop(); }  // its lease is gone, as the server says

 private:
  // Makes one attempt, that long at most.  `session` is null if the server grants the lease.
  virtual Task<Acquired> lock(std::shared_ptr<EtcdSession> session, Duration patience) = 0;
  virtual Task<Outcome<>> unlock(Hold hold) = 0;

  EtcdSessionUse use_;
  EtcdSessionOwner sessions_;
  EtcdLossWatch loss_;
};

}  // namespace picklock
