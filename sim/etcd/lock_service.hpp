// v3lock: the server queues up on its caller's behalf, with the mutex of its own client library.
//
//   EtcdLockService locks(service, loopback, {.rechecks = true});   // loopback: the member's way to itself
//   if (locks.handle(message, request)) …                           // answers when the lock is held, or never
//   locks.closed(connection);                                       // its callers are gone, their keys go
//
// The caller's lease is the caller's to renew.  Without one the server grants 60 s, which nobody renews and
// which run while the caller waits: it may be granted a lock whose lease is about to end.
//
// From:      etcd, server/etcdserver/api/v3lock/lock.go; client/v3/concurrency/{session,mutex}.go.
#pragma once

#include <map>
#include <memory>

#include "sim/core/service.hpp"
#include "sim/etcd/client.hpp"

namespace picklock {

struct EtcdLockServiceOptions {
  bool rechecks = true;  // from 3.5 on, and not up to 3.4: whether its key has outlived the wait (etcd#11456)
};

class EtcdLockService {
 public:
  static constexpr Duration kOwnLease = seconds(60);

  EtcdLockService(const Service& service, Channel& loopback, const EtcdLockServiceOptions& options);

  // False: the request is none of its business.
  bool handle(Message& message, const EtcdRequest& request);
  void closed(ConnectionId connection);

 private:
  struct Connection {  // of callers; they are told when it ends
    explicit Connection(const Host& host) : ended(host, "a caller's end") {}
    Event ended;
  };
  static Task<void> serve_lock(Host host, EtcdLockService* self, std::shared_ptr<Message> request, EtcdLockCall call,
                               std::shared_ptr<Connection> caller);
  static Task<void> serve_unlock(Host host, EtcdLockService* self, std::shared_ptr<Message> request,
                                 EtcdUnlockCall call);
  static Task<EtcdReply> lock(Host host, EtcdLockService* self, EtcdLockCall call, std::string* key);
  static Task<Outcome<EtcdHeader>> wait_deletes(Host host, EtcdLockService* self, std::string prefix,
                                                EtcdRevision most_created);
  std::shared_ptr<Connection> connection(ConnectionId id);

  Service service_;
  EtcdClient etcd_;
  EtcdLockServiceOptions options_;
  std::map<ConnectionId, std::shared_ptr<Connection>> callers_;
};

}  // namespace picklock
