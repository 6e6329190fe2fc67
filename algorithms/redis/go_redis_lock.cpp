#include "algorithms/redis/go_redis_lock.hpp"
#include "algorithms/redis/redis_servers.hpp"

#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "base/check.hpp"
#include "base/hash.hpp"

namespace picklock {
namespace {

struct GoProcess {
  std::shared_ptr<GoPool> pool = std::make_shared<GoPool>();
  std::uint64_t values_drawn = 0;
};

GoProcess& process_of(const LockContext& context, const GoRedisLockOptions& options) {
  PICKLOCK_CHECK(context.process != nullptr);
  GoProcess& process = context.process->get<GoProcess>();
  process.pool->size = options.pool_size;
  return process;
}

// The n-th value of a generator that every process starts at the same seed (splitmix64).
std::uint64_t unseeded(std::uint64_t n) { return mix(n * kGolden) >> 1; }

constexpr Duration kNoDeadline = seconds(1'000'000'000);

}  // namespace

GoRedisLockOptions GoRedisLockOptions::of(ArticlePreset preset) {
  GoRedisLockOptions o;
  o.preset = preset;
  if (preset == ArticlePreset::as_meant) return o;
  o.success = GoSuccess::integer;
  o.get = GoGet::unbuffered;
  o.values = GoValues::unseeded;
  return o;
}

void GoRedisLockOptions::fields(FieldVisitor& v) {
  using O = GoRedisLockOptions;
  const ArticlePreset before = preset;
  if (v.leading(kArticlePreset, preset)) {
    change_settings(*this, of(before), of(preset), &O::success, &O::get, &O::values);
  }
  v.field({.name = "ttl", .help = "timeout: the lease that the server grants", .least = milliseconds(2).ns}, ttl);
  v.field({.name = "poll", .help = "time between two attempts of a waiter", .least = 1}, poll);
  v.field({.name = "success", .help = "reply to SET that counts as success"}, success);
  v.field({.name = "get", .help = "channel that announces a grant"}, get);
  v.field({.name = "stop-buffered", .help = "whether the channel of UnLock has room for one"}, stop_buffered);
  v.field({.name = "poll-grant", .help = "whether a lock taken after a wait is renewed, and can be released"},
          poll_grant);
  v.field({.name = "renewal", .help = "whether a renewal checks the key's owner"}, renewal);
  v.field({.name = "io-timeout", .help = "how long a connection waits for an answer; none: for ever", .least = 1},
          io_timeout);
  v.field({.name = "values", .help = "whether the generator of the owners' values was seeded"}, values);
  v.field({.name = "pool-size", .help = "connections of a process; 0: unlimited", .least = 0, .most = 1'000'000},
          pool_size);
  v.field({.name = "closes", .help = "when a goroutine gives its connections back"}, closes);
  v.field({.name = "release-closes-pool", .help = "a release closes the pool of the whole process"},
          release_closes_pool);
  v.field({.name = "unlock-waits", .help = "UnLock waits until the key is deleted"}, unlock_waits);
  v.field({.name = "errors", .help = "outcome that a failed attempt is taken for"}, errors);
  v.field({.name = "value-of", .help = "where the value of the key is kept for renewals and releases"}, value_of);
}

GoRedisLock::GoRedisLock(const LockContext& context, const GoRedisLockOptions& options)
    : Lock(context.host),
      redis_(context.get<RedisServers>()[0].within(options.io_timeout.value_or(kNoDeadline))),
      name_(context.name),
      options_(options),
      pool_(process_of(context, options).pool),
      values_drawn_(process_of(context, options).values_drawn),
      stop_(context.host, options.stop_buffered ? 1 : 0),
      answers_(context.host, options.get),
      lost_(context.host, "loss of the lock"),
      removed_(context.host, "the end of a release") {}

std::string GoRedisLock::next_value() {
  if (options_.values == GoValues::unseeded) return std::to_string(unseeded(++values_drawn_));
  return owner_value(host_);
}

Task<Acquired> GoRedisLock::acquire(Patience patience) {
  (void)patience.over();
  value_ = next_value();
  deadline_.reset();
  lost_.clear();
  const Get get = answers_.of_call();
  (void)co_await lock(get);
  const auto told = co_await get->receive_within(patience.remaining());
  if (!told) co_return Acquired::unknown_because(Why::timed_out);  // `check` may take it yet
  if (!*told) co_return failure_;
  Hold hold(value_);
  hold.deadline = deadline_.value_or(host_.monotonic_now());
  host_.announce_deadline(DeadlineKind::lease, *hold.deadline);
  co_return Acquired::of(std::move(hold));
}

Task<GoRedisLock::Attempt> GoRedisLock::attempt(std::vector<GoConnection>* mine, std::string of_call) {
  if (options_.closes == GoCloses::each_use) mine->clear();
  mine->emplace_back(pool_);
  if (!mine->back().usable()) {
    failure_ = Acquired::refusal(Why::error, "get on closed pool, or pool exhausted");
    co_return Attempt::failed;
  }
  const MonoTime asked = host_.monotonic_now();
  const auto reply = co_await redis_.set_nx_px(name_, value(of_call), options_.ttl);
  if (reply.yes() && options_.success == GoSuccess::ok) {
    deadline_ = asked + options_.ttl;
    co_return Attempt::taken;
  }
  // Nil, an error and silence are one to redis.Int: 0.  To it OK is as well.
  if (reply.yes() || said_no(reply)) co_return Attempt::held;
  failure_ = passed_on<Hold>(reply);
  co_return Attempt::failed;
}

Task<Nothing> GoRedisLock::lock(Get get) {
  std::vector<GoConnection> mine;
  const std::string of_call = value_;
  const Attempt made = co_await attempt(&mine, of_call);
  if (made == Attempt::taken) {
    host_.spawn("renewal", expire(of_call));
    (void)co_await get->send(true);
    co_return Nothing{};
  }
  if (made == Attempt::failed && options_.errors == GoErrors::reported) {
    (void)co_await get->send(false);
    co_return Nothing{};
  }
  host_.spawn("check", check(get, of_call));
  co_return Nothing{};
}

Task<void> GoRedisLock::check(Get get, std::string of_call) {
  std::vector<GoConnection> mine;
  GoTicker ticker(host_, options_.poll);
  for (;;) {
    GoReceive<bool> stopped(stop_);
    std::vector<GoCase*> cases{&ticker, &stopped};
    const std::size_t chosen = co_await go_select(host_, std::move(cases));
    if (chosen == 1) co_return;
    const Attempt made = co_await attempt(&mine, of_call);
    const bool over = made == Attempt::failed && options_.errors == GoErrors::reported;
    if (made != Attempt::taken && !over) continue;
    if (made == Attempt::taken && options_.poll_grant == GoPollGrant::renewed) host_.spawn("renewal", expire(of_call));
    (void)co_await get->send(made == Attempt::taken);
    co_return;
  }
}

Task<void> GoRedisLock::expire(std::string of_call) {
  std::vector<GoConnection> mine;
  GoTicker ticker(host_, milliseconds(options_.ttl.ms() / 2));
  for (;;) {
    GoReceive<bool> stopped(stop_);
    std::vector<GoCase*> cases{&ticker, &stopped};
    const std::size_t chosen = co_await go_select(host_, std::move(cases));
    if (options_.closes == GoCloses::each_use) mine.clear();
    mine.emplace_back(pool_);
    if (chosen == 1) break;
    if (!mine.back().usable()) continue;
    co_await host_.pass(mark::renews);
    const bool ours = co_await renew(value(of_call));
    if (!ours) lost_.set();
  }
  co_await host_.yield("UnLock() has returned, the goroutine has not yet deleted");
  removal_ = Outcome<>::refusal(Why::error, "get on closed pool, or pool exhausted");
  if (mine.back().usable()) {
    auto removed = co_await remove(value(of_call));
    removal_ = std::move(removed);
  }
  if (options_.release_closes_pool) pool_->closed = true;
  removed_.set();
}

Task<bool> GoRedisLock::renew(std::string mine) {
  const MonoTime asked = host_.monotonic_now();
  if (options_.renewal == GoRenewal::unchecked) {
    const auto set = co_await redis_.pexpire(name_, options_.ttl);
    if (set.yes()) deadline_ = asked + options_.ttl;
    co_return true;  // it only logs
  }
  const Outcome<> extended = co_await expire_if_equals(redis_, name_, mine, options_.ttl);
  if (extended.yes()) deadline_ = asked + options_.ttl;
  co_return extended.why() != Why::refused;
}

Task<Outcome<>> GoRedisLock::remove(std::string mine) {
  const Outcome<> deleted = co_await delete_if_equals(redis_, name_, mine);
  co_return deleted;
}

Task<Outcome<>> GoRedisLock::release(Hold) {
  removed_.clear();
  (void)co_await stop_.send(true);
  if (!options_.unlock_waits) co_return Outcome<>::of({});
  co_await removed_.wait();
  co_return *removal_;
}

std::optional<MonoTime> GoRedisLock::deadline(const Hold& hold) const {
  return hold.value == value_ && deadline_ ? deadline_ : hold.deadline;
}

}  // namespace picklock
