// What a lock looks like to a workload, and what a lock says of itself.
//
// A lock object belongs to one client, that is one thread of one process, and to one name (a
// multi-lock: to several).  It serves one hold at a time and lives as long as the client's process:
// tasks of its own may refer to it.  A reentrant lock may be acquired again by the client that holds
// it; it is then released as often, the inner acquisitions belong to the same hold, and acquire
// gives the hold anew, with its newest token and deadline.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms/locals.hpp"
#include "sim/task/combinators.hpp"
#include "sim/task/fields.hpp"
#include "sim/task/host.hpp"
#include "sim/task/outcome.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

class Etcd;
class ZooConnector;

// What a successful acquire gives to its caller.
struct Hold {
  Hold() = default;
  explicit Hold(std::string v) : value(std::move(v)) {}
  std::string value;                  // what proves the ownership to the service
  std::optional<std::int64_t> token;  // fencing token, if the lock issues one
  std::optional<MonoTime> deadline;   // local: the lease, as granted, is over from here on
};

// The answer to an acquire.  `unknown`: not granted as far as the client knows, but some attempt
// may have taken effect, or may yet.
using Acquired = Outcome<Hold>;

// How long an acquire keeps trying.  A copy is one acquire's own.
class Patience {
 public:
  static Patience unlimited(const Host& host) { return {host, std::nullopt}; }
  static Patience lasting(const Host& host, Duration d) { return {host, host.monotonic_now() + d}; }
  static Patience one_attempt(const Host& host) { return lasting(host, Duration{}); }

  // True once no further attempt may be begun.  Asked once before each; the first is always free.
  bool over();
  Duration remaining() const;  // never negative; kForever without limit
  // Sleeps for `d`, but not beyond the end.
  auto pause(Duration d) const { return host_.sleep(d < remaining() ? d : remaining()); }

  // An attempt may have taken effect although nobody was told.
  void note_unknown() { unknown_ = true; }
  // What an acquire answers that has run out of patience: unknown if any attempt was.
  Acquired exhausted() const { return unknown_ ? Acquired::unknown_because(Why::timed_out) : Acquired::refusal(); }

 private:
  Patience(const Host& host, std::optional<MonoTime> until) : host_(host), until_(until) {}

  Host host_;
  std::optional<MonoTime> until_;
  bool begun_ = false;
  bool unknown_ = false;
};

class Lock {
 public:
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  virtual ~Lock() = default;

  // May be abandoned at any suspension: then nothing more is sent, and what has been sent may still
  // take effect at the service, as a grant that nobody receives.
  virtual Task<Acquired> acquire(Patience patience) = 0;
  // yes: given back; refused: it was no longer ours; unknown: it may still be held at the service.
  virtual Task<Outcome<>> release(Hold hold) = 0;
  // Ends whatever hold there is, whosever it is, as an operator's tool does.  yes: something was
  // ended; refused: nothing was held, or the lock knows no such command.
  virtual Task<Outcome<>> force_release();
  // Prolongs the hold by one lease from now.  yes: with the new local deadline; refused for
  // Why::refused: it is no longer ours, or the lock cannot do that.
  virtual Task<Outcome<MonoTime>> extend(Hold hold);
  // The local deadline as it now stands, extensions included; nothing: the hold does not end.
  virtual std::optional<MonoTime> deadline(const Hold& hold) const { return hold.deadline; }
  // Set when the algorithm itself finds out that the current hold has ended, until the next grant;
  // null if it never does.
  virtual Event* lost() { return nullptr; }

  const Host& host() const { return host_; }

 protected:
  explicit Lock(const Host& host) : host_(host) {}
  Host host_;
};

// --- what a lock says of itself

struct Claims {
  bool mutual_exclusion = true;
  bool token = false;  // issues fencing tokens that grow from grant to grant
  bool reentrant = false;
  bool fair = false;               // grants in the order of arrival
  bool shared = false;             // has read holds
  bool renewing = false;           // prolongs its lease by itself, or can be told to by an option
  bool loss_notification = false;  // lost() is set; with an option at least
  bool frees_after_crash = true;   // a dead holder's lock becomes free by itself
  bool releases_only_own = true;   // never ends another's hold, and ends its own as it says
  bool renews_only_own = true;     // never prolongs one
};

// The rule by which a judge reads from the servers which hold owns the lock.  With several
// independent servers, the holds that more than half of them name own it; with replicas, what
// counts is each server that is a master.
enum class Ownership : std::uint8_t {
  redis_key,           // whoever's command made the key exist owns it while it exists
  redis_stamp,         // as above, and a GETSET that replaced an expired stamp takes ownership over
  redis_fields,        // the key is a hash: whoever's command made a field exist owns it while that exists;
                       // a number in it counts acquisitions; the field "mode" is "read" while owners share
  redis_timed_fields,  // as above, and each count may have a timer: a key that the same command sets right
                       // after counting up.  An owner with timers is promised until the last of them, not
                       // until the hash ends; once they have run out, who clears it away takes nothing
  // Of an etcd cluster, read from what its members apply (sim/etcd/inspect.hpp):
  etcd_key,         // whoever created the key owns it while it exists
  etcd_first,       // of the keys in the directory that is the lock's name, the one created first
  etcd_read_write,  // likewise of name/read and name/write together, where read holds share
  etcd_record,      // whoever created or changed the key last, until it is emptied or deleted; promised for
                    // one lease from then on
  // Of a ZooKeeper ensemble (sim/zookeeper/inspect.hpp); a name without a leading / stands below the root:
  znode,             // whoever created the znode owns it while it exists
  znode_first,       // of its children, that with the lowest number, or else the oldest
  znode_read_write,  // likewise, where read holds share
  znode_permits      // of the children of its child `leases`, the first so many: LockKind::permits
};

// Whom a lock asks.
enum class LockService : std::uint8_t { redis, etcd, zookeeper };

// How a client wants to hold: alone, or beside others that want the same.
enum class Sharing : std::uint8_t { exclusive, shared };

// A condition on the executed run under which a lock's claims are safe; see checker/properties.
struct AssumptionOf {
  std::string_view name;       // an entry of the checker's table of assumptions
  std::string_view parameter;  // the option that bounds it ("ttl"), or empty: then the bound is 0
  std::int64_t divisor = 1;    // the bound is the option divided by this
};

// All that a lock may reach.  Services that a lock does not use may be absent.
struct LockContext {
  Host host;
  std::string_view name;         // of the lock: the key
  std::span<const Redis> redis;  // one for each independent server
  // The same servers on connections of their own, for publish/subscribe; LockKind::subscribes.
  std::span<const Redis> subscriptions = {};
  Etcd* etcd = nullptr;               // the process's client of the cluster, if the lock's service is that
  ZooConnector* zookeeper = nullptr;  // the process's way to the ensemble; one handle is usual for all threads
  ProcessLocals* process = nullptr;   // shared by all threads of the client's process
  std::uint32_t thread = 1;           // 1, 2, …: which of them
  std::span<const std::string_view> names = {};  // of a multi-lock; else empty
  Sharing sharing = Sharing::exclusive;

  // What stands for "one of several names" and "the only one" alike.
  std::span<const std::string_view> all_names() const { return names.empty() ? std::span(&name, 1) : names; }
};

// One line of the table in locks.cpp.
struct LockKind {
  std::string_view name;     // "set-nx-px"
  std::string_view summary;  // one line
  std::string_view source;   // where the algorithm comes from
  Claims claims;
  LockService service = LockService::redis;
  Ownership ownership = Ownership::redis_key;
  std::span<const AssumptionOf> assumptions;
  std::uint32_t redis_servers = 1;  // so many independent ones are needed, unless `servers` says more
  bool subscribes = false;          // needs LockContext::subscriptions
  bool several_names = false;       // serves several names at once: a multi-lock
  std::unique_ptr<Options> (*default_options)() = nullptr;
  // `options` must be of the type that default_options gives.
  std::unique_ptr<Lock> (*make)(const LockContext&, const Options& options) = nullptr;
  // The longest time for which one grant is promised without renewal; nothing: for ever.
  std::optional<Duration> (*lease)(const Options& options) = nullptr;
  // How many independent servers, if the options decide that.
  std::uint32_t (*servers)(const Options& options) = nullptr;
  // How many may hold it at a time, if that is not one; Ownership::znode_permits.
  std::int64_t (*permits)(const Options& options) = nullptr;
};

std::span<const LockKind> lock_kinds();
const LockKind* find_lock_kind(std::string_view name);
// For a program with a lock of its own: call it at the start of main, before any scenario is read.
// False if there is a lock of that name already.  What `kind` refers to must outlive the program's runs.
bool add_lock_kind(const LockKind& kind);

// The scripts that the locks send by name; a simulated server must know them.
std::span<const RedisScript* const> redis_scripts();

}  // namespace picklock
