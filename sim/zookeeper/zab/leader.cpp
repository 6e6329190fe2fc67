// A leader until it serves: discovery and synchronisation.

#include "sim/zookeeper/zab/leader.hpp"

#include <algorithm>

namespace picklock {

using Kind = ZabMessage::Kind;

namespace {

// The history with which the leader begins.
const ZabHistory& begun(ZabContext& context) {
  if (context.options.flaw == ZabFlaw::drops_own_proposals) context.history.truncate(context.history.applied());
  if (context.options.flaw == ZabFlaw::reloads_truncated) context.history.note_snapshot();
  return context.history;
}

}  // namespace

ZabLeader::ZabLeader(ZabContext& context, ZabMs now)
    : context_(context), agreement_(context.ensemble, context.self, begun(context)), now_(now) {
  listens_at_ = now + context_.machine.takes_to_listen();
  deadline_ = now + context_.options.init_limit * context_.options.tick;
  pings_.next_at = now + context_.options.tick / 2;
  if (agreement_.quorum_connected()) fix_epoch(now);
}

ZabLeader::Learner* ZabLeader::find(ZabLink link) {
  const auto l = std::find_if(learners_.begin(), learners_.end(), [link](const Learner& x) { return x.link == link; });
  return l == learners_.end() ? nullptr : &*l;
}

void ZabLeader::closed(ZabLink link) {
  std::erase_if(learners_, [link](const Learner& l) { return l.link == link; });
}

void ZabLeader::drop(ZabLink link) {
  context_.close(link);
  closed(link);
}

void ZabLeader::step_down() {
  if (over_) return;
  over_ = true;
  for (const Learner& l : learners_) context_.close(l.link);
  learners_.clear();
}

void ZabLeader::received(ZabLink link, const ZabPacket& m, ZabMs now) {
  now_ = now;
  if (over_) return;
  if (m.kind == Kind::follower_info || m.kind == Kind::observer_info) return join(link, m, now);
  Learner* const l = find(link);
  if (l == nullptr) return;
  l->heard_at = now;
  // LearnerHandler.run: every packet behind the acknowledged NEWLEADER sets the deadline anew, if that is earlier too.
  if (serves() && l->stage == Learner::Stage::up_to_date) l->synced_until = pings_.ticks + context_.options.sync_limit;
  switch (m.kind) {
    case Kind::ack_epoch:
      return acked_epoch(*l, m, now);
    case Kind::ack:
      return acked(*l, m.zxid, now);
    case Kind::pong:
      if (!m.body.empty()) context_.machine.heard_touches(l->sid, m.body);
      return;
    case Kind::request:
      return context_.machine.from_learner(l->sid, link, m.body);
    case Kind::sync:
      if (committed_ == last_proposed()) return context_.send(link, Kind::sync_done, committed_, m.body);
      syncs_.push_back({last_proposed(), link, m.body});
      return;
    default:
      return drop(link);
  }
}

// --- discovery: the epoch is one more than any that a quorum has accepted

void ZabLeader::join(ZabLink link, const ZabMessageHead& info, ZabMs now) {
  Learner l;
  l.link = link;
  l.sid = info.sid;
  l.observer = info.kind == Kind::observer_info;
  l.heard_at = now;
  l.synced_until = pings_.ticks + context_.options.init_limit + context_.options.sync_limit;
  learners_.push_back(l);
  if (phase_ != Phase::discovery) return send_epoch(learners_.back(), epoch_accepted_);
  agreement_.connected(l.sid, info.epoch);
  if (agreement_.quorum_connected()) fix_epoch(now);
}

void ZabLeader::fix_epoch(ZabMs now) {
  phase_ = Phase::epoch_acks;
  deadline_ = now + context_.options.init_limit * context_.options.tick;
  epoch_accepted_ = context_.history.accept(epoch());
  proposals_.begin(new_leader_zxid());
  agreement_.acked_epoch(context_.self);
  for (Learner& l : learners_) send_epoch(l, epoch_accepted_);
  if (agreement_.quorum_acked_epoch()) end_discovery(now);
}

void ZabLeader::send_epoch(Learner& l, ZabPosition needs) {
  l.stage = Learner::Stage::knows_epoch;
  ZabMessage m = zab_packet(Kind::leader_info);
  m.epoch = epoch();
  context_.send_after(needs, l.link, std::move(m));
}

void ZabLeader::acked_epoch(Learner& l, const ZabMessageHead& ack, ZabMs now) {
  if (l.stage != Learner::Stage::knows_epoch) return drop(l.link);
  l.stage = Learner::Stage::acked_epoch;
  l.last = ack.zxid;
  if (phase_ != Phase::epoch_acks) return synchronise(l);
  if (ack.epoch != -1) {
    const bool ahead = agreement_.is_ahead(ack.epoch, ack.zxid);
    if (ahead && context_.options.flaw != ZabFlaw::elects_by_sid) return drop(l.link);
    agreement_.acked_epoch(l.sid);
  }
  if (agreement_.quorum_acked_epoch()) end_discovery(now);
}

void ZabLeader::end_discovery(ZabMs now) {
  phase_ = Phase::synchronisation;
  deadline_ = now + context_.options.init_limit * context_.options.tick;
  epoch_taken_over_ = context_.history.take_over(epoch());
  committed_ = context_.history.newest();
  proposals_.take_over(committed_);
  for (Learner& l : learners_) {
    if (l.stage == Learner::Stage::acked_epoch) synchronise(l);
  }
  if (context_.out.persisted() >= epoch_taken_over_) acked_new_leader(context_.self);
}

// --- synchronisation: what the learner lacks, and away with what the leader lacks

void ZabLeader::synchronise(Learner& l) {
  l.stage = Learner::Stage::synchronises;
  const std::size_t next = send_history(l);
  // startForwarding: what was proposed meanwhile; observers hear of it when it is committed.
  const std::deque<ZabEntry>& entries = context_.history.entries();
  for (std::size_t i = next; i < entries.size(); ++i) {
    const bool is_committed = entries[i].zxid <= committed_;
    if (l.observer && !is_committed) break;
    context_.send(l.link, Kind::proposal, entries[i].zxid, entries[i].txn);
    if (is_committed) context_.send(l.link, Kind::commit, entries[i].zxid);
  }
  context_.send(l.link, Kind::new_leader, new_leader_zxid());
}

// Says how the learner's log becomes a beginning of the leader's; returns the index of the first entry to follow.
std::size_t ZabLeader::send_history(Learner& l) {
  const ZabHistory& history = context_.history;
  const std::deque<ZabEntry>& entries = history.entries();
  const std::size_t first = history.first_kept();
  const auto after = [&](ZabZxid zxid) {
    return static_cast<std::size_t>(std::upper_bound(entries.begin(), entries.end(), zxid,
                                                     [](ZabZxid z, const ZabEntry& e) { return z < e.zxid; }) -
                                    entries.begin());
  };
  const std::size_t end = after(committed_);
  const bool at_epoch_start = zab_counter(l.last) == 0;
  const ZabZxid stands_at =
      std::max(committed_, phase_ == Phase::broadcast ? new_leader_zxid() : agreement_.own_last());
  if (l.last == stands_at) {
    context_.send(l.link, Kind::diff, l.last);
    return end;
  }
  if (end > first) {
    const ZabZxid oldest = entries[first].zxid, newest = entries[end - 1].zxid;
    if (l.last > newest && !at_epoch_start) {
      context_.send(l.link, Kind::trunc, newest);
      return end;
    }
    if (l.last >= oldest) {
      const std::size_t next = after(l.last);
      const bool has_it = entries[next - 1].zxid == l.last;
      if (has_it || at_epoch_start) {
        context_.send(l.link, Kind::diff, newest);
        return next;
      }
      // It has what the leader never saw, of an epoch that had other successors: only a snapshot can undo that.
      if (zab_epoch(entries[next].zxid) == zab_epoch(l.last)) {
        context_.send(l.link, Kind::trunc, entries[next - 1].zxid);
        return next;
      }
    }
  }
  context_.send(l.link, Kind::snap, std::max(history.applied(), ZabZxid{0}), history.snapshot());
  return after(history.applied());
}

void ZabLeader::acked_new_leader(ZabSid sid) {
  agreement_.acked_history(sid);
  if (phase_ != Phase::synchronisation || !agreement_.quorum_acked_history()) return;
  if (!agreement_.has_acked_history(context_.self)) return;  // it goes on once its own epoch is on the platter
  phase_ = Phase::starts;
  deadline_ = now_ + context_.machine.takes_to_serve();
  if (deadline_ <= now_) serve();
}

void ZabLeader::serve() {
  phase_ = Phase::broadcast;
  context_.history.commit(committed_);
  context_.history.begin_epoch(epoch());
  committed_ = last_proposed();
  context_.machine.leads(epoch());
  for (Learner& l : learners_) {
    if (l.stage == Learner::Stage::up_to_date) bring_up_to_date(l);
  }
}

void ZabLeader::bring_up_to_date(Learner& l) { context_.send(l.link, Kind::up_to_date, new_leader_zxid()); }

}  // namespace picklock
