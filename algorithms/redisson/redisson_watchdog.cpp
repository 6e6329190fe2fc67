#include "algorithms/redisson/redisson_watchdog.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "algorithms/redisson/redis_scripts_redisson.hpp"
#include "algorithms/redisson/redisson_client.hpp"

namespace picklock {
namespace {

const RedisScript& script_of(RedissonRenewedAs as) {
  if (as == RedissonRenewedAs::own_readers) return kRedissonRenewOwnReaders;
  if (as == RedissonRenewedAs::all_readers) return kRedissonRenewAllReaders;
  return as == RedissonRenewedAs::first_readers ? kRedissonRenewFirstReaders : kRedissonRenewMany;
}

}  // namespace

const Host& RedissonWatchdog::host() const { return client_.host(); }

RedissonWatchdog::Entry* RedissonWatchdog::find(const std::string& name, RedissonRenewedAs as) {
  const bool by_name = options_.renewal == RedissonRenewal::per_lock;
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return e.name == name && (by_name || reads(e.as) == reads(as));
  });
  return found == entries_.end() ? nullptr : &*found;
}

const RedissonWatchdog::Entry* RedissonWatchdog::find(const std::string& name, RedissonRenewedAs as) const {
  return const_cast<RedissonWatchdog*>(this)->find(name, as);
}

Duration RedissonWatchdog::lease_of(const std::string& name) const {
  const bool shared = options_.renewal == RedissonRenewal::per_lock && options_.shares_lease();
  return shared ? client_.shared_lease(name) : options_.lease;
}

void RedissonWatchdog::add(const std::string& name, std::uint32_t thread, const std::string& suffix,
                           RedissonRenewedAs as) {
  if (Entry* const entry = find(name, as)) {
    for (Owner& o : entry->owners) {
      if (o.thread == thread) return void(++o.acquisitions);
    }
    entry->owners.push_back({thread, client_.owner(thread) + entry->suffix, 1});
    return;
  }
  entries_.push_back({name, suffix, as, ++entries_made_, {{thread, client_.owner(thread) + suffix, 1}}, std::nullopt});
  if (options_.renewal == RedissonRenewal::per_lock) {
    host().spawn("renewal", run_lock(entries_made_));
  } else if (!std::exchange(running_[reads(as)], true)) {
    host().spawn("renewal", run_chain(reads(as)));
  }
}

void RedissonWatchdog::cancel(const std::string& name, std::uint32_t thread, RedissonRenewedAs as) {
  Entry* const entry = find(name, as);
  if (entry == nullptr) return;
  std::erase_if(entry->owners, [&](Owner& o) { return o.thread == thread && --o.acquisitions <= 0; });
  if (entry->owners.empty()) erase(entry->number);
}

void RedissonWatchdog::cancel_all(const std::string& name, RedissonRenewedAs as) {
  if (const Entry* const entry = find(name, as)) erase(entry->number);
}

// The last of a chain stops it; the timer that is armed goes off once more.
void RedissonWatchdog::erase(std::uint64_t number) {
  std::erase_if(entries_, [&](const Entry& e) { return e.number == number; });
  for (const bool readers : {false, true}) {
    running_[readers] = running_[readers] && std::any_of(entries_.begin(), entries_.end(),
                                                         [&](const Entry& e) { return reads(e.as) == readers; });
  }
}

std::optional<RedissonWatchdog::Renewed> RedissonWatchdog::renewed(const std::string& name, std::uint32_t thread,
                                                                   RedissonRenewedAs as) const {
  const Entry* const entry = find(name, as);
  if (entry == nullptr) return std::nullopt;
  const bool owns =
      std::any_of(entry->owners.begin(), entry->owners.end(), [&](const Owner& o) { return o.thread == thread; });
  return owns ? entry->renewed : std::nullopt;
}

RedisCommand RedissonWatchdog::command_for(const Chunk& chunk, Duration lease) const {
  const RedissonRenewedAs as = chunk.front().as;
  std::vector<std::string> arguments{std::to_string(lease.ms())};
  std::vector<std::string_view> keys;
  for (const Entry& e : chunk) {
    keys.push_back(e.name);
    if (as == RedissonRenewedAs::first_readers) keys.push_back(e.name);  // prefix of its timers' keys
    if (as != RedissonRenewedAs::own_readers) {
      arguments.push_back(e.owners.front().field);
      continue;
    }
    arguments.push_back(std::to_string(e.owners.size()));
    for (const Owner& o : e.owners) arguments.push_back(o.field);
  }
  const std::vector<std::string_view> texts(arguments.begin(), arguments.end());
  return script_of(as).call(keys, texts);
}

void RedissonWatchdog::refused(const Entry& asked) {
  if (options_.renewal_refused == RenewalRefused::drops_name) return erase(asked.number);
  const std::size_t asked_for = asked.as == RedissonRenewedAs::own_readers ? asked.owners.size() : 1;
  for (std::size_t i = 0; i < asked_for; ++i) cancel(asked.name, asked.owners[i].thread, asked.as);
}

Task<bool> RedissonWatchdog::renew(Chunk chunk) {
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
      refused(chunk[i]);
      continue;
    }
    const bool unbroken = entry->renewed && asked < entry->renewed->until;
    entry->renewed = {unbroken ? entry->renewed->since : asked, asked, asked + lease};
    host().announce_deadline(DeadlineKind::lease, entry->renewed->until);
  }
  co_return true;
}

// An unlock of the last lock stops the chain; the timer already armed goes off once more, and if a
// lock was taken meanwhile, that is one chain more (RenewalTask.stop, tryRun).
Task<void> RedissonWatchdog::run_chain(bool readers) {
  do {
    const MonoTime due = host().monotonic_now() + options_.lease / 3;
    host().announce_deadline(DeadlineKind::renewal, due);
    co_await host().sleep_until(due);
    std::vector<Entry> all;
    std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(all),
                 [&](const Entry& e) { return reads(e.as) == readers; });
    for (std::size_t i = 0; i < all.size();) {
      Chunk chunk;
      const auto most = static_cast<std::size_t>(options_.renewal_batch);
      const RedissonRenewedAs as = all[i].as;
      while (i < all.size() && chunk.size() < most && all[i].as == as) chunk.push_back(all[i++]);
      const bool renewed = co_await renew(std::move(chunk));
      if (!renewed && options_.renewal_error != RenewalError::goes_on) co_return;
      if (!renewed) break;  // the rest waits for the next tick
    }
  } while (running_[readers]);
}

Task<void> RedissonWatchdog::run_lock(std::uint64_t number) {
  const auto entry_of = [&] {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.number == number; });
    return found == entries_.end() ? nullptr : &*found;
  };
  for (;;) {
    const Entry* const armed = entry_of();
    if (armed == nullptr) co_return;
    const MonoTime due = host().monotonic_now() + lease_of(armed->name) / 3;
    host().announce_deadline(DeadlineKind::renewal, due);
    co_await host().sleep_until(due);
    const Entry* const entry = entry_of();
    if (entry == nullptr) co_return;
    Chunk one{*entry};
    const bool renewed = co_await renew(std::move(one));
    if (renewed) continue;
    if (options_.renewal_error == RenewalError::ends) erase(number);
    if (options_.renewal_error != RenewalError::goes_on) co_return;
  }
}

}  // namespace picklock
