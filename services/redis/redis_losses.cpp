#include "services/redis/redis_losses.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/redis/inspect.hpp"
#include "sim/redis/outputs.hpp"

namespace picklock {
namespace {

// Keys that servers have acknowledged, so that a restart without them is seen as a loss.
class KnownKeys {
 public:
  void changed(const TraceRecord& r) {
    const auto known = find(r.node, r.b);
    const auto what = static_cast<KeyChange>(trace::redis_change_what(r.c));
    if (what == KeyChange::deleted || what == KeyChange::expired) {
      if (known != keys_.end()) keys_.erase(known);
      return;
    }
    const std::int64_t ttl_ms = trace::redis_change_ttl_ms(r.c);
    const std::int64_t until = ttl_ms < 0 ? INT64_MAX : r.time + milliseconds(ttl_ms).ns;
    if (known != keys_.end()) {
      known->until = until;
    } else {
      keys_.push_back({r.b, until, r.node, true});
    }
  }
  void loading(const TraceRecord& r) {
    for (Key& k : keys_) k.loaded = k.loaded && k.node != r.node;
  }
  void loaded(const TraceRecord& r) {
    if (const auto known = find(r.node, r.b); known != keys_.end()) known->loaded = true;
  }
  // Those of a server that had not run out and did not come back; they are forgotten.
  std::int64_t lost(std::uint16_t node, std::int64_t now) {
    std::int64_t n = 0;
    for (const Key& k : keys_) n += k.node == node && !k.loaded && k.until > now;
    std::erase_if(keys_, [node](const Key& k) { return k.node == node && !k.loaded; });
    return n;
  }

 private:
  struct Key {
    std::uint64_t hash;
    std::int64_t until;
    std::uint16_t node;
    bool loaded;
  };
  std::vector<Key>::iterator find(std::uint16_t node, std::uint64_t hash) {
    return std::find_if(keys_.begin(), keys_.end(), [&](const Key& k) { return k.node == node && k.hash == hash; });
  }
  std::vector<Key> keys_;
};

}  // namespace

void measure_redis(const World& world, ExecutedFaults& faults) {
  std::vector<std::uint16_t> replicas;  // now
  KnownKeys keys;
  std::uint16_t loading = 0;  // the server whose data has just been read, from its disk or its master
  bool from_master = false;   // then what is missing is the master's doing
  for (const TraceRecord& r : world.trace.journal()) {
    if (loading != 0 && r.kind != trace::redis_key_loaded) {
      const std::int64_t lost = keys.lost(loading, r.time);
      faults.data_losses += from_master ? 0 : lost;
      loading = 0;
      from_master = false;
    }
    switch (r.kind) {
      case trace::redis_resynced:
        from_master = true;
        break;
      case trace::redis_loaded:
        loading = r.node;
        keys.loading(r);
        break;
      case trace::redis_role: {
        constexpr std::uint32_t kMaster = 1;
        const auto known = std::find(replicas.begin(), replicas.end(), r.node);
        if (r.a != kMaster && known == replicas.end()) replicas.push_back(r.node);
        if (r.a != kMaster || known == replicas.end()) break;
        replicas.erase(known);
        ++faults.failovers;
        break;
      }
      case trace::redis_key_loaded:
        keys.loaded(r);
        break;
      case trace::redis_key_changed:
        keys.changed(r);
        break;
      default:
        break;
    }
  }
  if (loading != 0 && !from_master) faults.data_losses += keys.lost(loading, world.now().ns);
}

}  // namespace picklock
