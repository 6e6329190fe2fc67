// own-lock, on one Redis server.
//
// Promises:  at most one unexpired lease per name, while the server keeps its data and its clock.
// Does not:  stop a holder that wakes after its lease has expired.
#include "own_lock.hpp"

#include "algorithms/lock.hpp"
#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "algorithms/redis/redis_servers.hpp"

using namespace picklock;

namespace {

// A field is a key of scenario files, and of --set: lock.ttl=200ms.
struct OwnLockOptions {
  Duration ttl = milliseconds(300);
  PollingOptions polling{.on_unknown = OnUnknown::undo};

  void fields(FieldVisitor& v) {
    v.field({.name = "ttl", .help = "lease that the server grants", .least = 1'000'000}, ttl);
    polling.fields(v);
  }
};

// PollingLock asks again and again until patience is over; it needs one attempt and its reverse.
class OwnLock final : public PollingLock {
 public:
  OwnLock(const LockContext& context, const OwnLockOptions& options)
      : PollingLock(context.host, options.polling),
        redis_(context.get<RedisServers>()[0]),
        name_(context.name),
        ttl_(options.ttl) {}

  // Every answer is yes, refused or unknown.  One co_await a line, and its result has a name.
  Task<Outcome<>> release(Hold hold) override {
    const Outcome<> deleted = co_await delete_if_equals(redis_, name_, hold.value);
    co_return deleted;
  }

 private:
  Hold propose() override {
    Hold hold(owner_value(host_));                 // a random value: proves whose the key is
    hold.deadline = host_.monotonic_now() + ttl_;  // counted from the question, not from the answer
    return hold;
  }

  Task<Acquired> take(Hold proposed) override {
    const auto set = co_await redis_.set_nx_px(name_, proposed.value, ttl_);
    if (!set.yes()) co_return passed_on<Hold>(set);
    co_return Acquired::of(proposed);
  }

  Redis redis_;
  std::string name_;
  Duration ttl_;
};

// Under these conditions the lock claims to be safe: `picklock list assumptions`.  The last one is needed by returns alone: a
// SET that is given up, and arrives after the release of a later attempt, leaves the key behind.
constexpr AssumptionOf kAssumptions[] = {{"pauses-shorter-than", "ttl"},
                                         {"delays-shorter-than", "ttl"},
                                         {"beliefs-shorter-than", "ttl"},
                                         {"clock-rates-within", ""},
                                         {"clock-steps-below", ""},
                                         {"no-data-loss", ""},
                                         {"no-failovers", ""},
                                         {"delays-shorter-than", "request-timeout", 1, "returns"}};

}  // namespace

void add_own_lock() {
  add_lock_kind({
      .name = "own-lock",
      .summary = "SET NX PX with a random value; compare-and-delete",
      .source = "this project",
      .claims = {.mutual_exclusion = true, .frees_after_crash = true, .releases_only_own = true},
      .service = "redis",
      .ownership = "redis-key",
      .assumptions = kAssumptions,
      .default_options = []() -> std::unique_ptr<Options> { return std::make_unique<OptionsOf<OwnLockOptions>>(); },
      .make = [](const LockContext& context, const Options& options) -> std::unique_ptr<Lock> {
        return std::make_unique<OwnLock>(context, options.as<OwnLockOptions>());
      },
      .lease = [](const Options& options) { return std::optional(options.as<OwnLockOptions>().ttl); },
      .terms = {.what = "TTL of the key", .option = "ttl"},
  });
}
