// The client of etcd, as a lock uses it: verbs that answer yes, no or unknown, and two kinds of streams.
//
//   const EtcdRange last = EtcdRange(etcd_prefix("door/")).last_created();
//   const auto reply = co_await etcd.range(last);
//
// An error reply is a refusal with Why::error and etcd's own words, unless it leaves open whether the
// request has taken effect, or will yet ("request timed out"): that is unknown.  A verb waits as long as
// the client is set to, or as its caller says; a local timeout ends the wait and not the request.
//
// The implementation does what clientv3 does unasked: it chooses endpoints, retries requests that may be
// repeated, sends renewals and resumes watches.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "sim/task/combinators.hpp"
#include "sim/task/etcd_values.hpp"
#include "sim/task/outcome.hpp"

namespace picklock {

// A stream of KeepAlive: the answered renewals of one lease, until it is closed.  It closes when the server
// says that the lease is gone, when the client has not heard of it for its TTL, and when its reader cancels
// it.  The reader does not learn which of these it was.
class EtcdKeepAlive {
 public:
  static constexpr std::size_t kRoom = 16;  // answers kept for a reader; more are dropped (lease.go)

  EtcdKeepAlive(const Host& host, EtcdLeaseId lease)
      : host_(host), lease_(lease), changed_(host, "a renewal"), closed_(host, "the end of renewals") {}
  const Host& host() const { return host_; }
  EtcdLeaseId lease() const { return lease_; }

  // The next answer; empty once the stream is closed.
  Task<std::optional<EtcdLeaseReply>> next();
  // The next answer without waiting; empty if there is none now.
  std::optional<EtcdLeaseReply> take();
  Event& closed() { return closed_; }  // set once, for good
  bool is_closed() const { return closed_.is_set(); }
  // The client gives the lease up here, on the local clock, unless another answer comes first.
  MonoTime deadline() const { return deadline_; }
  // The reader needs no more renewals; the client stops sending them on its behalf.
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

// A stream of Watch: events in the order of their revisions, none left out and none twice, across
// reconnections.  The server closes it (compacted, no leader), or its reader.
class EtcdWatch {
 public:
  EtcdWatch(const Host& host, EtcdWatchCreate what) : host_(host), what_(std::move(what)), changed_(host, "an event") {}
  const Host& host() const { return host_; }
  const EtcdWatchCreate& what() const { return what_; }

  // The next reply with events, or the last one, which is `cancelled`; empty once the stream is closed.
  Task<std::optional<EtcdWatchReply>> next();
  bool is_closed() const { return closed_; }
  void cancel();

  // --- by the client
  void offer(EtcdWatchReply reply);
  void close();
  void notify_cancel(Event* event) { cancelled_ = event; }  // null: no event

 private:
  Host host_;
  EtcdWatchCreate what_;
  bool closed_ = false;
  std::deque<EtcdWatchReply> replies_;
  Event changed_;
  Event* cancelled_ = nullptr;
};

// Outcome of a verb, from the answer to its call.
template <class Reply>
Outcome<Reply> etcd_outcome(Outcome<EtcdReply>&& answer);

// Awaitable result of a verb, to be awaited once: the outcome that the answer to its call means.
template <class Reply>
class [[nodiscard]] EtcdAnswer {
 public:
  explicit EtcdAnswer(Task<Outcome<EtcdReply>> asked) : asked_(std::move(asked)) {}

  class Awaiter : public Task<Outcome<EtcdReply>>::Awaiter {
   public:
    using Task<Outcome<EtcdReply>>::Awaiter::Awaiter;
    Outcome<Reply> await_resume() { return etcd_outcome<Reply>(std::move(*this->handle.promise().value)); }
  };
  Awaiter operator co_await() const& noexcept { return Awaiter(asked_.handle()); }

 private:
  Task<Outcome<EtcdReply>> asked_;
};

class Etcd {
 public:
  explicit Etcd(const Host& host) : host_(host) {}
  Etcd(const Etcd&) = delete;
  Etcd& operator=(const Etcd&) = delete;
  virtual ~Etcd() = default;
  const Host& host() const { return host_; }

  // A zero `timeout` stands for the client's own.
  EtcdAnswer<EtcdRangeReply> range(EtcdRange request, Duration timeout = {});
  EtcdAnswer<EtcdPutReply> put(EtcdPut request, Duration timeout = {});
  EtcdAnswer<EtcdDeleteReply> del(EtcdDelete request, Duration timeout = {});
  EtcdAnswer<EtcdTxnReply> txn(EtcdTxn request, Duration timeout = {});
  EtcdAnswer<EtcdDone> compact(EtcdRevision revision, Duration timeout = {});
  // `ttl` in whole seconds, rounded up; the server may give more: EtcdLeaseReply::ttl_s.
  EtcdAnswer<EtcdLeaseReply> grant(Duration ttl, Duration timeout = {});
  EtcdAnswer<EtcdLeaseReply> revoke(EtcdLeaseId lease, Duration timeout = {});
  EtcdAnswer<EtcdLeaseReply> time_to_live(EtcdLeaseId lease, bool keys, Duration timeout = {});
  Task<Outcome<EtcdLeaseReply>> keep_alive_once(EtcdLeaseId lease, Duration timeout = {});
  // The lock service (v3lock): the server queues on the caller's behalf, and leaves the queue after `timeout`;
  // zero: it waits for ever.
  Task<Outcome<EtcdLockReply>> lock(std::string name, EtcdLeaseId lease, Duration timeout = {});
  EtcdAnswer<EtcdLockReply> unlock(std::string key, Duration timeout = {});

  // Opening a stream always succeeds; errors arrive on it.
  virtual std::shared_ptr<EtcdKeepAlive> keep_alive(EtcdLeaseId lease) = 0;
  virtual std::shared_ptr<EtcdWatch> watch(EtcdWatchCreate what) = 0;

 protected:
  virtual Task<Outcome<EtcdReply>> call(EtcdCall&& request, Duration timeout) = 0;
  Host host_;
};

}  // namespace picklock
