// A published Go lock on one key of etcd, whose Lock() gives back a channel.
//
//   Lock        grants a lease, starts the goroutine that keeps it alive; txn: if the key does not exist, put
//               it with the lease.  Taken: sends true; else starts `watch`
//   watch       from the transaction's revision on; at every deletion of the key the same transaction
//   keep-alive  reads the renewals until their channel is closed, by UnLock or by the client, then revokes
//   UnLock      cancels the context, and returns
//
// From:      a published comparison of Redis, etcd and ZooKeeper locks in Go, its EtcdLock; clientv3.
// Promises:  at most one holder, while the key's lease lives at the server.  No deletion goes unseen.
// Does not:  stop a holder whose lease has ended, or tell it; give tokens; keep an order: at each release
//            every waiter tries, so N waiters cost N transactions.
// Abandoned: `watch` goes on, takes the key in its turn and tells a channel without a listener, and
//            `keep-alive` renews it for as long as the process lives: a grant without a holder, for good.
//
// The defaults are what it was meant to be, a channel with room for each Lock().  preset = "as-published" is the
// listing as it stands; it does not show how `get` is made, and a plain make(chan bool) has no room.  Bugs of the
// code as written, each an option and a test:
//   get = "unbuffered"       Lock() waits for ever to send to itself, the key held and renewed
//   tells-loss = false       when the channel of renewals closes, for whatever reason, the lease is revoked at
//                            once, even if it is alive at the server, and the holder is not told
//   txn-error = "leaves"     an answer that stays away counts as false, and the lease is renewed on: if the
//                            transaction has taken effect, the key is held for the life of the process
//   watch-end = "ignored"    a watch that ends (compacted, no leader) is not looked at: the waiter hangs
//   watch-error = "panics"   `watch` sends false for a transaction that fails, and yet looks at its
//                            answer: nil, which ends the process, and with it all other holds and waits there;
//                            their leases, and the key if the transaction has taken effect, stay for a TTL
//   unlock-waits = false     UnLock returns before the lease is revoked, and does not ask whether it was
// Mistakes that it does not make, and others do:
//   watch-from = "now"       the watch begins when the server hears of it, not behind the transaction that found the
//                            key: a deletion in between is never seen, and the waiter hangs
//   drains = false           the renewals are not read: the client keeps 16 of them and drops the rest; clientv3 up to
//                            3.3.5 renews every 500 ms from then on, and not every third of the TTL
// and, without an option: a second Lock() on the object forgets the first one's context.  Left out: a lease
// client of its own for each call, never closed; the step that a caller who was told false may still take before
// the process ends.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/go_channel.hpp"
#include "algorithms/lock.hpp"
#include "algorithms/preset.hpp"
#include "sim/task/etcd.hpp"

namespace picklock {

enum class EtcdArticleGet : std::uint8_t { per_call, unbuffered };
constexpr auto enum_names(EtcdArticleGet) { return name_list("per-call", "unbuffered"); }

enum class EtcdArticleError : std::uint8_t { leaves, cancels };
constexpr auto enum_names(EtcdArticleError) { return name_list("leaves", "cancels"); }

enum class EtcdArticleWatchEnd : std::uint8_t { ignored, tries_again };
constexpr auto enum_names(EtcdArticleWatchEnd) { return name_list("ignored", "tries-again"); }

enum class EtcdArticleWatchError : std::uint8_t { panics, returns };
constexpr auto enum_names(EtcdArticleWatchError) { return name_list("panics", "returns"); }

enum class EtcdArticleWatchFrom : std::uint8_t { revision, now };
constexpr auto enum_names(EtcdArticleWatchFrom) { return name_list("revision", "now"); }

struct EtcdArticleOptions {
  ArticlePreset preset = ArticlePreset::as_meant;
  Duration ttl = seconds(10);          // `timeout`, in whole seconds
  Duration retry = milliseconds(100);  // pause before a caller who was told false calls Lock() again
  EtcdArticleGet get = EtcdArticleGet::per_call;
  bool tells_loss = false;
  EtcdArticleError txn_error = EtcdArticleError::leaves;
  EtcdArticleWatchEnd watch_end = EtcdArticleWatchEnd::ignored;
  EtcdArticleWatchError watch_error = EtcdArticleWatchError::panics;
  bool unlock_waits = false;
  EtcdArticleWatchFrom watch_from = EtcdArticleWatchFrom::revision;
  bool drains = true;
  static EtcdArticleOptions of(ArticlePreset preset);
  void fields(FieldVisitor& v);
};

class EtcdArticleLock final : public Lock {
 public:
  EtcdArticleLock(const LockContext& context, const EtcdArticleOptions& options);
  // A patience that ends is a select with time.After beside the channel: the Lock() itself goes on.
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;
  Event* lost() override { return options_.tells_loss ? &lost_ : nullptr; }

 private:
  struct Context {  // context of one Lock(); cancel() ends it
    explicit Context(const Host& host) : revoked(host, "the end of a lease") {}
    EtcdLeaseId lease = 0;
    std::shared_ptr<EtcdKeepAlive> renewals;
    std::shared_ptr<EtcdWatch> watch;
    bool cancelled = false, unknown = false;
    std::optional<Outcome<>> revocation;
    Event revoked;
    void cancel();
  };
  using ContextPointer = std::shared_ptr<Context>;
  using Get = std::shared_ptr<GoChannel<bool>>;

  Task<Nothing> lock(Get get, ContextPointer context);
  Task<Outcome<EtcdTxnReply>> try_to_put(EtcdLeaseId lease);
  static Task<void> keep_alive(Host host, EtcdArticleLock* self, ContextPointer context);
  static Task<void> watch(Host host, EtcdArticleLock* self, Get get, ContextPointer context, EtcdRevision revision);
  Task<bool> try_again(Get get, ContextPointer context);  // true: it is over
  Task<Nothing> fail(Get get, ContextPointer context, bool unknown);

  Etcd& etcd_;
  std::string name_;
  EtcdArticleOptions options_;
  ContextPointer context_;  // context of the last Lock()
  Event lost_;
};

}  // namespace picklock
