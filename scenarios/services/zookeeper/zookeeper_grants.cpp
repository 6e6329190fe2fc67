#include "scenarios/services/zookeeper/zookeeper_grants.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "base/hash.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock {
namespace {

std::uint64_t place_of(ZnodeOwnership rule, std::string_view name) {
  std::string path = name.starts_with('/') ? std::string(name) : "/" + std::string(name);
  if (rule == ZnodeOwnership::permits) path += "/leases";
  return hash_of(path);
}

QueueOwners::Turn turn_of(ZnodeOwnership rule, std::int64_t permits) {
  switch (rule) {
    case ZnodeOwnership::first:
      return permits > 1 ? QueueOwners::Turn::permits : QueueOwners::Turn::first;
    case ZnodeOwnership::read_write:
      return QueueOwners::Turn::read_write;
    case ZnodeOwnership::permits:
      return QueueOwners::Turn::permits;
    default:
      return QueueOwners::Turn::first;
  }
}

}  // namespace

ZooKeeperGrants::ZooKeeperGrants(ZnodeOwnership rule, std::string_view name, std::int64_t permits,
                                 std::optional<Duration> lease, const DataLease& form)
    : rule_(rule), where_(place_of(rule, name)), owners_(turn_of(rule, permits), permits), data_(form, lease, true) {}

void ZooKeeperGrants::reset() {
  owners_.reset();
  data_.reset();
  numbered_.clear();
  zxid_ = 0;
  news_ = false;
}

HoldId ZooKeeperGrants::hold_of(const TraceRecord& r) const {
  switch (r.kind) {
    case trace::zoo_created:
    case trace::zoo_deleted:
    case trace::zoo_data_set:
    case trace::lease_in_data:
    case trace::lease_gone:
      return r.a;
    default:
      return kNoHold;
  }
}

void ZooKeeperGrants::see(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>& grants,
                          std::uint32_t& index) {
  switch (r.kind) {
    case trace::zoo_applied: {
      const auto zxid = static_cast<std::int64_t>(r.b);
      news_ = zxid > zxid_;
      if (news_) zxid_ = zxid;
      return;
    }
    case trace::zoo_znode:
    case trace::zoo_sequential_znode:
      node_ = r;
      data_.forget_noted();
      return;
    case trace::lease_in_data:
    case trace::lease_gone:
      data_.note(r);
      return;
    case trace::zoo_data_set:
      if (rule_ == ZnodeOwnership::lease_value) data_changed(r, by, grants, index);
      return;
    case trace::zoo_session_created:  // said by each server, and by one that replays its log
      if (!owners_.knows(r.b)) {
        owners_.keep(r.b, r.time + milliseconds(static_cast<std::int64_t>(r.c)).ns, r.time);
      }
      break;
    case trace::zoo_session_touched:
      owners_.keep(r.b, r.time + milliseconds(static_cast<std::int64_t>(r.c)).ns, r.time);
      break;
    case trace::zoo_created:
    case trace::zoo_deleted: {
      if (rule_ == ZnodeOwnership::lease_value) return data_changed(r, by, grants, index);
      const bool concerns = rule_ == ZnodeOwnership::node ? node_.c == where_ : r.b == where_;
      if (!news_ || !concerns) return;
      // Several nodes of one multi have one czxid: a place is known by its path.
      const std::uint64_t place = node_.c;
      if (r.kind == trace::zoo_deleted) {
        std::erase_if(numbered_, [place](const Numbered& n) { return n.place == place; });
        owners_.leave(place, by, r.time, by.hold == kNoHold ? GrantEnd::session_over : GrantEnd::deleted);
        break;
      }
      // The order in which they were made.  Numbers say the same until they overflow; but a reader's node
      // may bear the number of its own writer's.
      auto order = static_cast<std::int64_t>(r.c);
      if (node_.kind == trace::zoo_sequential_znode) {
        const auto same =
            std::find_if(numbered_.begin(), numbered_.end(), [this](const Numbered& n) { return n.number == node_.a; });
        if (same != numbered_.end()) order = same->order;
        numbered_.push_back({place, node_.a, order});
      }
      owners_.join({place, order, node_.b}, by, r.time);
      break;
    }
    default:
      return;
  }
  owners_.take(grants, index);
}

void ZooKeeperGrants::data_changed(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>& grants,
                                   std::uint32_t& index) {
  if (!news_ || node_.c != where_) return;
  const std::size_t before = grants.size();
  if (r.kind == trace::zoo_deleted) {
    data_.end_all(by, by.hold == kNoHold ? GrantEnd::session_over : GrantEnd::deleted, r.time, grants);
  } else {
    data_.apply(by, r.time, grants);
  }
  for (GrantEvent& e : std::span(grants).subspan(before)) e.index = index++;
}

}  // namespace picklock
