// etcd's own mutex for Go: a queue of keys under one prefix, each bound to its owner's session.
//
//   Lock     txn: if name/<lease> does not exist, put it with the lease; read the key under name/ that was
//            created first.  That is mine: held.  Else wait until every key created before mine is deleted,
//            watching the last of them, again and again.
//   Unlock   delete name/<lease>
//
// From:      etcd, client/v3/concurrency/{mutex,key,session}.go, 3.4 and 3.5.
// Promises:  at any time one key under name/ was created first; its holder holds as long as its lease lives
//            at the server.  Its create revision grows from holder to holder: a fencing token.
// Does not:  stop a holder whose lease has ended unnoticed (jepsen.io/analyses/etcd-3.4.3); count
//            re-entries.  The hold is only as good as a transaction that compares it: etcd_owner_guard().
// Abandoned: the key keeps its place and takes the lock in its turn, without a holder, as long as the
//            session lives: until the same session locks again, or its process dies.
//
// Known defects, each an option and a test:
//   recheck = false           up to 3.4: a waiter whose own key has gone with its lease is told that it holds
//                             (etcd#11456, #9921); from 3.5 on Lock looks after the wait
//   unlock = "by-name"        an Unlock whose answer was lost, sent again or late, deletes the key of a later
//                             Lock of the same session (etcd#22082, open); "own-revision" compares first,
//                             which is no help where that Lock has found the same key
//   unlock-retry              whether a lost Unlock is sent again, and whether in the background; then mutual
//                             exclusion takes that a session locks again only after an answer to its Unlock
//   heeds-session = false     a waiter whose lease has died waits on, for a lock it cannot get (etcd#19597)
//   shared-session = true     threads that share a session have one key: both hold
//   token = "header"          Header().Revision is the store's at the last answer, and after a wait not the
//                             key's: it grows as well, but etcd_owner_guard() never finds it
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/etcd/etcd_session_lock.hpp"

namespace picklock {

enum class EtcdUnlock : std::uint8_t { by_name, own_revision };
constexpr auto enum_names(EtcdUnlock) { return name_list("by-name", "own-revision"); }

enum class EtcdUnlockRetry : std::uint8_t { none, inline_, background };
constexpr auto enum_names(EtcdUnlockRetry) { return name_list("none", "inline", "background"); }

enum class EtcdToken : std::uint8_t { create_revision, header };
constexpr auto enum_names(EtcdToken) { return name_list("create-revision", "header"); }

struct EtcdMutexOptions {
  Duration ttl = seconds(10);          // time to live of the session's lease
  Duration retry = milliseconds(100);  // pause after an error
  std::optional<Duration> try_lock;    // polling interval of TryLock; none: Lock
  bool recheck = true;
  EtcdUnlock unlock = EtcdUnlock::by_name;
  EtcdUnlockRetry unlock_retry = EtcdUnlockRetry::none;
  bool heeds_session = false;
  bool shared_session = false;
  // A session for each Lock, which ends with it: one that fails revokes its lease, and an Unlock that is
  // answered does (jepsen-io/etcd, lock.clj).
  bool session_per_lock = false;
  EtcdToken token = EtcdToken::create_revision;
  void fields(FieldVisitor& v);
};

// Mutex.IsOwner: for the transaction of a workload that writes into etcd.  The hold's token must be the key's
// create revision.
EtcdCompare etcd_owner_guard(const Hold& hold);

class EtcdMutex final : public EtcdSessionLock {
 public:
  EtcdMutex(const LockContext& context, const EtcdMutexOptions& options);
  Task<Outcome<>> interrupted() override;    // "release lock key if wait failed": the context was cancelled
  Task<Outcome<>> force_release() override;  // etcdctl lease revoke, of the first key's lease

 private:
  Task<Acquired> lock(std::shared_ptr<EtcdSession> session, Duration patience) override;
  Task<Outcome<>> wait_in_line(std::shared_ptr<EtcdSession> session, EtcdRevision mine, Duration patience);
  Task<Outcome<bool>> look_for_own_key(Outcome<> waited);
  Task<Outcome<>> wait_deletes(EtcdRevision most_created);
  Task<Outcome<>> session_end(std::shared_ptr<EtcdSession> session);
  Task<Acquired> step_out(Acquired why);
  Task<Outcome<>> unlock(Hold hold) override;
  Task<Outcome<>> unlock_once(std::string key, EtcdRevision revision);
  static Task<void> unlock_until_answered(Host host, EtcdMutex* self, std::string key, EtcdRevision revision);

  std::string prefix_;
  EtcdMutexOptions options_;
  EtcdRevision my_revision_ = 0, header_ = 0;
  bool in_line_ = false;  // a Lock waits, and its key is known
};

std::string etcd_key_of(std::string_view prefix, EtcdLeaseId lease);  // prefix, and the lease's number in hexadecimal
// Waits until all keys of `prefix` that were created at `most_created` or before are deleted, watching the
// last one of them at a time (concurrency/key.go).
Task<Outcome<>> etcd_wait_deletes(Host host, Etcd& etcd, std::string prefix, EtcdRevision most_created,
                                  EtcdRevision* header);
// Waits until `key`, as it was at `revision`, has been deleted.
Task<Outcome<>> etcd_wait_delete(Host host, Etcd& etcd, std::string key, EtcdRevision revision);

}  // namespace picklock
