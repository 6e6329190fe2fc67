#include "algorithms/redisson/redisson_multi_lock.hpp"
#include "algorithms/redis/redis_servers.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redisson/redis_scripts_redisson.hpp"

namespace picklock {

RedissonMultiOptions RedissonMultiOptions::of(RedissonRelease release) {
  RedissonMultiOptions o;
  o.lock = RedissonOptions::of(release);
  if (release == RedissonRelease::v3_16_8) o.unlock_order = MultiUnlock::all;
  return o;
}

void RedissonMultiOptions::fields(FieldVisitor& v) {
  const RedissonRelease before = lock.release;
  lock.fields(v);
  if (lock.release != before && v.others_follow()) {
    change_settings(*this, of(before), of(lock.release), &RedissonMultiOptions::unlock_order);
  }
  v.field({.name = "member-lease", .help = "lease with which the multi-lock takes its members"}, member_lease);
  v.field({.name = "lease-unit", .help = "unit of the lease given to lock(); each retry converts seconds again"},
          lease_unit);
  v.field({.name = "unlock-order", .help = "until-error: an unlock that fails leaves the members behind it locked"},
          unlock_order);
  v.field({.name = "final-expiry", .help = "check of ownership when the lease is set at the end"}, final_expiry);
}

void RedissonRedLockOptions::fields(FieldVisitor& v) {
  multi.fields(v);
  v.field({.name = "servers", .help = "independent servers", .least = 1, .most = 15}, servers);
  v.field({.name = "validity", .help = "whether the time that acquiring took is held against the lease"}, validity);
}

RedissonMultiLock::RedissonMultiLock(const LockContext& context, const RedissonMultiOptions& options)
    : RedissonMultiLock(context.host, options) {
  for (const std::string_view name : context.all_names()) {
    members_.push_back(std::make_unique<RedissonLock>(context, name, 0, options.lock));
  }
}

std::optional<MonoTime> RedissonMultiLock::deadline(const Hold& hold) const {
  if (!options_.lock.renews()) return deadline_ ? deadline_ : hold.deadline;
  std::optional<MonoTime> first;
  for (const std::size_t i : got_) {
    const auto end = members_[i]->deadline(hold);
    if (end && (!first || *end < *first)) first = end;
  }
  return first ? first : hold.deadline;
}

// Length of one round of lock().
Duration RedissonMultiLock::wait_of_lock(Duration lease) {
  const Duration base = milliseconds(1500) * static_cast<std::int64_t>(members_.size());
  if (options_.lock.renews()) return base;
  if (of_3_16_8() && lease <= seconds(2)) return seconds(2);
  const Law law = lease <= base ? Law::uniform(lease / 2, lease) : Law::uniform(base, lease);
  return host_.draw_duration(Purpose::retry_delay, law);
}

std::optional<Duration> RedissonMultiLock::lease_for_members(std::optional<Duration> wait) const {
  if (options_.lock.renews()) return std::nullopt;
  if (wait) return *wait * 2;
  constexpr Duration kMinusOneTwice = seconds(-2);  // -1, in the caller's unit
  return options_.member_lease == MemberLease::twice_any_wait ? kMinusOneTwice : options_.lock.lease;
}

Task<Acquired> RedissonMultiLock::acquire(Patience patience) {
  if (patience.remaining() < kForever) {
    std::optional<Duration> wait;
    if (patience.remaining().ns > 0) wait = patience.remaining();
    auto answer = co_await try_lock(wait, options_.lock.lease);
    co_return answer;
  }
  constexpr Duration kLongest = seconds(100LL * 366 * 24 * 3600);  // the server would refuse more, one day
  Duration wait = wait_of_lock(options_.lock.lease);
  for (Duration lease = options_.lock.lease;;) {
    auto answer = co_await try_lock(wait, lease);
    if (answer.yes()) co_return answer;
    if (answer.unknown()) patience.note_unknown();
    if (of_3_16_8()) continue;  // one wait, and one conversion, for all rounds
    if (options_.lease_unit == LeaseUnit::seconds && lease < kLongest / 1000) lease = lease * 1000;
    wait = wait_of_lock(lease);
  }
}

Task<Acquired> RedissonMultiLock::try_lock(std::optional<Duration> wait, Duration lease) {
  const MonoTime begun = host_.monotonic_now();
  const auto members_lease = lease_for_members(wait);
  bool unknown = false;
  Members got;
  std::size_t failures_left = may_fail();
  std::optional<Duration> left = wait;
  const Duration each = wait ? member_wait(*wait) : Duration{};
  WallTime time = host_.wall_now();
  for (std::size_t i = 0; i < members_.size();) {
    const Patience patience = left ? Patience::lasting(host_, std::min(each, *left)) : Patience::one_attempt(host_);
    const auto taken = co_await members_[i]->acquire_for(patience, members_lease);
    if (taken.unknown()) {
      Members this_one{i};
      const auto undone = co_await unlock(std::move(this_one));
      unknown = unknown || !undone.yes();
    }
    bool restart = false;
    if (taken.yes()) {
      got.push_back(i);
    } else {
      if (members_.size() - got.size() == may_fail()) break;
      restart = failures_left == 0;
      if (!restart) --failures_left;
    }
    if (restart) {
      (void)co_await unlock(got);
      got.clear();
      failures_left = may_fail();
      if (!wait) co_return unknown ? Acquired::unknown_because(Why::timed_out) : Acquired::refusal();
    }
    i = restart ? 0 : i + 1;
    if (!left) continue;
    const WallTime now = host_.wall_now();
    left = *left - (now - time);
    time = now;
    if (left->ns <= 0) {
      (void)co_await unlock(got);
      co_return unknown ? Acquired::unknown_because(Why::timed_out) : Acquired::refusal();
    }
  }
  const MonoTime asked = host_.monotonic_now();
  const auto finished = co_await finish(got, lease);
  if (finished.refused() || !valid(begun)) {  // only a repair leads here
    (void)co_await unlock(got);
    co_return unknown ? Acquired::unknown_because(Why::timed_out) : Acquired::refusal();
  }
  got_ = std::move(got);
  Hold hold(members_.front()->owner());
  deadline_ = asked + lease;
  hold.deadline = options_.lock.renews() ? deadline(hold) : deadline_;
  co_return Acquired::of(std::move(hold));
}

// A leaseTime is set once more when the last member is there, so that all end together.
Task<Outcome<>> RedissonMultiLock::finish(Members got, Duration lease) {
  if (options_.lock.renews()) co_return Outcome<>::of({});
  const std::string ms = std::to_string(lease.ms());
  std::size_t owned = 0;
  for (const std::size_t i : got) {
    RedissonLock& member = *members_[i];
    const bool guarded = options_.final_expiry == FinalExpiry::if_owned;
    const RedisCommand command = guarded ? kRedissonExpireIfOwned.call({member.name()}, {ms, member.owner()})
                                         : RedisCommand("PEXPIRE", member.name(), ms);
    const auto set = co_await member.client().execute(command, options_.lock.retry_attempts);
    owned += set.yes() && set.value().integer() == 1;
  }
  const bool ours = options_.final_expiry == FinalExpiry::unguarded || owned >= members_.size() - may_fail();
  co_return ours ? Outcome<>::of({}) : Outcome<>::refusal();
}

// All at once, each on its own; errors are swallowed.
Task<Outcome<>> RedissonMultiLock::unlock(Members which) {
  std::vector<Task<Outcome<>>> releases;
  for (const std::size_t i : which) releases.push_back(members_[i]->release(Hold(members_[i]->owner())));
  const auto answers = co_await all_of(host_, std::move(releases));
  Outcome<> answer = Outcome<>::of({});
  for (const Outcome<>& a : answers) {
    if (a.unknown() || (!a.yes() && answer.yes())) answer = a;
  }
  co_return answer;
}

Task<Outcome<>> RedissonMultiLock::unlock_until_error(Members which) {
  for (const std::size_t i : which) {
    auto released = co_await members_[i]->release(Hold(members_[i]->owner()));
    if (!released.yes()) co_return released;
  }
  co_return Outcome<>::of({});
}

Task<Outcome<>> RedissonMultiLock::release(Hold) {
  Members all(members_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  deadline_.reset();
  const bool partial = got_.size() < members_.size();
  Members got = std::exchange(got_, {});
  if (!unlocks_all()) {
    auto first_error = co_await unlock_until_error(std::move(all));
    co_return first_error;
  }
  auto answer = co_await unlock(std::move(all));
  // A "not mine" is expected from members that were not locked; a majority given back decides.
  if (partial && answer.refused() && !got.empty()) co_return Outcome<>::of({});
  co_return answer;
}

RedissonRedLock::RedissonRedLock(const LockContext& context, const RedissonRedLockOptions& options)
    : RedissonMultiLock(context.host, options.multi), validity_(options.validity) {
  for (std::size_t i = 0; i < context.get<RedisServers>().size(); ++i) {
    members_.push_back(std::make_unique<RedissonLock>(context, context.name, i, options.multi.lock));
  }
}

Duration RedissonRedLock::member_wait(Duration left) const {
  return std::max(left / static_cast<std::int64_t>(members_.size()), milliseconds(1));
}

// The documented rule, with the implementations' allowance for drift: 1 % and 2 ms.
bool RedissonRedLock::valid(MonoTime begun) const {
  if (validity_ == RedLockValidity::unchecked) return true;
  const Duration lease = options_.lock.lease;
  return host_.monotonic_now() - begun < lease - lease / 100 - milliseconds(2);
}

}  // namespace picklock
