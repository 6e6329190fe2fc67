#include "scenarios/run/measure.hpp"

#include <algorithm>

#include "faults/fault_kinds.hpp"
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

void assess_run(const World& world, Executed& executed, ExecutedFaults& faults) {
  measure(world, executed);
  faults = {};
  faults.clock_rate_error_ppm = executed.largest_rate_error_ppm;
  faults.clock_step_ns = executed.largest_clock_step.ns;
  faults.clock_offset_ns = executed.largest_clock_offset.ns;
  // A lock whose renewal alone is stopped is not served: its tasks' pauses count as the process's.
  faults.pause_ns = std::max(executed.longest_stop, executed.longest_task_pause).ns;
  faults.message_delay_ns = executed.longest_message_delay.ns;
  faults.pauses = executed.pauses + executed.freezes + executed.task_pauses;
  faults.clock_steps = executed.clock_steps;
  faults.kills = executed.kills;
  faults.power_losses = executed.power_losses;
  faults.restarts = executed.restarts;
  faults.messages_lost = executed.segments_lost;
  const FaultKind* const partition = find_fault_kind("partition");
  if (partition != nullptr && index_of(*partition) < executed.struck.size()) {
    faults.partitions = executed.struck[index_of(*partition)];
  }
  KnownKeys keys;
  std::uint16_t loading = 0;  // the server that has just restarted
  for (const TraceRecord& r : world.trace.journal()) {
    if (loading != 0 && r.kind != trace::redis_key_loaded) {
      faults.data_losses += keys.lost(loading, r.time);
      loading = 0;
    }
    switch (r.kind) {
      case trace::redis_loaded:
        loading = r.node;
        keys.loading(r);
        break;
      case trace::redis_key_loaded: keys.loaded(r); break;
      case trace::redis_key_changed: keys.changed(r); break;
      default: break;
    }
  }
  if (loading != 0) faults.data_losses += keys.lost(loading, world.now().ns);
}

}  // namespace picklock
