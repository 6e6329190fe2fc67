#include "sim/zookeeper/judge.hpp"

#include <algorithm>

namespace picklock {
namespace {

bool by_text(const ZooPath& a, const ZooPath& b) { return a.text() < b.text(); }

}  // namespace

bool ZooJudge::applied(ZabSid sid, ZabZxid zxid, std::uint64_t hash, const ZooProposal& proposal,
                       std::span<const ZooEffect> effects, TrueTime now) {
  const ZooTxn& txn = proposal.txn;
  const std::size_t known = zab_.sequence().size();
  zab_.applied(sid, zxid, hash);
  if (txn.kind == ZooTxn::Kind::close_session) compare_close(sid, zxid, effects.size());
  if (zab_.sequence().size() != known) applied_first(zxid, proposal, effects, now);
  if (zxid <= newest_) return false;
  newest_ = zxid;
  return true;
}

void ZooJudge::applied_first(ZabZxid zxid, const ZooProposal& proposal, std::span<const ZooEffect> effects,
                             TrueTime now) {
  const ZooTxn& txn = proposal.txn;
  if (keep_) transactions_.push_back({zxid, proposal.session, proposal.xid, now, txn});
  if (txn.kind == ZooTxn::Kind::create && txn.ephemeral) asked_for_a_place(txn.hold, now);
  for (const ZooEffect& e : effects) keep_ephemeral(e, zxid);
  if (txn.kind != ZooTxn::Kind::close_session) return;
  const auto left = ephemerals_.find(txn.session);
  if (left != ephemerals_.end()) {
    const auto first = std::min_element(left->second.begin(), left->second.end(), by_text);
    complaints_.push_back(first->text() + " outlives its session, closed by " + zab_text(zxid));
  }
  if (!closed_.insert(txn.session).second) return;
  if (asked_to_close_.contains(txn.session)) return;
  const auto& touches = touches_[txn.session];
  const auto touch = touches.find(zab_epoch(zxid));
  if (touch == touches.end()) {
    complaints_.push_back("a session is closed that its leader never heard of");
    return;
  }
  const Touch& t = touch->second;
  if (!t.expired_ms) {
    complaints_.push_back("a session is closed that its leader did not let expire");
  } else if (*t.expired_ms - t.at_ms < t.timeout_ms - 1) {
    complaints_.push_back("a session is closed " + std::to_string(*t.expired_ms - t.at_ms) +
                          " ms after its leader heard of it");
  }
}

// Complains if two servers delete different numbers of ephemerals when a session closes.
void ZooJudge::compare_close(ZabSid sid, ZabZxid zxid, std::size_t deleted) {
  const auto [close, first] = deleted_by_close_.emplace(zxid, deleted);
  if (first || close->second == deleted) return;
  complaints_.push_back("server " + std::to_string(sid) + " deletes " + std::to_string(deleted) + " ephemerals by " +
                        zab_text(zxid) + " where another deleted " + std::to_string(close->second));
}

void ZooJudge::keep_ephemeral(const ZooEffect& e, ZabZxid zxid) {
  if (e.owner == 0 || e.kind == ZooEffect::Kind::data_changed) return;
  if (e.kind == ZooEffect::Kind::created) {
    ephemerals_[e.owner].push_back(e.path);
    if (closed_.contains(e.owner)) {
      complaints_.push_back(e.path.text() + " belongs to a session that was closed before " + zab_text(zxid));
    }
    return;
  }
  const auto of_owner = ephemerals_.find(e.owner);
  if (of_owner == ephemerals_.end()) return;
  std::erase(of_owner->second, e.path);
  if (of_owner->second.empty()) ephemerals_.erase(of_owner);
}

std::string ZooJudge::misplaced(const ZooTree& tree) const {
  const auto& sequence = zab_.sequence();
  if (sequence.empty() || tree.last_zxid() < sequence.back().zxid) return {};
  for (const ZooTree::Node* const node : tree.nodes()) {
    if (node->owner == 0) continue;
    if (closed_.contains(node->owner)) return node->path.text() + " has outlived its session, which was closed";
    const auto made = std::lower_bound(sequence.begin(), sequence.end(), node->czxid,
                                       [](const ZabWitness::Applied& a, ZabZxid zxid) { return a.zxid < zxid; });
    if (made == sequence.end() || made->zxid != node->czxid)
      return node->path.text() + " was made by no transaction that counts";
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
