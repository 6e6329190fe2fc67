// etcd's experimental recipe of a lock with readers and writers.
//
//   RLock   put name/read/<time>; wait until no key under name/write was last changed before mine
//   Lock    put name/write/<time>; wait until no key under name/ was
//           either waits for the latest of them to be deleted, or for its watch to end, and looks again
//   Unlock  delete the own key
//
// From:      etcd, client/v3/experimental/recipes/{rwmutex,key}.go.
// Promises:  a writer is alone and readers share, as long as the leases of all of them live at the server.
//            The create revision of the own key is a fencing token.
// Does not:  stop a holder whose lease has ended unnoticed; give up a wait: there is no context, so a patience
//            that ends leaves the line from outside.
// Abandoned: the key keeps its place, as long as the session lives.
//
// Known defects, each an option and a test:
//   recheck = false      a waiter does not look for its own key after the wait: one whose lease has died is told that
//                        it holds (etcd#16221, closed; 3.7.1 does not look)
//   failed-wait          "leaves-key": a request that fails while it waits ends RLock and Lock with an error,
//                        and no client deletes the key: it stands in the way of all, its own client as well, until
//                        the session ends; "deletes-key" repairs that
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/etcd/etcd_session_lock.hpp"

namespace picklock {

enum class EtcdFailedWait : std::uint8_t { leaves_key, deletes_key };
constexpr auto enum_names(EtcdFailedWait) { return name_list("leaves-key", "deletes-key"); }

struct EtcdRwMutexOptions {
  Duration ttl = seconds(10);          // time to live of the session's lease
  Duration retry = milliseconds(100);  // pause after an error
  bool recheck = false;
  EtcdFailedWait failed_wait = EtcdFailedWait::leaves_key;
  bool shared_session = false;
  void fields(FieldVisitor& v);
};

class EtcdRwMutex final : public EtcdSessionLock {
 public:
  EtcdRwMutex(const LockContext& context, const EtcdRwMutexOptions& options);

 private:
  Task<Acquired> lock(std::shared_ptr<EtcdSession> session, Duration patience) override;
  Task<Outcome<>> unlock(Hold hold) override;
  Task<Outcome<>> create_key(EtcdLeaseId lease);  // refused: it exists
  Task<Outcome<>> wait_for_earlier();
  Task<Outcome<>> look_for_own_key();
  Task<Outcome<>> erase(std::string key);

  std::string directory_, blockers_;  // prefixes of its own keys and of those that go first
  EtcdRwMutexOptions options_;
  EtcdRevision my_revision_ = 0;
};

}  // namespace picklock
