// The interface of a lock for workloads, and a lock's description of itself.
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
#include "algorithms/reach.hpp"
#include "base/lease_text.hpp"
#include "sim/task/combinators.hpp"
#include "sim/task/fields.hpp"
#include "sim/task/host.hpp"
#include "sim/task/outcome.hpp"

namespace picklock {

// Result of a successful acquire, for its caller.
struct Hold {
  Hold() = default;
  explicit Hold(std::string v) : value(std::move(v)) {}
  std::string value;                  // proof of ownership for the service
  std::optional<std::int64_t> token;  // fencing token, if the lock issues one
  std::optional<MonoTime> deadline;   // local: the lease, as granted, is over from here on
};

// The answer to an acquire.  `unknown`: not granted as far as the client knows, but some attempt
// may have taken effect, or may yet.
using Acquired = Outcome<Hold>;

// Length of an acquire's attempts.  Each acquire has its own copy.
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

  // An attempt may have taken effect without an answer.
  void note_unknown() { unknown_ = true; }
  // Answer of an acquire that has run out of patience: unknown if any attempt was.
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
  // take effect at the service, as a grant that no client receives.
  virtual Task<Acquired> acquire(Patience patience) = 0;
  // Cleans up after an acquire whose thread is interrupted, or whose context is cancelled: called once the acquire was
  // abandoned.  yes: nothing of it is left at the service; unknown: something may be, or may come yet; refused: the
  // library cleans nothing up.
  virtual Task<Outcome<>> interrupted();
  // yes: given back; refused: it was no longer ours; unknown: it may still be held at the service.
  virtual Task<Outcome<>> release(Hold hold) = 0;
  // Ends any hold, of any client, as an operator's tool does.  yes: one was
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
  // True if the lock's own code catches an error of the critical section, and tells its caller of a success.
  virtual bool swallows_errors() const { return false; }

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
  bool shared = false;             // the lock has read holds
  bool renewing = false;           // prolongs its lease by itself as long as its holder works: see LockKind::renews
  bool loss_notification = false;  // lost() is set; with an option at least
  bool frees_after_crash = true;   // a dead holder's lock becomes free by itself
  bool releases_only_own = true;   // a release never ends another's hold, and ends its own once it says so
  bool renews_only_own = true;     // a renewal never prolongs another's hold
  bool serves_waiters = true;      // every waiter gets its turn while enough servers run and no watched one goes dark
};

// Wish of a client: to hold alone, or beside others that want the same.
enum class Sharing : std::uint8_t { exclusive, shared };

// A condition on the executed run under which a lock's claims are safe; see checker/properties.
struct AssumptionOf {
  std::string_view name;  // an entry of the checker's table of assumptions
  // The option that bounds it ("ttl"), or empty: then the bound is 0. A lease that is not given bounds nothing, so the assumption
  // falls away; any other option that is not there, or not given, is the client's request timeout.
  std::string_view parameter;
  std::int64_t divisor = 1;  // the bound is the option divided by this
  // The claims that need it, with spaces between them: "releases tokens", or "usual releases". Empty: the usual ones, which the
  // checker's table says. A release or a renewal by a script that compares usually needs no bound of pauses, delays and clocks.
  std::string_view needed_by{};
  std::string_view place{};  // "my_lock.lua:7": where a file says it; empty: a program does
};

// End of a hold by time alone, and the reaction of users to it.  Scenarios say `lease` and `on-loss` of any lock.
struct LeaseTerms {
  std::string_view what{};      // "TTL of the key"; empty: nothing ends a hold by time
  std::string_view option{};    // option that sets its length
  Duration unit{1'000'000};     // the library passes on whole units,
  bool rounds_up = false;       // true: adds one unit for the rest; false: drops it
  std::string_view usually{};   // the usual reaction of users to a loss
  std::string_view reaction{};  // option that decides whether a holder hears of a loss; empty: always, or never
  std::string_view on_stop{}, on_ignore{};  // its values
};

// All that a lock gets when it is made.
struct LockContext {
  Host host;
  std::string_view name;                         // name of the lock: the key
  Reach reach = {};                              // the services that the client's process can reach
  ProcessLocals* process = nullptr;              // shared by all threads of the client's process
  std::uint32_t thread = 1;                      // number of the thread: 1, 2, …
  std::span<const std::string_view> names = {};  // names of a multi-lock; else empty
  Sharing sharing = Sharing::exclusive;
  std::string* failure = nullptr;  // gets the error of a lock whose code cannot go on, unless it has one already

  template <class T>
  T& get() const {
    return reach.get<T>();
  }
  // One view for "one of several names" and "the only one".
  std::span<const std::string_view> all_names() const { return names.empty() ? std::span(&name, 1) : names; }
};

// Stands in LockKind::key for the name that a client asks for.
inline constexpr std::string_view kLockName = "{name}";

// One line of the table in locks.cpp.
struct LockKind {
  std::string_view name;     // "set-nx-px"
  std::string_view summary;  // one line
  std::string_view source;   // source of the algorithm
  Claims claims;
  std::string_view service;    // name of the service that the lock asks
  std::string_view ownership;  // name of the rule by which that service's judge tells the owner
  // The key, path or prefix at which the rule looks, as in "lock:{name}".
  std::string_view key = kLockName;
  std::span<const AssumptionOf> assumptions;
  std::uint32_t independent_servers = 1;  // number of servers, which share nothing; `servers` may say more
  bool subscribes = false;                // needs connections for subscriptions beside those for requests
  bool several_names = false;             // serves several names at once: a multi-lock
  std::unique_ptr<Options> (*default_options)() = nullptr;
  // `options` must be of the type that default_options gives.
  std::unique_ptr<Lock> (*make)(const LockContext&, const Options& options) = nullptr;
  // The longest time for which one grant is promised without renewal; nothing: for ever.
  std::optional<Duration> (*lease)(const Options& options) = nullptr;
  LeaseTerms terms = {};
  // Whether it prolongs its lease by itself for as long as its holder works, if the options decide that. It then answers for the
  // time between its renewals, and only what interrupts them is assumed to be short.
  bool (*renews)(const Options& options) = nullptr;
  // The shortest time for which one grant is promised, if options shorten the time that its terms name.
  std::optional<Duration> (*shortest_lease)(const Options& options) = nullptr;
  // Number of independent servers, if the options decide that.
  std::uint32_t (*servers)(const Options& options) = nullptr;
  // Number of holders at a time, if that is not one.
  std::int64_t (*permits)(const Options& options) = nullptr;
  // Time for which its queue waits for each client that may be dead; null: at most a session of that client, if any.
  std::optional<Duration> (*waits_for_dead)(const Options& options) = nullptr;
  // The lease in its data, where the rule of ownership asks for one.
  DataLease (*data_lease)(const Options& options) = nullptr;
  // True if it serves its waiters, as it claims, if the options decide that.
  bool (*serves_waiters)(const Options& options) = nullptr;
  std::string_view service_place{}, ownership_place{};  // "my_lock.lua:4": where a file says it; empty: a program does
};

inline std::int64_t permits_of(const LockKind& kind, const Options& options) {
  return kind.permits == nullptr ? 1 : kind.permits(options);
}

inline DataLease data_lease_of(const LockKind& kind, const Options& options) {
  return kind.data_lease == nullptr ? DataLease{} : kind.data_lease(options);
}

// The key at the service of the lock of this name.
std::string service_key(const LockKind& kind, std::string_view lock_name);

inline bool serves_waiters(const LockKind& kind, const Options& options) {
  return kind.claims.serves_waiters && (kind.serves_waiters == nullptr || kind.serves_waiters(options));
}

inline bool renews(const LockKind& kind, const Options& options) {
  return kind.claims.renewing && (kind.renews == nullptr || kind.renews(options));
}

std::span<const LockKind> lock_kinds();
std::span<const std::string_view> lock_kind_names();  // names include those of locks from files
const LockKind* find_lock_kind(std::string_view name);
// For a program with a lock of its own: call it at the start of main, before any scenario is read.
// False if there is a lock of that name already, or no room for more.  Its referents must outlive the program's runs.
bool add_lock_kind(const LockKind& kind);
// The same for a lock that a file describes: it is found by its name, and is no line of the table.
bool add_lock_of_file(const LockKind& kind);

}  // namespace picklock
