#include "sim/zookeeper/zab/learner.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

using Kind = ZabMessage::Kind;

ZabLearner::ZabLearner(ZabContext& context, ZabSid leader, ZabLink link, ZabMs now)
    : context_(context), leader_(leader) {
  connect_by_ = now + context_.options.init_limit * context_.options.tick;
  connect(link, now);
}

void ZabLearner::give_up() {
  if (over_) return;
  over_ = true;
  if (phase_ != Phase::pauses) context_.close(link_);
}

// --- connecting

void ZabLearner::connect(ZabLink link, ZabMs now) {
  link_ = link;
  ++attempts_;
  phase_ = Phase::connects;
  deadline_ = std::min(connect_by_, now + context_.options.sync_limit * context_.options.tick);
  context_.out.send({ZabOutput::Kind::connect, link, leader_, {}});
}

void ZabLearner::attempt_failed(ZabMs now) {
  if (attempts_ >= kAttempts || now >= connect_by_) {
    over_ = true;
    return;
  }
  phase_ = Phase::pauses;
  deadline_ = now + context_.options.connect_retry;
}

void ZabLearner::opened(ZabLink link, ZabMs now) {
  if (link != link_ || phase_ != Phase::connects) return;
  phase_ = Phase::registers;
  deadline_ = now + patience();
  ZabMessage m = zab_packet(observes() ? Kind::observer_info : Kind::follower_info);
  m.sid = context_.self;
  m.epoch = context_.history.accepted();
  context_.send(link_, std::move(m));
}

void ZabLearner::closed(ZabLink link, ZabMs now) {
  if (link != link_ || over_ || phase_ == Phase::pauses) return;
  if (phase_ == Phase::connects) return attempt_failed(now);
  over_ = true;
}

ZabMs ZabLearner::patience() const {
  const bool joined = phase_ >= Phase::waits_for_quorum;
  return (joined ? context_.options.sync_limit : context_.options.init_limit) * context_.options.tick;
}

void ZabLearner::tick(ZabMs now) {
  if (over_ || now < deadline_ || phase_ == Phase::pauses) return;
  if (phase_ == Phase::connects) {
    context_.close(link_);
    return attempt_failed(now);
  }
  give_up();
}

// --- packets

void ZabLearner::received(ZabLink link, const ZabPacket& m, ZabMs now) {
  if (over_ || link != link_) return;
  deadline_ = now + patience();
  switch (m.kind) {
    case Kind::refused:
      context_.close(link_);
      return attempt_failed(now);
    case Kind::leader_info:
      return heard_epoch(m);
    case Kind::diff:
    case Kind::trunc:
    case Kind::snap:
      return begin_history(m);
    case Kind::new_leader: {
      take_over_history();
      deadline_ = now + patience();
      return;
    }
    case Kind::up_to_date:
      return up_to_date();
    case Kind::proposal:
      return logged(m);
    case Kind::inform:
      logged(m);
      [[fallthrough]];
    case Kind::commit:
      committed_ = std::max(committed_, m.zxid);
      if (phase_ == Phase::follows) context_.history.commit(committed_);
      return;
    case Kind::ping:
      return context_.send(link_, Kind::pong, m.zxid,
                           serves() ? SharedBytes(context_.machine.touched()) : SharedBytes());
    case Kind::reply:
      return context_.machine.from_leader(m.body);
    case Kind::sync_done:
      return context_.machine.synced(m.body);
    default:
      return give_up();
  }
}

void ZabLearner::heard_epoch(const ZabPacket& m) {
  if (phase_ != Phase::registers) return give_up();
  epoch_ = m.epoch;
  ZabHistory& history = context_.history;
  if (epoch_ < history.accepted()) return give_up();
  ZabMessage ack = zab_packet(Kind::ack_epoch, history.last());
  ack.epoch = epoch_ == history.accepted() ? -1 : history.current();
  phase_ = Phase::waits_for_history;
  if (epoch_ == history.accepted()) return context_.send(link_, std::move(ack));
  context_.send_after(history.accept(epoch_), link_, std::move(ack));
}

void ZabLearner::begin_history(const ZabPacket& m) {
  if (phase_ != Phase::waits_for_history) return give_up();
  phase_ = Phase::synchronises;
  committed_ = m.zxid;
  if (m.kind == Kind::diff && context_.options.flaw == ZabFlaw::takes_diff_for_read) context_.history.skip_to(m.zxid);
  if (m.kind == Kind::snap) {
    replaced_ = true;
    snapshot_ = {m.zxid, std::string(m.body)};
  } else if (m.kind == Kind::trunc) {
    context_.history.truncate(m.zxid);
    context_.machine.truncates(m.zxid);
  }
}

void ZabLearner::logged(const ZabPacket& m) {
  if (phase_ == Phase::synchronises) {
    pending_.push_back({m.zxid, m.body});
    return;
  }
  if (phase_ < Phase::synchronises) return give_up();
  const ZabPosition position = context_.history.append({m.zxid, m.body});
  if (observes()) return;
  if (context_.options.flaw == ZabFlaw::acks_before_log) return context_.send(link_, Kind::ack, m.zxid);
  context_.send_after(position, link_, Kind::ack, m.zxid);
}

// NEWLEADER: the history is on the platter first, then the epoch, then the leader hears of it.
void ZabLearner::take_over_history() {
  if (phase_ != Phase::synchronises) return give_up();
  phase_ = Phase::waits_for_quorum;
  ZabHistory& history = context_.history;
  if (replaced_) history.replace(snapshot_.zxid, std::move(snapshot_.state));
  std::vector<ZabEntry> pending = std::exchange(pending_, {});
  for (ZabEntry& e : pending) history.append(std::move(e));
  const ZabPosition position = history.take_over(epoch_);
  context_.send_after(position, link_, Kind::ack, zab_zxid(epoch_, 0));
  if (observes()) return;
  for (const ZabEntry& e : pending) {
    if (e.zxid > committed_) context_.send_after(position, link_, Kind::ack, e.zxid);
  }
}

void ZabLearner::up_to_date() {
  if (phase_ != Phase::waits_for_quorum) return give_up();
  phase_ = Phase::follows;
  context_.history.commit(committed_);
  context_.machine.follows(leader_);
}

}  // namespace picklock
