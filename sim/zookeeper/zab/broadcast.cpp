// A leader that serves: proposals, acknowledgements, commits, pings.

#include <algorithm>
#include <array>
#include <utility>

#include "sim/quorum/majority.hpp"
#include "sim/zookeeper/zab/leader.hpp"

namespace picklock {

using Kind = ZabMessage::Kind;

ZabZxid ZabLeader::propose(std::string txn, ZabMs now) {
  if (zab_counter(last_proposed_) >= context_.options.last_counter) {
    step_down();
    return 0;
  }
  now_ = now;
  ++last_proposed_;
  for (Learner& l : learners_) {
    if (l.observer || l.stage < Learner::Stage::synchronises) continue;
    context_.send(l.link, zab_packet(Kind::proposal, last_proposed_, txn));
    if (l.stage == Learner::Stage::up_to_date) note_proposal(l, last_proposed_, now);
  }
  const ZabPosition position = context_.history.append({last_proposed_, std::move(txn)});
  logged_.push_back({position, last_proposed_});
  if (context_.options.flaw == ZabFlaw::commits_alone) persisted(position, now);
  return last_proposed_;
}

void ZabLeader::note_proposal(Learner& l, ZabZxid zxid, ZabMs now) {
  if (l.unacked == 0) {
    l.unacked = zxid;
    l.unacked_since = now;
  } else {
    l.next_unacked = zxid;
    l.next_since = now;
  }
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
  if (zxid >= l.unacked && l.unacked != 0) {
    l.unacked = std::exchange(l.next_unacked, 0);
    l.unacked_since = l.next_since;
    if (l.unacked != 0 && l.unacked <= zxid) l.unacked = 0;
  }
  commit_what_is_acked();
}

void ZabLeader::persisted(ZabPosition position, ZabMs now) {
  now_ = now;
  if (over_) return;
  if (phase_ == Phase::synchronisation && epoch_taken_over_ != 0 && position >= epoch_taken_over_) {
    acked_new_leader(context_.self);
  }
  if (logged_.empty() || logged_.front().position > position) return;
  for (; !logged_.empty() && logged_.front().position <= position; logged_.pop_front())
    own_acked_ = logged_.front().zxid;
  commit_what_is_acked();
}

void ZabLeader::commit_what_is_acked() {
  if (phase_ != Phase::broadcast) return;
  if (context_.options.flaw == ZabFlaw::commits_alone) return commit(own_acked_);
  std::array<std::uint64_t, kMostVoters> positions{};
  std::size_t n = 0;
  for (const ZabMember& m : context_.ensemble.members) {
    if (m.observer) continue;
    ZabZxid reached = m.sid == context_.self ? own_acked_ : 0;
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
  const auto newer = [](ZabZxid z, const ZabEntry& e) { return z < e.zxid; };
  auto entry = std::upper_bound(entries.begin(), entries.end(), committed_, newer);
  for (; entry != entries.end() && entry->zxid <= upto; ++entry) {
    for (const Learner& l : learners_) {
      if (l.stage < Learner::Stage::synchronises) continue;
      if (l.observer) {
        context_.send(l.link, zab_packet(Kind::inform, entry->zxid, entry->txn));
      } else {
        context_.send(l.link, zab_packet(Kind::commit, entry->zxid));
      }
    }
    committed_ = entry->zxid;
    for (const PendingSync& s : syncs_) {
      if (s.zxid == committed_) context_.send(s.link, zab_packet(Kind::sync_done, committed_, s.body));
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
      return l.sid == m.sid && l.stage == Learner::Stage::up_to_date && ticks_ <= l.synced_until;
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
  if (now < ping_at_) return;
  ping_at_ = now + context_.options.tick / 2;
  drop_silent_learners(now);
  if (phase_ == Phase::broadcast) {
    if (!between_ticks_) {
      ++ticks_;
      if (!has_synced_quorum()) return step_down();
    }
    between_ticks_ = !between_ticks_;
  }
  for (std::size_t i = 0; i < learners_.size();) {
    const Learner& l = learners_[i];
    const bool slow = l.unacked != 0 && now - l.unacked_since >= context_.options.sync_limit * context_.options.tick;
    if (slow) {
      drop(l.link);
      continue;
    }
    if (serves() && l.stage >= Learner::Stage::synchronises)
      context_.send(l.link, zab_packet(Kind::ping, last_proposed_));
    ++i;
  }
}

}  // namespace picklock
