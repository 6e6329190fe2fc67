#include "algorithms/redisson/redisson_1_2_entries.hpp"

namespace picklock {

Task<std::shared_ptr<Redisson12Entries::Entry>> Redisson12Entries::join(Host host, std::string name) {
  for (;;) {
    const auto found = counted_.find(name);
    if (found == counted_.end()) {
      auto entry = std::make_shared<Entry>();
      entry->channel = channels_.join(name);
      counted_[name] = {1, entry};
      subscriptions_[name] = std::make_unique<RedissonSubscription>(entry->channel);
      co_return entry;
    }
    const Counted read = found->second;
    co_await host.yield("an entry was read, its copy has not replaced it");
    const auto now = counted_.find(name);
    if (now == counted_.end() || !equal(now->second, read)) continue;
    now->second = {read.threads + 1, read.entry};
    co_return read.entry;
  }
}

void Redisson12Entries::leave(const std::string& name) {
  const auto found = counted_.find(name);
  if (found == counted_.end() || --found->second.threads > 0) return;
  counted_.erase(found);
  subscriptions_.erase(name);
}

}  // namespace picklock
