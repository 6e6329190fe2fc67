#include "scenarios/services/etcd/etcd_grants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/hash.hpp"
#include "sim/etcd/inspect.hpp"

namespace picklock {
namespace {

std::uint64_t directory(EtcdOwnership rule, std::string_view name, std::string_view mode) {
  return rule == EtcdOwnership::read_write ? hash_of(fmt::format("{}/{}", name, mode)) : hash_of(name);
}

}  // namespace

EtcdGrants::EtcdGrants(EtcdOwnership rule, std::string_view name, std::optional<Duration> lease, std::int64_t permits,
                       const DataLease& form)
    : rule_(rule),
      where_(directory(rule, name, "write")),
      also_(directory(rule, name, "read")),
      lease_(lease),
      owners_(rule == EtcdOwnership::read_write ? QueueOwners::Turn::read_write
              : permits > 1                     ? QueueOwners::Turn::permits
                                                : QueueOwners::Turn::first,
              permits),
      data_(form, lease, true) {}

bool EtcdGrants::concerns(std::uint64_t directory) const {
  const bool of_one_key = rule_ != EtcdOwnership::first && rule_ != EtcdOwnership::read_write;
  const std::uint64_t place = of_one_key && key_name_ != 0 ? key_name_ : directory;
  return place == where_ || place == also_;
}

void EtcdGrants::reset() {
  owners_.reset();
  data_.reset();
  joined_.clear();
  revision_ = time_ = 0;
  member_ = 0;
  news_ = false;
  key_lease_ = key_name_ = 0;
}

HoldId EtcdGrants::hold_of(const TraceRecord& r) const {
  switch (r.kind) {
    case trace::etcd_key_created:
    case trace::etcd_key_changed:
    case trace::etcd_key_emptied:
    case trace::etcd_key_deleted:
    case trace::etcd_key_found:
    case trace::lease_in_data:
    case trace::lease_gone:
      return r.a;
    default:
      return kNoHold;
  }
}

void EtcdGrants::see(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>& grants,
                     std::uint32_t& index) {
  switch (r.kind) {
    case trace::etcd_at: {
      const auto revision = static_cast<std::int64_t>(r.c);
      news_ = revision > revision_ || (revision == revision_ && r.node == member_ && r.time == time_);
      if (news_) {
        revision_ = revision;
        member_ = r.node;
        time_ = r.time;
      }
      key_lease_ = r.b;
      key_name_ = 0;
      data_.forget_noted();
      return;
    }
    case trace::etcd_key_name:
      key_name_ = r.b;
      return;
    case trace::lease_in_data:
    case trace::lease_gone:
      data_.note(r);
      return;
    case trace::etcd_lease_granted:  // said again by each member, and by one that replays its log
      if (!owners_.knows(r.b)) owners_.keep(r.b, r.time + seconds(static_cast<std::int64_t>(r.c)).ns, r.time);
      break;
    case trace::etcd_lease_renewed:
      owners_.keep(r.b, r.time + seconds(static_cast<std::int64_t>(r.c)).ns, r.time);
      break;
    case trace::etcd_key_created:
    case trace::etcd_key_changed:
    case trace::etcd_key_emptied:
    case trace::etcd_key_deleted:
      if (!news_ || !concerns(r.b)) break;
      if (rule_ == EtcdOwnership::lease_value) return value_changed(r, by, grants, index);
      key_changed(r, by);
      break;
    case trace::etcd_key_found:  // each member records it again
      if (concerns(r.b) && joined_.note(by.hold, {r.time})) owners_.find(r.c, by, r.time);
      break;
    default:
      return;
  }
  owners_.take(grants, index);
}

void EtcdGrants::value_changed(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>& grants,
                               std::uint32_t& index) {
  const std::size_t before = grants.size();
  if (r.kind == trace::etcd_key_deleted) {
    data_.end_all(by, by.hold == kNoHold ? GrantEnd::lease_over : GrantEnd::deleted, r.time, grants);
  } else {
    data_.apply(by, r.time, grants);
  }
  for (GrantEvent& e : std::span(grants).subspan(before)) e.index = index++;
}

void EtcdGrants::key_changed(const TraceRecord& r, const Provenance& by) {
  const std::uint64_t key = r.c;
  const auto join = [&] {
    const bool record = rule_ == EtcdOwnership::record && lease_;
    owners_.join({key, static_cast<std::int64_t>(r.c), key_lease_, record ? r.time + lease_->ns : 0}, by, r.time);
  };
  switch (r.kind) {
    case trace::etcd_key_created:
      joined_.note(by.hold, {r.time});
      return join();
    case trace::etcd_key_deleted:
      return owners_.leave(key, by, r.time, by.hold == kNoHold ? GrantEnd::lease_over : GrantEnd::deleted);
    case trace::etcd_key_emptied:
      if (rule_ == EtcdOwnership::record) owners_.leave(key, by, r.time, GrantEnd::deleted);
      return;
    default:
      if (rule_ != EtcdOwnership::record) return;
      if (owners_.hold_at(key) == by.hold) {
        if (lease_) owners_.keep_place(key, r.time + lease_->ns, r.time);
        return;
      }
      owners_.leave(key, {}, r.time, GrantEnd::overwritten);  // taken over, or written again after it was emptied
      return join();
  }
}

}  // namespace picklock
