// etcd's experimental recipe of a lock with readers and writers.
//
//   RLock   put name/read/<time>; wait until no key under name/write was last changed before mine
//   Lock    put name/write/<time>; wait until no key under name/ was
//           either waits for the latest of them to be deleted, and looks again
//   Unlock  delete the own key
//
// From:      etcd, client/v3/experimental/recipes/{rwmutex,key}.go.
// Promises:  a writer is alone and readers share, as long as the leases of all of them live at the server.
//            The create revision of the own key is a fencing token.
// Does not:  look for its own key after the wait, unless `recheck` is set: a waiter whose lease has died is
//            told that it holds (etcd#16221, open); stop a holder whose lease has ended unnoticed; give up
//            a wait: there is no context, so a patience that ends leaves the line from outside.
// Abandoned: the key keeps its place, as long as the session lives.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/etcd/etcd_session.hpp"

namespace picklock {

struct EtcdRwMutexOptions {
  Duration ttl = seconds(10);          // of the session's lease
  Duration retry = milliseconds(100);  // after an error
  bool recheck = false;
  bool shared_session = false;
  void fields(FieldVisitor& v);
};

class EtcdRwMutex final : public Lock {
 public:
  EtcdRwMutex(const LockContext& context, const EtcdRwMutexOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;
  Event* lost() override { return loss_.event(); }

 private:
  Task<Acquired> lock(std::shared_ptr<EtcdSession> session, Duration patience);
  Task<Outcome<>> create_key(EtcdLeaseId lease);  // refused: it exists
  Task<Outcome<>> wait_for_earlier();
  Task<Outcome<>> look_for_own_key();
  Task<Outcome<>> erase(std::string key);

  Etcd& etcd_;
  std::string directory_, blockers_;  // of the own keys; of those that go first
  EtcdRwMutexOptions options_;
  EtcdSessionOwner sessions_;
  EtcdLossWatch loss_;
  std::string my_key_;
  EtcdRevision my_revision_ = 0;
};

}  // namespace picklock
