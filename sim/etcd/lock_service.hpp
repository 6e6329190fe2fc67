// The lock service of an etcd member (v3lock): it queues on its caller's behalf, with the mutex of clientv3.
//
//   EtcdLockService locks(service, loopback, {.rechecks = true});   // loopback: the member's way to itself
//   if (locks.handle(message, request)) …                           // answers when the lock is held, or never
//   locks.closed(connection);                                       // its callers have gone, and their keys go
//
// The caller renews its lease.  Without one the server grants 60 s, which are not renewed and run while the caller
// waits: it may get a lock whose lease is about to end.
//
// From:      etcd, server/etcdserver/api/v3lock/lock.go; client/v3/concurrency/{session,mutex}.go.
#pragma once

#include <map>
#include <memory>

#include "sim/core/service.hpp"
#include "sim/etcd/client.hpp"

namespace picklock {

struct EtcdLockServiceOptions {
  bool rechecks = true;  // checks whether its key has outlived the wait, as etcd does since 3.5 (etcd#11456)
};

class EtcdLockService {
 public:
  static constexpr Duration kOwnLease = seconds(60);

  EtcdLockService(const Service& service, Channel& loopback, const EtcdLockServiceOptions& options);

  // Returns false if the request is not for the lock service.
  bool handle(Message& message, const EtcdRequest& request);
  void closed(ConnectionId connection);

 private:
  struct Connection {  // connection of callers, who are told when it ends
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
