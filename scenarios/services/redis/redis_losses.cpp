#include "scenarios/services/redis/redis_losses.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/redis/inspect.hpp"
#include "sim/redis/outputs.hpp"

namespace picklock {
namespace {

// Keys that servers have acknowledged, so that it is seen when they come to lack one.
class KnownKeys {
 public:
  void changed(const TraceRecord& r) {
    const auto what = static_cast<KeyChange>(trace::redis_change_what(r.c));
    if (what == KeyChange::expired) {
      std::erase_if(keys_, [&](const Key& k) { return k.node == r.node && k.hash == r.b; });
      return;
    }
    Key& key = at(r.node, r.b);
    const std::int64_t ttl_ms = trace::redis_change_ttl_ms(r.c);
    key.until = ttl_ms < 0 ? INT64_MAX : r.time + milliseconds(ttl_ms).ns;
    key.there = what != KeyChange::deleted;
    ++key.changes;
    key.by = r.a;
    key.since = r.time;
    key.loaded = true;
  }

  // --- a server reads its data anew

  void loading(const TraceRecord& r) {
    for (Key& k : keys_) k.loaded = k.loaded && k.node != r.node;
  }
  // `master`: the server that the data comes from; 0: its own disk.
  void loaded(const TraceRecord& r, std::uint16_t master) {
    const Key* const known = find(r.node, r.b);
    const Key* const model = master != 0 ? find(master, r.b) : known;
    if (model == nullptr) return;
    const Key copy = *model;
    Key& key = at(r.node, r.b);
    key = copy;
    key.node = r.node;
    key.there = key.loaded = true;
  }
  // Those of a server that had not run out and did not come back; they are forgotten.
  std::int64_t lost(std::uint16_t node, std::int64_t now) {
    std::int64_t n = 0;
    for (const Key& k : keys_) n += k.node == node && !k.loaded && k.there && k.until > now;
    std::erase_if(keys_, [node](const Key& k) { return k.node == node && !k.loaded; });
    return n;
  }

  // --- one server takes the place of another

  // Changes that `before` has made after `since` and that its successor does not have.
  std::int64_t lost_between(std::uint16_t before, std::uint16_t successor, std::int64_t since, std::int64_t now) const {
    std::int64_t n = 0;
    for (const Key& k : keys_) {
      if (k.node != before || k.since <= since) continue;
      const Key* const other = find(successor, k.hash);
      const bool has_one = other != nullptr && other->there && other->until > now;
      const bool lags = has_one && (other->by != k.by || other->changes < k.changes);
      n += k.there ? k.until > now && (!has_one || lags) : lags && other->since < k.since;
    }
    return n;
  }

 private:
  struct Key {
    std::uint64_t hash = 0;
    std::int64_t until = 0, since = 0;  // end of its life; its last change
    std::uint32_t by = 0, changes = 0;  // hold on whose behalf that was; how many there were
    std::uint16_t node = 0;
    bool there = true;  // false: a client has deleted it
    bool loaded = true;
  };
  const Key* find(std::uint16_t node, std::uint64_t hash) const {
    const auto known =
        std::find_if(keys_.begin(), keys_.end(), [&](const Key& k) { return k.node == node && k.hash == hash; });
    return known == keys_.end() ? nullptr : &*known;
  }
  Key& at(std::uint16_t node, std::uint64_t hash) {
    for (Key& k : keys_) {
      if (k.node == node && k.hash == hash) return k;
    }
    Key& key = keys_.emplace_back();
    key.hash = hash;
    key.node = node;
    return key;
  }
  std::vector<Key> keys_;
};

// The replicas among the servers, and since when a master has been superseded by one of them.
class Roles {
 public:
  // The master of a replica; 0: the server is none.
  std::uint16_t master_of(std::uint16_t node) const {
    const Replica* const r = find(node);
    return r == nullptr ? 0 : r->master;
  }
  void follows(std::uint16_t node, std::uint16_t master) {
    std::erase_if(replicas_, [node](const Replica& r) { return r.node == node; });
    replicas_.push_back({node, master});
  }
  // The master that the replica superseded; 0: the server was no replica.
  std::uint16_t promoted(std::uint16_t node, std::int64_t now) {
    const std::uint16_t before = master_of(node);
    std::erase_if(replicas_, [node](const Replica& r) { return r.node == node; });
    if (before != 0) superseded_.push_back({before, now});
    return before;
  }
  // Does another lead in its place?  Then that one's data counts.
  bool is_superseded(std::uint16_t node) const {
    return std::any_of(superseded_.begin(), superseded_.end(), [node](const Superseded& s) { return s.node == node; });
  }
  // Time when it was superseded; then it is a master no more.
  std::optional<std::int64_t> demoted(std::uint16_t node) {
    std::optional<std::int64_t> since;
    for (const Superseded& s : superseded_) {
      if (s.node == node) since = s.since;
    }
    std::erase_if(superseded_, [node](const Superseded& s) { return s.node == node; });
    return since;
  }

 private:
  struct Replica {
    std::uint16_t node, master;
  };
  struct Superseded {
    std::uint16_t node;
    std::int64_t since;
  };
  const Replica* find(std::uint16_t node) const {
    const auto known =
        std::find_if(replicas_.begin(), replicas_.end(), [node](const Replica& r) { return r.node == node; });
    return known == replicas_.end() ? nullptr : &*known;
  }
  std::vector<Replica> replicas_;
  std::vector<Superseded> superseded_;
};

}  // namespace

void measure_redis(const World& world, ExecutedFaults& faults) {
  // Servers that neither start again nor change their roles lose nothing.
  const auto& journal = world.trace.journal();
  const bool may_lose = std::any_of(journal.begin(), journal.end(), [](const TraceRecord& r) {
    return r.kind == trace::process_started || r.kind == trace::redis_role || r.kind == trace::redis_resynced;
  });
  if (!may_lose) return;
  Roles roles;
  KnownKeys keys;
  std::uint16_t loading = 0;   // the server whose data has just been read, from its disk or its master
  std::int64_t loaded_at = 0;  // a key that runs out later is lost, however late the next record comes
  bool from_master = false;    // true: the master caused the loss of the missing keys
  const auto end_loading = [&] {
    const std::int64_t lost = keys.lost(loading, loaded_at);
    faults.data_losses += from_master || roles.is_superseded(loading) ? 0 : lost;
  };
  for (const TraceRecord& r : world.trace.journal()) {
    if (loading != 0 && r.kind != trace::redis_key_loaded) {
      end_loading();
      loading = 0;
      from_master = false;
    }
    switch (r.kind) {
      case trace::redis_resynced:
        from_master = true;
        // A superseded master's later acknowledgements go away with its data.
        if (const auto since = roles.demoted(r.node)) {
          faults.data_losses += keys.lost_between(r.node, roles.master_of(r.node), *since, r.time);
        }
        break;
      case trace::redis_loaded:
        loading = r.node;
        loaded_at = r.time;
        keys.loading(r);
        break;
      case trace::redis_role: {
        constexpr std::uint32_t kMaster = 1;
        if (r.a != kMaster) {
          roles.follows(r.node, static_cast<std::uint16_t>(r.b));
          break;
        }
        const std::uint16_t before = roles.promoted(r.node, r.time);
        if (before == 0) break;
        ++faults.failovers;
        faults.data_losses += keys.lost_between(before, r.node, INT64_MIN, r.time);
        break;
      }
      case trace::redis_key_loaded:
        keys.loaded(r, from_master ? roles.master_of(r.node) : std::uint16_t{0});
        break;
      case trace::redis_key_changed:
        keys.changed(r);
        break;
      default:
        break;
    }
  }
  if (loading != 0) end_loading();
}

}  // namespace picklock
