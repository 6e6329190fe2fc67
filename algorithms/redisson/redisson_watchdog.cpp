#include "algorithms/redisson/redisson_watchdog.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/redisson/redis_scripts_redisson.hpp"
#include "algorithms/redisson/redisson_client.hpp"

namespace picklock {

const Host& RedissonWatchdog::host() const { return client_.host(); }

RedissonWatchdog::Entry* RedissonWatchdog::find(const std::string& name, RedissonRenewedAs as) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == name && e.as == as; });
  return found == entries_.end() ? nullptr : &*found;
}

const RedissonWatchdog::Entry* RedissonWatchdog::find(const std::string& name, RedissonRenewedAs as) const {
  return const_cast<RedissonWatchdog*>(this)->find(name, as);
}

// Before 3.15.2 the renewals used whatever lease the shared object had been asked for last (#3484).
Duration RedissonWatchdog::lease_of(const std::string& name) const {
  return options_.lease_field == LeaseField::when_asked ? client_.shared_lease(name) : options_.lease;
}

void RedissonWatchdog::add(const std::string& name, const std::string& owner, RedissonRenewedAs as) {
  if (Entry* const entry = find(name, as)) {
    for (Owner& o : entry->owners) {
      if (o.field == owner) return void(++o.acquisitions);
    }
    entry->owners.push_back({owner, 1});
    return;
  }
  entries_.push_back({name, as, ++entries_made_, {{owner, 1}}, std::nullopt});
  if (options_.renewal == RedissonRenewal::per_lock) {
    host().spawn("renewal", run_lock(name, as, entries_made_));
  } else if (!std::exchange(running_, true)) {
    host().spawn("renewal", run_chain());
  }
}

void RedissonWatchdog::cancel(const std::string& name, const std::string& owner, RedissonRenewedAs as,
                              bool still_held) {
  Entry* const entry = find(name, as);
  if (entry == nullptr) return;
  const bool counts = options_.renewal == RedissonRenewal::per_lock;  // each unlock takes one away
  if (!counts && still_held) return;
  std::erase_if(entry->owners, [&](Owner& o) { return o.field == owner && (!counts || --o.acquisitions <= 0); });
  if (entry->owners.empty()) cancel_all(name, as);
}

void RedissonWatchdog::cancel_all(const std::string& name, RedissonRenewedAs as) {
  std::erase_if(entries_, [&](const Entry& e) { return e.name == name && e.as == as; });
  if (entries_.empty()) running_ = false;  // the timer that is armed goes off once more
}

std::optional<MonoTime> RedissonWatchdog::prolonged(const std::string& name, const std::string& owner,
                                                    RedissonRenewedAs as) const {
  const Entry* const entry = find(name, as);
  if (entry == nullptr) return std::nullopt;
  const bool owns =
      std::any_of(entry->owners.begin(), entry->owners.end(), [&](const Owner& o) { return o.field == owner; });
  return owns ? entry->until : std::nullopt;
}

RedisCommand RedissonWatchdog::command_for(const std::vector<Renewed>& chunk, Duration lease) const {
  const std::string ms = std::to_string(lease.ms());
  const RedissonRenewedAs as = chunk.front().as;
  std::vector<std::string_view> keys, arguments{ms};
  for (const Renewed& r : chunk) {
    keys.push_back(r.name);
    arguments.push_back(r.owner);
  }
  if (as == RedissonRenewedAs::owner) return kRedissonRenewMany.call(keys, arguments);
  return (as == RedissonRenewedAs::reader ? kRedissonRenewReader : kRedissonRenewAllReaders).call(keys, arguments);
}

Task<bool> RedissonWatchdog::renew(std::vector<Renewed> chunk) {
  const Duration lease = lease_of(chunk.front().name);
  const MonoTime asked = host().monotonic_now();
  co_await host().pass(mark::renews);
  const RedisCommand command = command_for(chunk, lease);
  const auto reply = co_await client_.execute(command, options_.retry_attempts);
  if (!reply.yes()) co_return false;
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    Entry* const entry = find(chunk[i].name, chunk[i].as);
    if (entry == nullptr || entry->number != chunk[i].number) continue;  // released meanwhile
    const auto answers = reply.value().elements();
    const bool renewed = i < answers.size() && answers[i].integer() == 1;
    if (!renewed) {
      cancel_all(chunk[i].name, chunk[i].as);
      continue;
    }
    entry->until = asked + lease;
    host().announce_deadline(DeadlineKind::lease, *entry->until);
  }
  co_return true;
}

// An unlock of the last lock stops the chain; the timer already armed goes off once more, and if a
// lock was taken meanwhile, that is one chain more (RenewalTask.stop, tryRun).
Task<void> RedissonWatchdog::run_chain() {
  do {
    const MonoTime due = host().monotonic_now() + options_.lease / 3;
    host().announce_deadline(DeadlineKind::renewal, due);
    co_await host().sleep_until(due);
    std::vector<Renewed> all;
    for (const Entry& e : entries_) all.push_back({e.name, e.owners.front().field, e.as, e.number});
    for (std::size_t i = 0; i < all.size();) {
      std::vector<Renewed> chunk;
      const bool alone = all[i].as != RedissonRenewedAs::owner;
      const auto most = static_cast<std::size_t>(alone ? 1 : options_.renewal_batch);
      while (i < all.size() && chunk.size() < most && (chunk.empty() || all[i].as == RedissonRenewedAs::owner)) {
        chunk.push_back(all[i++]);
      }
      const bool renewed = co_await renew(std::move(chunk));
      if (!renewed && options_.renewal_error == RenewalError::ends) co_return;
      if (!renewed) break;  // the rest waits for the next tick
    }
  } while (running_);
}

Task<void> RedissonWatchdog::run_lock(std::string name, RedissonRenewedAs as, std::uint64_t number) {
  for (;;) {
    const MonoTime due = host().monotonic_now() + lease_of(name) / 3;
    host().announce_deadline(DeadlineKind::renewal, due);
    co_await host().sleep_until(due);
    const Entry* const entry = find(name, as);
    if (entry == nullptr || entry->number != number) co_return;
    std::vector<Renewed> one;
    one.push_back({name, entry->owners.front().field, entry->as, number});
    const bool renewed = co_await renew(std::move(one));
    if (!renewed && options_.renewal_error == RenewalError::ends) co_return;
  }
}

}  // namespace picklock
