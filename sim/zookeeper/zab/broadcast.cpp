// A leader that serves: proposals, acknowledgements, commits, pings.

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "sim/quorum/majority.hpp"
#include "sim/zookeeper/zab/leader.hpp"

namespace picklock {

using Kind = ZabMessage::Kind;

ZabZxid ZabLeader::propose(SharedBytes txn, ZabMs now) {
  if (zab_counter(last_proposed()) >= context_.options.last_counter) {
    step_down();
    return 0;
  }
  now_ = now;
  const ZabZxid zxid = proposals_.next();
  for (Learner& l : learners_) {
    if (l.observer || l.stage < Learner::Stage::synchronises) continue;
    context_.send(l.link, Kind::proposal, zxid, txn);
    if (l.stage == Learner::Stage::up_to_date) l.unacked.proposed(zxid, now);
  }
  const ZabPosition position = context_.history.append({zxid, std::move(txn)});
  proposals_.logged(position);
  if (context_.options.flaw == ZabFlaw::commits_alone) persisted(position, now);
  return zxid;
}

void ZabLeader::acked(Learner& l, ZabZxid zxid, ZabMs now) {
  now_ = now;
  if (zab_counter(zxid) == 0) {
    if (l.stage != Learner::Stage::synchronises) return;
    l.stage = Learner::Stage::up_to_date;
    const ZabSid sid = l.sid;
    if (phase_ == Phase::broadcast) return bring_up_to_date(l);
    return acked_new_leader(sid);
  }
  l.acked = std::max(l.acked, zxid);
  l.unacked.acked(zxid);
  if (zxid > committed_) commit_what_is_acked();
}

void ZabLeader::persisted(ZabPosition position, ZabMs now) {
  now_ = now;
  if (over_) return;
  if (phase_ == Phase::synchronisation && epoch_taken_over_ != 0 && position >= epoch_taken_over_) {
    acked_new_leader(context_.self);
  }
  if (proposals_.persisted(position)) commit_what_is_acked();
}

void ZabLeader::commit_what_is_acked() {
  if (phase_ != Phase::broadcast) return;
  if (context_.options.flaw == ZabFlaw::commits_alone) return commit(proposals_.acked());
  std::array<std::uint64_t, kMostVoters> positions;  // the first n of them
  std::size_t n = 0;
  for (const ZabMember& m : context_.ensemble.members) {
    if (m.observer) continue;
    ZabZxid reached = m.sid == context_.self ? proposals_.acked() : 0;
    for (const Learner& l : learners_) {
      if (l.sid == m.sid && l.stage == Learner::Stage::up_to_date) reached = std::max(reached, l.acked);
    }
    positions[n++] = static_cast<std::uint64_t>(reached);
  }
  commit(static_cast<ZabZxid>(reached_by_majority({positions.data(), n})));
}

void ZabLeader::commit(ZabZxid upto) {
  if (upto <= committed_) return;
  const std::deque<ZabEntry>& entries = context_.history.entries();
  auto entry = entries.end();  // the first that is not committed: few are not
  while (entry != entries.begin() && std::prev(entry)->zxid > committed_) --entry;
  for (; entry != entries.end() && entry->zxid <= upto; ++entry) {
    for (const Learner& l : learners_) {
      if (l.stage < Learner::Stage::synchronises) continue;
      if (l.observer) {
        context_.send(l.link, Kind::inform, entry->zxid, entry->txn);
      } else {
        context_.send(l.link, Kind::commit, entry->zxid);
      }
    }
    committed_ = entry->zxid;
    for (const PendingSync& s : syncs_) {
      if (s.zxid == committed_) context_.send(s.link, Kind::sync_done, committed_, s.body);
    }
    std::erase_if(syncs_, [this](const PendingSync& s) { return s.zxid <= committed_; });
  }
  context_.history.commit(upto);
}

// The socket of a learner's handler times out on its own account, whenever the leader looks for its quorum.
void ZabLeader::drop_silent_learners(ZabMs now) {
  const ZabOptions& o = context_.options;
  for (std::size_t i = 0; i < learners_.size();) {
    const Learner& l = learners_[i];
    const bool joined = l.stage == Learner::Stage::up_to_date;
    if (now - l.heard_at >= (joined ? o.sync_limit : o.init_limit) * o.tick) {
      drop(l.link);
    } else {
      ++i;
    }
  }
}

// A learner that has connected anew may still have its old link: servers count, not links (SyncedLearnerTracker).
bool ZabLeader::has_synced_quorum() const {
  std::size_t synced = 0;
  for (const ZabMember& m : context_.ensemble.members) {
    if (m.observer) continue;
    const bool is_synced = std::any_of(learners_.begin(), learners_.end(), [&](const Learner& l) {
      return l.sid == m.sid && l.stage == Learner::Stage::up_to_date && pings_.ticks <= l.synced_until;
    });
    synced += m.sid == context_.self || is_synced ? 1 : 0;
  }
  return synced >= majority_of(context_.ensemble.voters());
}

void ZabLeader::tick(ZabMs now) {
  now_ = now;
  if (over_) return;
  if (phase_ == Phase::starts && now >= deadline_) serve();
  if (phase_ < Phase::starts && now >= deadline_) return step_down();
  if (now < pings_.next_at) return;
  pings_.next_at = now + context_.options.tick / 2;
  drop_silent_learners(now);
  if (phase_ == Phase::broadcast) {
    if (!pings_.between_ticks) {
      ++pings_.ticks;
      if (!has_synced_quorum()) return step_down();
    }
    pings_.between_ticks = !pings_.between_ticks;
  }
  for (std::size_t i = 0; i < learners_.size();) {
    const Learner& l = learners_[i];
    if (l.unacked.too_slow(context_.options.sync_limit * context_.options.tick, now)) {
      drop(l.link);
      continue;
    }
    if (serves() && l.stage >= Learner::Stage::synchronises) context_.send(l.link, Kind::ping, last_proposed());
    ++i;
  }
}

}  // namespace picklock
