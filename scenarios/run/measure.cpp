#include "scenarios/run/measure.hpp"

#include <algorithm>
#include <cstdlib>

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

ExecutedFaults measure(const std::vector<TraceRecord>& journal, const World& world, const Scenario& scenario,
                       const ArmedPlan& plan) {
  ExecutedFaults e;
  struct Stop {
    std::int64_t paused = kNoTime, frozen = kNoTime;
  };
  std::array<Stop, kMostNodes> stops;
  const std::size_t nodes = world.node_count();
  std::fill_n(stops.begin(), nodes, Stop{});
  const auto stopped = [&](std::int64_t& since, std::int64_t until) {
    if (since == kNoTime) return;
    e.pause_ns = std::max(e.pause_ns, until - since);
    since = kNoTime;
  };
  for (const ClockSpec& c : scenario.clocks) {
    e.clock_rate_error_ppm = std::max(e.clock_rate_error_ppm, std::abs(c.drift_ppm));
    e.clock_offset_ns = std::max(e.clock_offset_ns, std::abs(c.offset.ns));
  }
  KnownKeys keys;
  std::uint16_t loading = 0;  // the server that has just restarted
  for (const TraceRecord& r : journal) {
    if (loading != 0 && r.kind != trace::redis_key_loaded) {
      e.data_losses += keys.lost(loading, r.time);
      loading = 0;
    }
    switch (r.kind) {
      case trace::process_paused:
        ++e.pauses;
        stops[r.node].paused = r.time;
        break;
      case trace::process_continued: stopped(stops[r.node].paused, r.time); break;
      case trace::host_frozen:
        ++e.pauses;
        stops[r.node].frozen = r.time;
        break;
      case trace::host_thawed:
        stopped(stops[r.node].frozen, r.time);
        if (r.c != 0) {  // its wall clock jumped by what it had missed
          ++e.clock_steps;
          e.clock_step_ns = std::max(e.clock_step_ns, static_cast<std::int64_t>(r.b));
        }
        break;
      case trace::process_killed: ++e.kills; break;
      case trace::power_lost: ++e.power_losses; break;
      case trace::process_started: ++e.restarts; break;
      case trace::clock_rate:
        e.clock_rate_error_ppm = std::max(e.clock_rate_error_ppm, std::abs(static_cast<std::int64_t>(static_cast<std::int32_t>(r.b))));
        break;
      case trace::clock_step:
        ++e.clock_steps;
        e.clock_step_ns = std::max(e.clock_step_ns, std::abs(static_cast<std::int64_t>(r.b)));
        break;
      case trace::redis_loaded:
        loading = r.node;
        keys.loading(r);
        break;
      case trace::redis_key_loaded: keys.loaded(r); break;
      case trace::redis_key_changed: keys.changed(r); break;
      default: break;
    }
  }
  if (loading != 0) e.data_losses += keys.lost(loading, world.now().ns);
  for (std::size_t i = 0; i < nodes; ++i) {
    stopped(stops[i].paused, world.now().ns);
    stopped(stops[i].frozen, world.now().ns);
  }
  e.message_delay_ns = world.network.longest_delay().ns;
  e.messages_lost = static_cast<std::int64_t>(world.network.segments_lost());
  e.partitions = static_cast<std::int64_t>(plan.struck("partition"));
  return e;
}

}  // namespace picklock
