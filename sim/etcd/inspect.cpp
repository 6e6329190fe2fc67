#include "sim/etcd/inspect.hpp"

#include <array>
#include <optional>

#include "base/lease_text.hpp"
#include "sim/core/world.hpp"
#include "sim/etcd/mvcc.hpp"

namespace picklock {

std::span<const TraceKindInfo> trace::etcd_kinds() {
  static constexpr std::array<TraceKindInfo, 11> kKinds = {
      {{etcd_at, "etcd-at", "", "lease", "revision"},
       {etcd_key_name, "etcd-key-name", "", "key", "create revision"},
       {etcd_key_created, "etcd-key-created", "hold", "directory", "create revision"},
       {etcd_key_changed, "etcd-key-changed", "hold", "directory", "create revision"},
       {etcd_key_emptied, "etcd-key-emptied", "hold", "directory", "create revision"},
       {etcd_key_deleted, "etcd-key-deleted", "hold", "directory", "create revision"},
       {etcd_lease_granted, "etcd-lease-granted", "hold", "lease", "ttl in s"},
       {etcd_lease_renewed, "etcd-lease-renewed", "hold", "lease", "ttl in s"},
       {etcd_lease_revoked, "etcd-lease-revoked", "hold", "lease", "revision"},
       {etcd_role, "etcd-role", "1 leads, 0 no longer", "term", ""},
       {etcd_key_found, "etcd-key-found", "hold", "directory", "create revision"}}};
  return kKinds;
}

const EtcdKeyValue EtcdChange::kNone;

namespace {

TraceKind kind_of(const EtcdChange& c) {
  if (c.deleted()) return trace::etcd_key_deleted;
  if (c.before().version == 0) return trace::etcd_key_created;
  return c.after().value.empty() ? trace::etcd_key_emptied : trace::etcd_key_changed;
}

void record_lease(World& world, NodeId member, std::uint32_t hold, const std::optional<LeaseSaid>& said) {
  if (!said) return world.record(trace::lease_gone, member, hold);
  world.record(trace::lease_in_data, member, hold, said->owner, static_cast<std::uint64_t>(said->time_ns));
}

}  // namespace

void record_etcd_changes(World& world, NodeId member, std::uint32_t hold, std::span<const EtcdChange> changes) {
  for (const EtcdChange& c : changes) {
    const EtcdKeyValue& kv = c.deleted() ? c.before() : c.after();
    const auto lease = static_cast<std::uint64_t>(kv.lease);
    const auto created = static_cast<std::uint64_t>(kv.create_revision);
    world.record(trace::etcd_at, member, 0, lease, static_cast<std::uint64_t>(c.revision()));
    const EtcdKeyName& name = c.name();
    if (hold != 0) world.trace.wrote_key(kv.key);
    const LeaseText* const form = world.trace.leases();
    if (form != nullptr && !c.deleted()) record_lease(world, member, hold, read_lease(*form, kv.value));
    if (name.in_directory) world.record(trace::etcd_key_name, member, 0, name.key, created);
    world.record(kind_of(c), member, hold, name.directory, created);
  }
}

void record_etcd_findings(World& world, NodeId member, std::uint32_t hold, const EtcdTxn& txn, const EtcdMvcc& store) {
  for (const EtcdOp& op : txn.then) {
    const auto* put = std::get_if<EtcdPut>(&op);
    if (put == nullptr || put->lease == 0) continue;
    const EtcdKeyValue* there = store.find(put->key);
    if (there == nullptr || there->lease != put->lease) continue;
    const auto created = static_cast<std::uint64_t>(there->create_revision);
    world.record(trace::etcd_key_found, member, hold, remembered_hash_of(etcd_directory(put->key)), created);
  }
}

}  // namespace picklock
