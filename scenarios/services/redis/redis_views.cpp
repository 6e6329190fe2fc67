#include "scenarios/services/redis/redis_views.hpp"

#include <algorithm>

namespace picklock {
namespace {

constexpr std::uint32_t kMasterRole = 1;

std::vector<NodeId> servers_of(const std::vector<RedisPlace>& places) {
  std::vector<NodeId> servers;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i].elsewhere) servers.push_back(static_cast<NodeId>(i + 1));
  }
  return servers;
}

}  // namespace

RedisViews::RedisViews(std::uint32_t lock, RedisOwnership rule, std::uint64_t key_hash, std::optional<Duration> lease,
                       std::vector<RedisPlace> places, const DataLease& form)
    : ServerViews(lock, servers_of(places)),
      unwritten_{RedisKeyOwners(rule, key_hash, lease, form)},
      places_(std::move(places)) {
  forget();
}

void RedisViews::forget() {
  copies_.assign(places_.size(), unwritten_);
  for (std::size_t i = 0; i < places_.size(); ++i) copies_[i].master = !places_[i].replica;
}

void RedisViews::look(const TraceRecord& r, const Provenance& by) {
  const std::size_t place = r.node - std::size_t{1};
  Copy& copy = copies_[place];
  changes_.clear();
  if (r.kind == trace::redis_role) {
    copy.master = r.a == kMasterRole;
  } else if (r.kind == trace::redis_resynced && !copy.master) {
    for (std::size_t m = 0; m < copies_.size(); ++m) {
      const bool masters =
          m != place && copies_[m].master && !places_[m].elsewhere && places_[m].group == places_[place].group;
      if (masters) copy.owners.copy_owners(copies_[m].owners);
    }
  } else {
    copy.owners.see(r, by, changes_);
    if (r.kind == trace::redis_loaded || r.kind == trace::redis_key_loaded) copy.down = copy.owners.loading();
  }
}

void RedisViews::add_ends(std::vector<NoLongerNamed>& ends) const {
  for (const GrantEvent& g : changes_) {
    if (g.change == GrantChange::end) ends.push_back({g.hold, g.by, g.cause});
    if (g.change == GrantChange::released || g.change == GrantChange::forced)
      ends.push_back({g.hold, g.by, GrantEnd::deleted});
  }
}

void RedisViews::add_owners(NodeId node, std::vector<HoldId>& owners) const {
  const Copy& copy = copies_[node - std::size_t{1}];
  if (copy.down) return;
  copy.owners.for_each_owner([&](HoldId hold) { owners.push_back(hold); });
}

std::vector<ServerRole> redis_roles(std::span<const TraceRecord> journal, const std::vector<RedisPlace>& places) {
  std::vector<ServerRole> roles;
  if (std::none_of(places.begin(), places.end(), [](const RedisPlace& p) { return p.replica && !p.elsewhere; }))
    return roles;
  const auto add = [&](std::int64_t time, NodeId node, bool master) {
    roles.push_back({time, node, master ? "master" : "replica", master});
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i].elsewhere) add(0, static_cast<NodeId>(i + 1), !places[i].replica);
  }
  for (const TraceRecord& r : journal) {
    const std::size_t place = r.node - std::size_t{1};
    const bool one = r.kind == trace::redis_role && r.node != 0 && place < places.size() && !places[place].elsewhere;
    if (one) add(r.time, r.node, r.a == kMasterRole);
  }
  return roles;
}

}  // namespace picklock
