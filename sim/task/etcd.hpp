// etcd, as a lock's code sees it: verbs that answer yes, no or unknown, and two kinds of streams.
//
//   const EtcdRange last = EtcdRange(etcd_prefix("door/")).last_created();
//   const auto reply = co_await etcd.range(last);
//
// An error reply is a refusal with Why::error and etcd's own words, unless it leaves open whether the
// request has taken effect, or will yet ("request timed out"): that is unknown.  A verb waits as long as
// the client is set to, or as its caller says; a local timeout ends the wait and not the request.
//
// The client behind it owns what clientv3 does unasked: choosing endpoints, retrying what may be retried,
// sending renewals, resuming watches.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "sim/task/combinators.hpp"
#include "sim/task/etcd_values.hpp"
#include "sim/task/outcome.hpp"

namespace picklock {

// What KeepAlive gives: the renewals of one lease that have been answered, until it is closed.  It is closed
// when the server says that the lease is gone, when the client has not heard of it for its TTL, and when
// its reader cancels it.  Nothing is told of why.
class EtcdKeepAlive {
 public:
  static constexpr std::size_t kRoom = 16;  // answers kept for a reader; more are dropped (lease.go)

  EtcdKeepAlive(const Host& host, EtcdLeaseId lease)
      : host_(host), lease_(lease), changed_(host, "a renewal"), closed_(host, "the end of renewals") {}
  const Host& host() const { return host_; }
  EtcdLeaseId lease() const { return lease_; }

  // The next answer; nothing: closed.
  Task<std::optional<EtcdLeaseReply>> next();
  // Likewise without waiting: nothing if there is none now.
  std::optional<EtcdLeaseReply> take();
  Event& closed() { return closed_; }  // set once, for good
  bool is_closed() const { return closed_.is_set(); }
  // On the local clock: the last answer was received so long ago that the client gives the lease up here.
  MonoTime deadline() const { return deadline_; }
  // By the reader: nobody renews the lease on this one's behalf any more.
  void cancel() { close(); }

  // --- by the client
  bool offer(EtcdLeaseReply reply, MonoTime deadline);  // false: no room, and it is dropped
  void set_deadline(MonoTime deadline) { deadline_ = deadline; }
  void close();

 private:
  Host host_;
  EtcdLeaseId lease_;
  MonoTime deadline_{};
  std::deque<EtcdLeaseReply> answers_;
  Event changed_, closed_;
};

// What Watch gives: events in the order of their revisions, none left out and none twice, over whatever
// reconnections; closed by the server (compacted, no leader) or by its reader.
class EtcdWatch {
 public:
  EtcdWatch(const Host& host, EtcdWatchCreate what) : host_(host), what_(std::move(what)), changed_(host, "an event") {}
  const Host& host() const { return host_; }
  const EtcdWatchCreate& what() const { return what_; }

  // The next reply with events, or the last one, which is `cancelled`; nothing: closed.
  Task<std::optional<EtcdWatchReply>> next();
  bool is_closed() const { return closed_; }
  void cancel();

  // --- by the client
  void offer(EtcdWatchReply reply);
  void close();
  void notify_cancel(Event* event) { cancelled_ = event; }  // null: nobody is

 private:
  Host host_;
  EtcdWatchCreate what_;
  bool closed_ = false;
  std::deque<EtcdWatchReply> replies_;
  Event changed_;
  Event* cancelled_ = nullptr;
};

class Etcd {
 public:
  explicit Etcd(const Host& host) : host_(host) {}
  Etcd(const Etcd&) = delete;
  Etcd& operator=(const Etcd&) = delete;
  virtual ~Etcd() = default;
  const Host& host() const { return host_; }

  // `timeout` zero: as the client is set to.
  Task<Outcome<EtcdRangeReply>> range(EtcdRange request, Duration timeout = {});
  Task<Outcome<EtcdPutReply>> put(EtcdPut request, Duration timeout = {});
  Task<Outcome<EtcdDeleteReply>> del(EtcdDelete request, Duration timeout = {});
  Task<Outcome<EtcdTxnReply>> txn(EtcdTxn request, Duration timeout = {});
  Task<Outcome<EtcdDone>> compact(EtcdRevision revision, Duration timeout = {});
  // `ttl` in whole seconds, rounded up; the server may give more: EtcdLeaseReply::ttl_s.
  Task<Outcome<EtcdLeaseReply>> grant(Duration ttl, Duration timeout = {});
  Task<Outcome<EtcdLeaseReply>> revoke(EtcdLeaseId lease, Duration timeout = {});
  Task<Outcome<EtcdLeaseReply>> time_to_live(EtcdLeaseId lease, bool keys, Duration timeout = {});
  Task<Outcome<EtcdLeaseReply>> keep_alive_once(EtcdLeaseId lease, Duration timeout = {});
  // The lock service (v3lock): the server queues up on the caller's behalf, and steps out after `timeout`; zero:
  // never.
  Task<Outcome<EtcdLockReply>> lock(std::string name, EtcdLeaseId lease, Duration timeout = {});
  Task<Outcome<EtcdLockReply>> unlock(std::string key, Duration timeout = {});

  // Opening a stream never fails; what goes wrong is heard on it.
  virtual std::shared_ptr<EtcdKeepAlive> keep_alive(EtcdLeaseId lease) = 0;
  virtual std::shared_ptr<EtcdWatch> watch(EtcdWatchCreate what) = 0;

 protected:
  virtual Task<Outcome<EtcdReply>> call(EtcdCall request, Duration timeout) = 0;
  Host host_;

 private:
  template <class Reply>
  Task<Outcome<Reply>> ask(EtcdCall request, Duration timeout);
};

}  // namespace picklock
