#include "algorithms/redisson/redisson_base_lock.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {

struct RedissonBaseLock::Request {
  Request(const Host& host, RedisCommand c) : command(std::move(c)), answered(host, "the answer to an acquire") {}
  RedisCommand command;
  Event answered;
  std::optional<Outcome<RedisReply>> reply;
  bool abandoned = false;
};

class RedissonBaseLock::Caller {
 public:
  explicit Caller(std::shared_ptr<Request> request) : request_(std::move(request)) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() { request_->abandoned = true; }

 private:
  std::shared_ptr<Request> request_;
};

RedissonBaseLock::RedissonBaseLock(const LockContext& context, std::string_view name, std::size_t server,
                                   const RedissonOptions& options, std::string_view owner_suffix)
    : Lock(context.host),
      client_(RedissonClient::of(context, server, options)),
      name_(name),
      options_(options),
      owner_suffix_(owner_suffix),
      owner_(client_.owner(context.thread) + owner_suffix_),
      thread_(context.thread) {}

std::string RedissonBaseLock::channel_name() const { return "redisson_lock__channel:{" + name_ + "}"; }

std::string RedissonBaseLock::latch_of(const std::string& request_id) const {
  return "redisson_unlock_latch:{" + name_ + "}:" + request_id;
}

std::string RedissonBaseLock::latch_ms() const {
  const Duration last_delay = host_.draw_duration(Purpose::retry_delay, options_.retry_delay);
  return std::to_string(options_.latch_ttl(last_delay).ms());
}

Duration RedissonBaseLock::inner_lease() {
  return options_.shares_lease() ? client_.shared_lease(name_) : options_.lease;
}

std::optional<std::int64_t> RedissonBaseLock::refused_ttl_ms(const RedisReply& reply) const {
  if (reply.is_nil()) return std::nullopt;
  return reply.integer();
}

Task<Outcome<>> RedissonBaseLock::gave_up(std::optional<Duration>) { co_return Outcome<>::of({}); }

// Each request sets the key's time anew: a nested lock with a shorter leaseTime cuts what the watchdog has prolonged.
std::optional<MonoTime> RedissonBaseLock::deadline(const Hold& hold) const {
  if (!lease_) return hold.deadline;
  const auto renewed = client_.watchdog().renewed(name_, thread_, renewed_as());
  return renewed && renewed->asked >= lease_->asked ? renewed->until : lease_->until;
}

Task<Acquired> RedissonBaseLock::acquire(Patience patience) { return acquire_for(patience, next_lease()); }

Task<Acquired> RedissonBaseLock::acquire_once(std::optional<Duration> lease) {
  const auto tried = co_await attempt(lease, std::nullopt);
  if (!tried.yes()) co_return passed_on<Hold>(tried);
  co_return tried.value().granted ? Acquired::of(tried.value().hold) : Acquired::refusal();
}

// The acquire script and, with replicas, WAIT behind it.
Task<Outcome<RedisReply>> RedissonBaseLock::ask(RedisCommand command) {
  const std::int64_t resends = options_.resends(options_.acquire_resend);
  if (options_.slaves_sync == SlavesSync::off) {
    auto reply = co_await client_.execute(command, resends);
    co_return reply;
  }
  for (std::int64_t attempt = 0;; ++attempt) {
    auto synced = co_await client_.execute_and_wait(command, resends);
    if (!synced.yes()) co_return passed_on<RedisReply>(synced);
    const std::int64_t acknowledged = synced.value().acknowledged;
    const bool granted = !refused_ttl_ms(synced.value().reply);
    const bool enough = options_.slaves_sync == SlavesSync::ignored || !granted ||
                        (options_.slaves_sync == SlavesSync::all ? acknowledged == options_.slaves
                                                                 : acknowledged > 0 || options_.slaves == 0);
    if (enough) co_return Outcome<RedisReply>::of(std::move(synced.value().reply));
    // The caller holds the server's key without knowing it.
    const bool undone = options_.slaves_sync == SlavesSync::any && undoes_unsynced();
    if (!undone) co_return Outcome<RedisReply>::unknown_because(Why::timed_out);
    const RedisCommand unlock = unlock_command({});
    (void)co_await client_.execute(unlock, options_.retry_attempts);
    if (attempt >= options_.retry_attempts) {
      co_return Outcome<RedisReply>::refusal(Why::error, "None of slaves were synced");
    }
    co_await host_.sleep(host_.draw_duration(Purpose::retry_delay, options_.retry_delay));
  }
}

Task<Outcome<RedissonBaseLock::Attempt>> RedissonBaseLock::attempt(std::optional<Duration> lease,
                                                                   std::optional<Duration> wait) {
  Duration& shared = client_.shared_lease(name_);
  const Duration usual = options_.shares_lease() ? shared : options_.lease;
  const Duration ttl = lease.value_or(usual);
  if (options_.leaves_asked_lease()) shared = ttl;

  const MonoTime asked = host_.monotonic_now();
  const auto request = std::make_shared<Request>(host_, acquire_command(ttl, wait));
  const Caller caller(request);
  host_.spawn("request", run_request(request, !lease));
  co_await request->answered.wait();
  const auto& reply = *request->reply;
  if (!reply.yes()) co_return passed_on<Attempt>(reply);
  Attempt result;
  if (const auto refused = refused_ttl_ms(reply.value())) {
    result.ttl_ms = *refused;
    co_return Outcome<Attempt>::of(std::move(result));
  }
  if (lease && options_.shares_lease()) shared = *lease;
  result.granted = true;
  result.hold = Hold(owner_);
  result.hold.token = token_in(reply.value());
  lease_ = {asked, asked + ttl};
  result.hold.deadline = lease_->until;
  host_.announce_deadline(DeadlineKind::lease, lease_->until);
  co_return Outcome<Attempt>::of(std::move(result));
}

Task<void> RedissonBaseLock::run_request(std::shared_ptr<Request> request, bool renewed) {
  const bool early = options_.renewal_start == RenewalStart::before_the_request;
  if (renewed && early) register_renewal();
  auto reply = co_await ask(request->command);
  const bool granted = reply.yes() && !refused_ttl_ms(reply.value());
  if (renewed && early && (!granted || request->abandoned)) {
    client_.watchdog().cancel(name_, thread_, renewed_as());
  }
  if (renewed && !early && granted) register_renewal();
  if (early && granted && request->abandoned) {
    const RedisCommand unlock = unlock_command({});
    (void)co_await client_.execute(unlock, options_.retry_attempts);
  }
  request->reply = std::move(reply);
  request->answered.set();
}

Task<Acquired> RedissonBaseLock::acquire_for(Patience patience, std::optional<Duration> lease) {
  const WallTime begun = host_.wall_now();
  std::optional<Duration> wait;  // the waitTime, of a tryLock
  if (patience.remaining() < kForever) wait = patience.remaining();
  const auto first = co_await attempt(lease, wait);
  if (!first.yes()) co_return passed_on<Hold>(first);
  if (first.value().granted) co_return Acquired::of(first.value().hold);
  auto acquired = co_await wait_and_ask(patience, lease, wait, begun);
  if (!wait || acquired.why() != Why::refused) co_return acquired;  // lock(), a grant, or an exception
  const auto left = co_await gave_up(wait);
  if (!left.yes()) co_return passed_on<Hold>(left);
  co_return acquired;
}

Task<Acquired> RedissonBaseLock::wait_and_ask(Patience patience, std::optional<Duration> lease,
                                              std::optional<Duration> wait, WallTime begun) {
  const auto left = [&] { return wait ? *wait - (host_.wall_now() - begun) : kForever; };
  if (left().ns <= 0) co_return patience.exhausted();
  const RedissonSubscription subscription(client_.channels().join(channel_name()));
  const Duration limit = std::min(left(), options_.longest_subscription());
  const bool subscribed = co_await redisson_subscribed(host_, subscription.channel(), limit);
  if (!subscribed && !wait) co_return Acquired::refusal(Why::error, "Subscribe timeout");
  if (!subscribed) co_return patience.exhausted();
  for (;;) {
    if (left().ns <= 0) co_return patience.exhausted();
    const auto tried = co_await attempt(lease, wait);
    const bool hidden = wait && tried.unknown() && options_.try_lock_timeout == TryLockTimeout::refused;
    if (hidden) co_return Acquired::refusal();  // though it may have been granted
    if (!tried.yes()) co_return passed_on<Hold>(tried);
    if (tried.value().granted) co_return Acquired::of(tried.value().hold);
    if (left().ns <= 0) co_return patience.exhausted();
    // A key without expiry, or none: only a message ends the wait.
    const std::int64_t ttl_ms = tried.value().ttl_ms;
    const Duration until_free = ttl_ms >= 0 ? milliseconds(ttl_ms) : kForever;
    const Duration limit_now = std::min(until_free, left());
    if (options_.waiter == RedissonWaiter::thread) {
      (void)co_await RedissonChannel::wait_for_permit(host_, subscription.channel(), limit_now);
    } else {
      const bool checked = options_.waiter == RedissonWaiter::listener;
      (void)co_await RedissonChannel::wait_as_listener(host_, subscription.channel(), limit_now, checked);
    }
  }
}

Task<Outcome<>> RedissonBaseLock::release(Hold) {
  const std::string request_id = options_.unlock_latch ? client_.new_request_id() : std::string();
  const MonoTime asked = host_.monotonic_now();
  const Duration left = inner_lease();
  const RedisCommand command = unlock_command(request_id);
  const auto reply = co_await client_.execute(command, options_.resends(options_.unlock_resend));
  const bool still_held = reply.yes() && reply.value().is_integer() && reply.value().integer() == 0;
  unlock_answered();
  lease_ = still_held ? std::optional(Lease{asked, asked + left}) : std::nullopt;
  if (!still_held && options_.unlock_resets_lease()) client_.shared_lease(name_) = options_.lease;
  if (!reply.yes()) co_return passed_on<Nothing>(reply);
  if (options_.unlock_latch) client_.delete_later(latch_of(request_id));
  if (reply.value().is_nil()) co_return Outcome<>::refusal();  // IllegalMonitorStateException
  co_return Outcome<>::of({});
}

Task<Outcome<>> RedissonBaseLock::force_release() {
  client_.watchdog().cancel_all(name_, renewed_as());
  if (options_.unlock_resets_lease()) client_.shared_lease(name_) = options_.lease;
  const RedisCommand command = force_command();
  const auto reply = co_await client_.execute(command, options_.retry_attempts);
  if (!reply.yes()) co_return passed_on<Nothing>(reply);
  co_return reply.value().integer() == 1 ? Outcome<>::of({}) : Outcome<>::refusal();
}

}  // namespace picklock
