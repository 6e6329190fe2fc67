// concurrency.Session: a lease that a client keeps alive, and the news that it has ended.
//
// From:      etcd, client/v3/concurrency/session.go.
// Promises:  done() is set once the client takes the lease for lost: when the server says so, or when no
//            renewal has been answered for a TTL.
// Does not:  tell in time.  The client counts from the receipt of an answer and looks every second, so
//            the server may have ended the lease up to a second and a delay before; while the process is
//            stopped, it is not told at all.
#pragma once

#include <memory>
#include <optional>

#include "algorithms/lock.hpp"
#include "sim/task/etcd.hpp"

namespace picklock {

// Drops the value of an answer, for a caller that asked for something else.
template <class To = Nothing, class T>
Outcome<To> etcd_failure(const Outcome<T>& o) {
  return o.unknown() ? Outcome<To>::unknown_because(o.why()) : Outcome<To>::refusal(o.why(), o.error());
}

class EtcdSession {
 public:
  EtcdSession(const Host& host, Etcd& etcd, Duration ttl)
      : host_(host), etcd_(etcd), ttl_(ttl), done_(host, "the end of a session") {}
  const Host& host() const { return host_; }

  // Grants the lease and begins to renew it.  Asked once.
  static Task<Outcome<>> open(std::shared_ptr<EtcdSession> session, Host host);
  // Session.Close: renews no more and revokes the lease.
  Task<Outcome<>> close();
  // Renews no more; the lease ends by itself.
  void stop_renewing();
  bool alive() const { return lease_ != 0 && !done_.is_set(); }
  EtcdLeaseId lease() const { return lease_; }
  Event& done() { return done_; }
  std::optional<MonoTime> deadline() const;  // instant at which the client gives the lease up, as of its last answer

 private:
  static Task<void> drain(Host host, std::shared_ptr<EtcdSession> session);

  Host host_;
  Etcd& etcd_;
  Duration ttl_;
  EtcdLeaseId lease_ = 0;
  std::shared_ptr<EtcdKeepAlive> renewals_;
  Event done_;
};

// A lock's session: its own, or one that all locks of the process share.  One that has ended is replaced.
class EtcdSessionOwner {
 public:
  EtcdSessionOwner(const LockContext& context, Duration ttl, bool shared);
  const Host& host() const { return host_; }
  // A session that lives as far as the client knows; null: no lease could be had.
  Task<std::shared_ptr<EtcdSession>> session();
  const std::shared_ptr<EtcdSession>& current() const { return *place_; }
  void drop() { place_->reset(); }

 private:
  Host host_;
  Etcd& etcd_;
  Duration ttl_;
  std::shared_ptr<std::shared_ptr<EtcdSession>> place_;
};

// Sets a lock's lost() when the session of its hold ends.
class EtcdLossWatch {
 public:
  explicit EtcdLossWatch(const Host& host) : host_(host), lost_(host, "loss of the lock") {}
  void begin(std::shared_ptr<EtcdSession> session);  // begins a new hold
  void end() { ++hold_; }                            // it is being released
  Event* event() { return &lost_; }

 private:
  static Task<void> tell(Host host, EtcdLossWatch* self, std::shared_ptr<EtcdSession> session, std::uint64_t hold);

  Host host_;
  Event lost_;
  std::uint64_t hold_ = 0;
};

}  // namespace picklock
