// A published Java lock, ZKLock: ephemeral sequential nodes below /lock, a latch for the one before.
//
//   lock      tryLock() or waitLock()
//   tryLock   create(/lock/lock_, ephemeral sequential); list and sort; the first: true
//   waitLock  exists(the one before, this watcher): not there: false; else a latch, which NodeDeleted
//             counts down, and then: true
//   unlock    exists(own node): delete it
//
// From:      a published description of locks with Redis and ZooKeeper in Java (the plain ZooKeeper client).
// Promises:  what its repaired twin keeps: one owner at a time among living sessions, first come, first served.
// Does not:  stop a holder whose session has expired without its knowledge; even repaired, see `reaction`.
// Abandoned: its node stays until the session ends; all others queue behind it.
//
// The defaults are what was published; `zk-lock-repaired` repairs every one of them:
//   on-wake = "returns-true"        it does not list again: the one before may have died while it waited
//   predecessor-gone = "returns-false"  it was there when listed, gone at exists: lock() fails, its node
//                                   stays, and becomes an owner without a client
//   latch = "after-watch"           an event before the latch is there is ignored; it waits for ever
//   events = "node-deleted"         Disconnected and Expired are ignored: a waiter hangs, a holder is not told
//   errors = "swallowed"            a failed tryLock() goes on to wait for /locknull, or for the last predecessor
//   guid = false                    a create whose answer is lost leaves a node that no client knows
//   order = "text"                  after 2147483647 the newest sorts first, since '-' stands before '0'; "number"
//                                   is no better there, "wrapped-number" is
//   root = "one"                    (not the default) /lock is a constant: locks of all names are one lock, and who
//                                   holds one and asks for another waits behind itself
//   object = "shared"               (not the default) all threads use one object, with one node and one latch
//   unlock-errors = "swallowed"     a node that could not be deleted stays until the session ends
// and, without an option: a listing in which its own node is missing throws (index -2); no wait is bounded:
// a patience that ends is Thread.interrupt(), caught, printed, and lock() returns false, the node stays.
// Left out:  /lock itself, which has to be there beforehand: it is made.
#pragma once

#include "algorithms/zookeeper/zk_process.hpp"

namespace picklock {

enum class ZkOnWake : std::uint8_t { returns_true, lists_again };
constexpr auto enum_names(ZkOnWake) { return name_list("returns-true", "lists-again"); }

enum class ZkArticleGone : std::uint8_t { returns_false, lists_again };
constexpr auto enum_names(ZkArticleGone) { return name_list("returns-false", "lists-again"); }

enum class ZkLatch : std::uint8_t { after_watch, before_watch };
constexpr auto enum_names(ZkLatch) { return name_list("after-watch", "before-watch"); }

enum class ZkEvents : std::uint8_t { node_deleted, all };
constexpr auto enum_names(ZkEvents) { return name_list("node-deleted", "all"); }

enum class ZkErrors : std::uint8_t { swallowed, reported };
constexpr auto enum_names(ZkErrors) { return name_list("swallowed", "reported"); }

enum class ZkObject : std::uint8_t { per_client, shared };
constexpr auto enum_names(ZkObject) { return name_list("per-client", "shared"); }

// The directory of a lock's nodes.
enum class ZkRoot : std::uint8_t {
  of_the_name,  // /NAME
  one           // /lock
};
constexpr auto enum_names(ZkRoot) { return name_list("of-the-name", "one"); }

enum class ZkUnlockErrors : std::uint8_t { swallowed, retried };
constexpr auto enum_names(ZkUnlockErrors) { return name_list("swallowed", "retried"); }

struct ZkArticleOptions {
  Duration session = seconds(10);  // asked for; a server grants 2 to 20 of its ticks
  ZkReaction reaction = ZkReaction::ignores;
  ZkOnWake on_wake = ZkOnWake::returns_true;
  ZkArticleGone predecessor_gone = ZkArticleGone::returns_false;
  ZkLatch latch = ZkLatch::after_watch;
  ZkEvents events = ZkEvents::node_deleted;
  ZkErrors errors = ZkErrors::swallowed;
  bool guid = false;
  ZkNameOrder order = ZkNameOrder::text;
  ZkRoot root = ZkRoot::of_the_name;
  ZkObject object = ZkObject::per_client;
  ZkUnlockErrors unlock_errors = ZkUnlockErrors::swallowed;
  void fields(FieldVisitor& v);
  static ZkArticleOptions repaired();
};

class ZkArticleLock final : public Lock {
 public:
  ZkArticleLock(const LockContext& context, const ZkArticleOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Event* lost() override { return options_.reaction == ZkReaction::ignores ? nullptr : &holder_->lost; }

 private:
  enum class Said : std::uint8_t { yes, no, thrown, anew, interrupted };
  // The object of the article: its fields, and itself as the watcher.
  struct Object {
    Object(const Host& host, ZkEvents e) : watcher(host, "the one before it"), events(e) {}
    ZooWatcher watcher;
    ZkEvents events;
    std::shared_ptr<Event> latch;
    std::string wait_node = "null", current_node;
    std::optional<std::int64_t> czxid;
    std::string guid;
  };
  struct Shared {  // object that all threads of a process use
    std::shared_ptr<Object> object;
  };
  static std::shared_ptr<Object> object_of(const LockContext& context, const ZkArticleOptions& options);
  static Task<void> process(Host host, std::shared_ptr<Object> object);  // the event thread

  Task<Said> try_lock(Patience* patience);
  Task<Said> wait_lock(Patience* patience);
  Task<Said> list(Patience* patience);
  Task<Said> create(Patience* patience);
  Task<bool> find(std::string guid);
  Task<Said> failed(ZooCode code, Patience* patience);  // reported: yes, to try again
  Task<bool> await_latch(std::shared_ptr<Event> latch, Patience patience);
  bool before(const std::string& a, const std::string& b) const;
  Task<void> remove_in_background(std::string path);
  Task<Outcome<>> remove(ZooKeeper zk, std::string path);

  ZkProcess& process_;
  ZkArticleOptions options_;
  std::string root_;
  std::shared_ptr<ZkHolder> holder_;
  std::shared_ptr<Object> object_;
  ZooKeeper zk_;
  bool swallowed_ = false;  // the last listing was none
};

}  // namespace picklock
