#include "algorithms/redisson/redisson_handmade_watchdog.hpp"

#include <algorithm>

#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {

void HandmadeWatchdogOptions::fields(FieldVisitor& v) {
  lock.fields(v);
  v.field({.name = "answer", .help = "whether lock() looks at the answer to its script"}, answer);
  v.field({.name = "interrupt", .help = "end of a lock() whose thread is interrupted"}, interrupt);
  v.field({.name = "interrupted-after", .help = "an acquire that waits for that long is interrupted", .least = 1},
          interrupted_after);
  v.field({.name = "renewal-owner", .help = "thread whose name a renewal asks for"}, renewal_owner);
  v.field({.name = "renewal-stop", .help = "event that ends a thread of renewal"}, renewal_stop);
  v.field({.name = "refusal", .help = "effect of a renewal that is refused"}, refusal);
}

HandmadeWatchdog::HandmadeWatchdog(const LockContext& context, const HandmadeWatchdogOptions& options)
    : RedissonLock(context, options.lock), handmade_(options), lost_(context.host, "a refused renewal") {}

Hold HandmadeWatchdog::believed(MonoTime asked) {
  Hold hold(owner_);
  hold.deadline = asked + options_.lease;
  host_.announce_deadline(DeadlineKind::lease, *hold.deadline);
  return hold;
}

// Only one attempt is made, unless its answer is looked at.
Task<Acquired> HandmadeWatchdog::ask(Patience patience) {
  if (handmade_.answer == HandmadeAnswer::dropped) {
    auto once = co_await acquire_once(options_.lease);
    co_return once;
  }
  auto acquired = co_await acquire_for(patience, options_.lease);
  co_return acquired;
}

Task<Acquired> HandmadeWatchdog::acquire(Patience patience) {
  (void)patience.over();
  const MonoTime asked = host_.monotonic_now();
  std::optional<Acquired> answer;
  if (handmade_.interrupted_after) {
    answer = co_await with_timeout(host_, ask(patience), *handmade_.interrupted_after);
  } else {
    answer = co_await ask(patience);
  }
  if (!answer) {  // interrupted: no thread is started
    if (handmade_.interrupt == HandmadeInterrupt::passed_on) co_return Acquired::unknown_because(Why::timed_out);
    renewals_.push_back(0);
    co_return Acquired::of(believed(asked));
  }
  const bool goes_on = answer->yes() || (answer->why() == Why::refused && handmade_.answer == HandmadeAnswer::dropped);
  if (!goes_on) co_return std::move(*answer);
  const std::uint32_t renewal = ++renewals_begun_;
  renewals_.push_back(renewal);
  lost_.clear();
  constexpr std::uint32_t kRenewalThreads = 1'000'000;  // number of renewal threads per locking thread
  const std::string renewing = client_.owner(thread_ * kRenewalThreads + renewal);
  host_.spawn("renewal", renew(renewal, handmade_.renewal_owner == HandmadeOwner::renewal_thread ? renewing : owner_));
  co_return answer->yes() ? std::move(*answer) : Acquired::of(believed(asked));
}

bool HandmadeWatchdog::runs(std::uint32_t renewal) const {
  return handmade_.renewal_stop == HandmadeStop::never ||
         std::find(renewals_.begin(), renewals_.end(), renewal) != renewals_.end();
}

Task<void> HandmadeWatchdog::renew(std::uint32_t renewal, std::string owner) {
  const std::string ms = std::to_string(options_.lease.ms());
  for (;;) {
    co_await host_.sleep(options_.lease / 3);
    if (!runs(renewal)) co_return;
    co_await host_.pass(mark::renews);
    const RedisCommand extend = kRedissonRenewMany.call({name_}, {ms, owner});
    const auto reply = co_await client_.execute(extend, options_.retry_attempts);
    if (!reply.yes()) co_return;  // the exception ends the thread
    const auto answers = reply.value().elements();
    const bool refused = answers.empty() || answers[0].integer() == 0;
    if (!refused || handmade_.refusal == HandmadeRefusal::ignored) continue;
    if (std::find(renewals_.begin(), renewals_.end(), renewal) != renewals_.end()) lost_.set();
    co_return;
  }
}

Task<Outcome<>> HandmadeWatchdog::release(Hold hold) {
  if (!renewals_.empty()) renewals_.pop_back();
  auto released = co_await RedissonLock::release(std::move(hold));
  co_return released;
}

}  // namespace picklock
