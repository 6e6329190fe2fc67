#include "sim/zookeeper/inspect.hpp"

#include <iterator>
#include <optional>

#include "base/lease_text.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr TraceKindInfo kOfEffects[] = {
    {trace::zoo_znode, "zoo-znode", "", "owner", "path"},
    {trace::zoo_sequential_znode, "zoo-sequential-znode", "number", "owner", "path"},
    {trace::zoo_created, "zoo-created", "hold", "parent", "czxid"},
    {trace::zoo_deleted, "zoo-deleted", "hold", "parent", "czxid"},
    {trace::zoo_data_set, "zoo-data-set", "hold", "parent", "czxid"},
    {trace::zoo_session_created, "zoo-session-created", "hold", "session", "timeout-ms"},
    {trace::zoo_session_closed, "zoo-session-closed", "hold", "session", ""},
};

constexpr TraceKindInfo kOthers[] = {
    {trace::zoo_applied, "zoo-applied", "hold", "zxid", "session"},
    {trace::zoo_session_touched, "zoo-session-touched", "", "session", "timeout-ms"},
    {trace::zoo_session_expires, "zoo-session-expires", "", "session", ""},
    {trace::zoo_role, "zoo-role", "role", "epoch", "zxid"},
    {trace::zoo_loaded, "zoo-loaded", "", "zxid", "znodes"},
    {trace::zoo_session_attached, "zoo-session-attached", "", "session", ""},
    {trace::zoo_client_state, "zoo-client-state", "state", "session", ""},
    {trace::zoo_watch_fired, "zoo-watch-fired", "event", "path", ""},
    {trace::zoo_truncated, "zoo-truncated", "", "zxid", ""},
    {trace::zoo_client_link, "zoo-client-link", "0 ended, 1 good, 2 given up", "session", ""},
};

constexpr TraceKind as_detail(TraceKind kind) { return static_cast<TraceKind>(kind & ~kJournal); }

TraceKind kind_of(ZooEffect::Kind kind) {
  switch (kind) {
    case ZooEffect::Kind::created:
      return trace::zoo_created;
    case ZooEffect::Kind::deleted:
      return trace::zoo_deleted;
    case ZooEffect::Kind::data_changed:
      return trace::zoo_data_set;
  }
  return trace::zoo_data_set;
}

std::uint64_t bits(std::int64_t n) { return static_cast<std::uint64_t>(n); }

}  // namespace

std::vector<TraceKindInfo> trace::zookeeper_kinds() {
  std::vector<TraceKindInfo> kinds(std::begin(kOthers), std::end(kOthers));
  for (TraceKindInfo info : kOfEffects) {
    kinds.push_back(info);
    info.kind = as_detail(info.kind);
    kinds.push_back(info);
  }
  return kinds;
}

void zoo_record_applied(World& world, NodeId node, const ZooTxn& txn, std::int64_t zxid,
                        std::span<const ZooEffect> effects, const ZooTree& tree, bool newest) {
  if (txn.kind == ZooTxn::Kind::error) return;
  world.record(trace::zoo_applied, node, txn.hold, bits(zxid), bits(txn.session));
  if (!newest && !world.trace.records_fully()) return;
  const auto record = [&](TraceKind kind, std::uint32_t a, std::uint64_t b, std::uint64_t c = 0) {
    world.record(newest ? kind : as_detail(kind), node, a, b, c);
  };
  for (const ZooEffect& effect : effects) {
    if (txn.hold != 0) world.trace.wrote_key(effect.path);
    const std::optional<std::int32_t>& number = effect.path.number();
    record(number ? trace::zoo_sequential_znode : trace::zoo_znode, static_cast<std::uint32_t>(number.value_or(0)),
           bits(effect.owner), effect.path.hash());
    if (const LeaseText* const form = world.trace.leases(); newest && form != nullptr) {
      const ZooTree::Node* const znode = tree.find(effect.path);
      const auto said = znode == nullptr ? std::nullopt : read_lease(*form, znode->data);
      said ? record(trace::lease_in_data, txn.hold, said->owner, bits(said->time_ns))
           : record(trace::lease_gone, txn.hold, 0);
    }
    record(kind_of(effect.kind), txn.hold, effect.path.parent_hash(), bits(effect.czxid));
  }
  if (txn.kind == ZooTxn::Kind::create_session) {
    record(trace::zoo_session_created, txn.hold, bits(txn.session), bits(txn.timeout_ms));
  } else if (txn.kind == ZooTxn::Kind::close_session) {
    record(trace::zoo_session_closed, txn.hold, bits(txn.session));
  }
}

}  // namespace picklock
