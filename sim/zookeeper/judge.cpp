#include "sim/zookeeper/judge.hpp"

#include <algorithm>

#include "sim/core/mix.hpp"

namespace picklock {

void ZooJudge::applied(ZabSid sid, const ZabEntry& entry, const ZooTxn& txn, std::int64_t session, std::int32_t xid,
                       std::span<const ZooEffect> effects, TrueTime now) {
  const std::size_t known = zab_.sequence().size();
  zab_.applied(sid, entry.zxid, hash_of(entry.txn));
  if (zab_.sequence().size() == known) return;  // not the first server to apply it
  if (keep_) transactions_.push_back({entry.zxid, session, xid, now, txn});
  if (txn.kind == ZooTxn::Kind::create && txn.ephemeral) asked_for_a_place(txn.hold, now);
  for (const ZooEffect& e : effects) {
    if (e.kind == ZooEffect::Kind::created && e.owner != 0 && closed_.contains(e.owner)) {
      complaints_.push_back(e.path + " belongs to a session that was closed before " + zab_text(entry.zxid));
    }
  }
  if (txn.kind != ZooTxn::Kind::close_session || !closed_.insert(txn.session).second) return;
  if (asked_to_close_.contains(txn.session)) return;
  const auto& touches = touches_[txn.session];
  const auto touch = touches.find(zab_epoch(entry.zxid));
  if (touch == touches.end()) {
    complaints_.push_back("a session is closed that its leader never heard of");
    return;
  }
  const Duration least = milliseconds(touch->second.timeout_ms) - milliseconds(1);
  const Duration passed = now - touch->second.at;
  if (passed < least - Duration{least.ns / 1'000'000 * clock_error_ppm_}) {
    complaints_.push_back("a session is closed " + std::to_string(passed.ms()) + " ms after its leader heard of it");
  }
}

std::string ZooJudge::misplaced(const ZooTree& tree) const {
  const auto& sequence = zab_.sequence();
  if (sequence.empty() || tree.last_zxid() < sequence.back().zxid) return {};
  for (const auto& [path, node] : tree.nodes()) {
    if (node.owner == 0) continue;
    if (closed_.contains(node.owner)) return path + " has outlived its session, which was closed";
    const auto made = std::lower_bound(sequence.begin(), sequence.end(), node.czxid,
                                       [](const ZabWitness::Applied& a, ZabZxid zxid) { return a.zxid < zxid; });
    if (made == sequence.end() || made->zxid != node.czxid) return path + " was made by no transaction that counts";
  }
  return {};
}

void ZooJudge::fired(ConnectionName c, ZabZxid zxid) {
  const auto found = connections_.find(c);
  if (found != connections_.end() && found->second.events_due++ == 0) found->second.fired_at = zxid;
}

void ZooJudge::sent_event(ConnectionName c) {
  const auto found = connections_.find(c);
  if (found != connections_.end() && found->second.events_due > 0) --found->second.events_due;
}

void ZooJudge::replied(ConnectionName c, ZabZxid zxid) {
  const auto found = connections_.find(c);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  if (zxid < connection.zxid) {
    complaints_.push_back("a client is shown " + zab_text(zxid) + " after " + zab_text(connection.zxid));
  }
  if (connection.events_due > 0 && zxid >= connection.fired_at) {
    complaints_.push_back("a reply of " + zab_text(zxid) + " leaves before the event of " +
                          zab_text(connection.fired_at));
  }
  connection.zxid = zxid;
}

std::vector<std::string> ZooJudge::complaints() const {
  std::vector<std::string> all = zab_.complaints();
  all.insert(all.end(), complaints_.begin(), complaints_.end());
  return all;
}

}  // namespace picklock
