// own-fenced-lock, on one Redis server: fencing tokens, a lease that is renewed, and scripts of its own.
//
// Promises:  at most one unexpired lease per name, and tokens that grow, while the server keeps its data and its clock.
// Does not:  stop a holder that wakes after its lease has expired: the storage refuses its old token.
#include "own_fenced_lock.hpp"

#include "algorithms/lock.hpp"
#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "algorithms/redis/redis_servers.hpp"
#include "algorithms/redis/renewal.hpp"

using namespace picklock;

namespace {

// Scripts without a body in C++ run as Lua in the simulated server.
const RedisScript kTake = {"own-take", R"lua(
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return false end
return redis.call('INCR', KEYS[2])
)lua"};

const RedisScript kProlong = {"own-prolong", R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
)lua"};

const RedisScript kRelease = {"own-release", R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
)lua"};

struct OwnFencedOptions {
  Duration ttl = milliseconds(300);
  PollingOptions polling{.on_unknown = OnUnknown::undo};

  void fields(FieldVisitor& v) {
    v.field({.name = "ttl", .help = "lease that the server grants", .least = 1'000'000}, ttl);
    polling.fields(v);
  }
};

class OwnFencedLock final : public PollingLock {
 public:
  OwnFencedLock(const LockContext& context, const OwnFencedOptions& options)
      : PollingLock(context.host, options.polling),
        redis_(context.get<RedisServers>()[0]),
        name_(context.name),
        counter_(name_ + ":token"),
        ttl_(options.ttl),
        ms_(std::to_string(ttl_.ms())),
        renewal_(*this, IfRefused::stop_and_tell) {}

  Event* lost() override { return &renewal_.lost(); }

  Task<Outcome<MonoTime>> extend(Hold hold) override {
    const MonoTime due = host_.monotonic_now() + ttl_;
    const RedisCommand command = kProlong.call({name_}, {hold.value, ms_});  // g++ 12 takes no list in a co_await
    const auto reply = co_await redis_.command(command);
    const Outcome<> extended = yes_if_one(reply);
    if (!extended.yes()) co_return passed_on<MonoTime>(extended);
    prolong(hold, due);
    co_return Outcome<MonoTime>::of(due);
  }

  Task<Outcome<>> release(Hold hold) override {
    renewal_.end();
    const RedisCommand command = kRelease.call({name_}, {hold.value});
    const auto reply = co_await redis_.command(command);
    co_return yes_if_one(reply);
  }

 private:
  Hold propose() override {
    Hold hold(owner_value(host_));
    hold.deadline = host_.monotonic_now() + ttl_;
    return hold;
  }

  Task<Acquired> take(Hold proposed) override {
    const RedisCommand command = kTake.call({name_, counter_}, {proposed.value, ms_});
    const auto reply = co_await redis_.command(command);
    if (!reply.yes()) co_return passed_on<Hold>(reply);
    if (reply.value().is_nil()) co_return Acquired::refusal();
    proposed.token = reply.value().integer();
    co_return Acquired::of(proposed);
  }

  void granted(const Hold& hold) override { renewal_.begin(hold, ttl_ / 3); }

  Redis redis_;
  std::string name_, counter_;
  Duration ttl_;
  std::string ms_;
  Renewal renewal_;
};

// A third of the lease goes by between two renewals; what interrupts them must leave some of the rest. A SET that is given up
// and arrives after the release of a later attempt leaves the key behind: returns need requests in time. Releases, renewals and
// tokens need no bound of pauses and delays.
constexpr AssumptionOf kAssumptions[] = {{"pauses-shorter-than", "ttl", 2},
                                         {"delays-shorter-than", "ttl", 2},
                                         {"interruptions-shorter-than", "ttl", 2},
                                         {"clock-rates-within", ""},
                                         {"clock-steps-below", ""},
                                         {"no-data-loss", ""},
                                         {"no-failovers", ""},
                                         {"delays-shorter-than", "request-timeout", 1, "returns"}};

}  // namespace

void add_own_fenced_lock() {
  add_lock_kind({
      .name = "own-fenced-lock",
      .summary = "SET NX PX and INCR in one script; renewed every third of a lease",
      .source = "this project",
      .claims = {.token = true, .renewing = true, .loss_notification = true},
      .service = "redis",
      .ownership = "redis-key",
      .assumptions = kAssumptions,
      .default_options = []() -> std::unique_ptr<Options> { return std::make_unique<OptionsOf<OwnFencedOptions>>(); },
      .make = [](const LockContext& context, const Options& options) -> std::unique_ptr<Lock> {
        return std::make_unique<OwnFencedLock>(context, options.as<OwnFencedOptions>());
      },
      .lease = [](const Options& options) { return std::optional(options.as<OwnFencedOptions>().ttl); },
      .terms = {.what = "TTL of the key", .option = "ttl"},
  });
}
