#include "sim/zookeeper/zab/peer.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

ZabPeer::ZabPeer(ZabEnsemble ensemble, ZabSid self, const ZabOptions& options, ZabMachine& machine)
    : ensemble_(std::move(ensemble)),
      self_(self),
      options_(options),
      machine_(machine),
      history_(machine, options_),
      context_{ensemble_, options_, self_, history_, machine_, out_},
      election_(ensemble_, self_, options_.flaw) {}

void ZabPeer::boot(ZabStored stored, ZabMs now) {
  history_.load(std::move(stored));
  look(now);
  settle(now);
}

// The log is synced before the server says how long it is.
void ZabPeer::look(ZabMs now) {
  leader_.reset();
  learner_.reset();
  role_ = ZabRole::looking;
  election_.forget();
  if (std::exchange(served_, false)) machine_.steps_back();
  if (out_.persisted() >= history_.written()) election_.start({history_.last(), history_.current()}, now);
}

void ZabPeer::elected(ZabMs now) {
  vote_ = election_.vote();
  if (vote_.leader == self_) {
    role_ = ZabRole::leading;
    leader_.emplace(context_, now);
  } else {
    role_ = ensemble_.votes(self_) ? ZabRole::following : ZabRole::observing;
    learner_.emplace(context_, vote_.leader, ++last_link_, now);
  }
}

void ZabPeer::settle_anew(ZabMs now) {
  for (;;) {
    for (ZabOutput& o : election_.outputs()) out_.send(std::move(o));
    election_.outputs().clear();
    if (role_ == ZabRole::looking) {
      if (!election_.elected() || election_.running()) return;
      elected(now);
    }
    if (over()) {
      look(now);
      continue;
    }
    if (learner_ && learner_->wants_link(now)) learner_->connect(++last_link_, now);
    if (serves() && !served_) {
      served_ = true;
      vote_.epoch = epoch();  // servers that ask for its leader are told the epoch as it is now
    }
    return;
  }
}

void ZabPeer::tick(ZabMs now) {
  if (role_ == ZabRole::looking) election_.tick(now);
  if (leader_) leader_->tick(now);
  if (learner_) learner_->tick(now);
  settle(now);
}

void ZabPeer::answer(ZabSid to, const ZabVote& vote, std::int64_t round) {
  ZabMessage n;
  n.kind = ZabMessage::Kind::notification;
  n.role = role_;
  n.sid = self_;
  n.leader = vote.leader;
  n.zxid = vote.zxid;
  n.round = round;
  n.epoch = vote.epoch;
  out_.send({ZabOutput::Kind::notify, 0, to, std::move(n)});
}

void ZabPeer::heard(const ZabMessageHead& n, ZabMs now) {
  if (role_ != ZabRole::looking) {
    if (n.role == ZabRole::looking) answer(n.sid, vote_, vote_.round);
  } else if (!ensemble_.votes(n.sid)) {
    answer(n.sid, election_.vote(), election_.round());
  } else {
    election_.heard(n, now);
    if (n.role == ZabRole::looking && n.round < election_.round() && election_.running()) {
      answer(n.sid, election_.vote(), election_.round());
    }
  }
  settle(now);
}

void ZabPeer::opened(ZabLink link, ZabMs now) {
  if (learner_) learner_->opened(link, now);
  settle(now);
}

// Nothing else is heard by a server that neither leads nor follows.
void ZabPeer::join(ZabLink link, const ZabPacket& m, ZabMs now) {
  if (!joins(m)) return;
  if (leader_ && leader_->listens(now)) return leader_->received(link, m, now);
  context_.send(link, zab_packet(ZabMessage::Kind::refused));
  context_.close(link);
}

void ZabPeer::closed(ZabLink link, ZabMs now) {
  if (leader_) leader_->closed(link);
  if (learner_) learner_->closed(link, now);
  settle(now);
}

void ZabPeer::persisted(ZabPosition position, ZabMs now) {
  out_.persisted(position);
  if (leader_) leader_->persisted(position, now);
  const bool waits = role_ == ZabRole::looking && !election_.running() && out_.persisted() >= history_.written();
  if (waits) election_.start({history_.last(), history_.current()}, now);
  settle(now);
}

ZabZxid ZabPeer::propose(SharedBytes txn, ZabMs now) { return leads() ? leader_->propose(std::move(txn), now) : 0; }

void ZabPeer::give_up(ZabMs now) {
  if (leader_) leader_->step_down();
  if (learner_) learner_->give_up();
  settle(now);
}

}  // namespace picklock
