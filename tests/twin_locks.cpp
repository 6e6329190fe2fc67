#include "tests/twin_locks.hpp"
#include "algorithms/redis/redis_servers.hpp"

#include "algorithms/kinds.hpp"
#include "algorithms/redis/redis_scripts.hpp"

namespace picklock {
namespace {

enum class Mistake : std::uint8_t {
  grants_in_the_end,  // after three refusals it takes the lock for its own
  clears_the_way,     // deletes the key that is in its way
  renews_in_passing,  // a refused client prolongs what is there
  forgets_the_key,    // sets it without expiry, and its release does nothing
  asks_once,          // once refused it waits for a call that never comes
  unfair,             // claims to be fair, and asks in any order
  random_token        // issues tokens without order
};

struct TwinOptions {
  Duration ttl = milliseconds(600);
  Law retry = Law::uniform(milliseconds(5), milliseconds(10));
  void fields(FieldVisitor& v) {
    v.field({.name = "ttl", .help = "lease", .least = milliseconds(1).ns}, ttl);
    v.field({.name = "retry", .help = "pause between two attempts", .least = 0}, retry);
  }
};

template <Mistake mistake>
class TwinLock final : public Lock {
 public:
  TwinLock(const LockContext& context, const TwinOptions& options)
      : Lock(context.host), redis_(context.get<RedisServers>()[0]), name_(context.name), options_(options) {}

  Task<Acquired> acquire(Patience patience) override {
    int refused = 0;
    while (!patience.over()) {
      Hold hold(owner_value(host_));
      const Outcome<> set = co_await attempt(hold.value);
      if (set.unknown()) patience.note_unknown();
      const bool granted = set.yes() || (mistake == Mistake::grants_in_the_end && ++refused == 3);
      if (granted) {
        if constexpr (mistake == Mistake::random_token) {
          constexpr std::int64_t kTokens = 1'000;
          hold.token = host_.draw_duration(Purpose::retry_delay, Law::uniform(1, kTokens)).ns;
        }
        co_return Acquired::of(hold);
      }
      co_await in_the_way();
      const Duration pause = host_.draw_duration(Purpose::retry_delay, options_.retry);
      co_await patience.pause(pause);
      if constexpr (mistake == Mistake::asks_once) co_await patience.pause(kForever);
    }
    co_return patience.exhausted();
  }

  Task<Outcome<>> release(Hold hold) override {
    if constexpr (mistake == Mistake::forgets_the_key) co_return Outcome<>::of({});
    const Outcome<> deleted = co_await delete_if_equals(redis_, name_, hold.value);
    co_return deleted;
  }

 private:
  Task<Outcome<>> attempt(std::string value) {
    if constexpr (mistake == Mistake::forgets_the_key) {
      const auto set = co_await redis_.setnx(name_, value);
      co_return set;
    }
    const auto set = co_await redis_.set_nx_px(name_, value, options_.ttl);
    co_return set;
  }
  Task<void> in_the_way() {
    if constexpr (mistake == Mistake::clears_the_way) {
      const auto deleted = co_await redis_.del(name_);
      (void)deleted;
    }
    if constexpr (mistake == Mistake::renews_in_passing) {
      const auto renewed = co_await redis_.pexpire(name_, options_.ttl);
      (void)renewed;
    }
  }

  Redis redis_;
  std::string name_;
  TwinOptions options_;
};

template <Mistake mistake>
void add(std::string_view name, Claims claims) {
  static constexpr AssumptionOf kNone[] = {{"holds-shorter-than", "ttl"}};
  (void)add_lock_kind({.name = name,
                       .summary = "a lock with one mistake",
                       .source = "this test",
                       .claims = claims,
                       .service = "redis",
                       .ownership = "redis-key",
                       .assumptions = kNone,
                       .default_options = kinds::defaults<TwinOptions>,
                       .make = kinds::make<TwinLock<mistake>, TwinOptions>,
                       .lease = kinds::lease_ttl<TwinOptions>});
}

}  // namespace

void add_twin_locks() {
  add<Mistake::grants_in_the_end>("twin-grants-in-the-end", {});
  add<Mistake::clears_the_way>("twin-clears-the-way", {});
  add<Mistake::renews_in_passing>("twin-renews-in-passing", {.renewing = true});
  add<Mistake::forgets_the_key>("twin-forgets-the-key", {});
  add<Mistake::asks_once>("twin-asks-once", {});
  add<Mistake::unfair>("twin-unfair", {.fair = true});
  add<Mistake::random_token>("twin-random-token", {.token = true});
}

}  // namespace picklock
