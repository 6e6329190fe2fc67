#include "sim/zookeeper/zab/election.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "sim/quorum/majority.hpp"

namespace picklock {
namespace {

constexpr ZabZxid kNoCandidate = std::numeric_limits<ZabZxid>::min();

// Vote.equals: two servers with a leader need not have elected it in the same round.
bool same_vote(const ZabVote& a, const ZabVote& b) {
  if (a.role == ZabRole::looking || b.role == ZabRole::looking) {
    return std::tie(a.leader, a.zxid, a.round, a.epoch) == std::tie(b.leader, b.zxid, b.round, b.epoch);
  }
  return a.leader == b.leader && a.epoch == b.epoch;
}

ZabVote vote_in(const ZabMessageHead& n) { return {n.leader, n.zxid, n.round, n.epoch, n.role}; }

}  // namespace

bool ZabElection::better(const ZabMessageHead& n, ZabSid leader, ZabZxid zxid, ZabEpoch epoch) const {
  if (flaw_ == ZabFlaw::elects_by_sid) return n.leader > leader;
  return std::tie(n.epoch, n.zxid, n.leader) > std::tie(epoch, zxid, leader);
}

bool ZabElection::quorum_for(const std::map<ZabSid, ZabVote>& votes, const ZabVote& vote) const {
  const auto agree = std::count_if(
      votes.begin(), votes.end(), [&](const auto& v) { return ensemble_.votes(v.first) && same_vote(v.second, vote); });
  return static_cast<std::size_t>(agree) >= majority_of(ensemble_.voters());
}

// Hearsay is not enough to follow: the leader itself must have said that it leads.
bool ZabElection::leader_confirms(const std::map<ZabSid, ZabVote>& votes, const ZabMessageHead& n) const {
  if (n.leader == self_) return round_ == n.round;
  const auto its = votes.find(n.leader);
  return its != votes.end() && its->second.role == ZabRole::leading;
}

void ZabElection::propose_own() {
  const bool votes = ensemble_.votes(self_);
  proposal_ = {votes ? self_ : 0, votes ? own_.zxid : kNoCandidate, round_, votes ? own_.epoch : kNoCandidate,
               ZabRole::looking};
}

void ZabElection::propose(const ZabMessageHead& n) {
  proposal_ = {n.leader, n.zxid, round_, n.epoch, ZabRole::looking};
}

ZabMessage ZabElection::notification() const {
  ZabMessage n;
  n.kind = ZabMessage::Kind::notification;
  n.role = ZabRole::looking;
  n.sid = self_;
  n.leader = proposal_.leader;
  n.zxid = proposal_.zxid;
  n.round = round_;
  n.epoch = proposal_.epoch;
  return n;
}

void ZabElection::tell_all() {
  const ZabMessage n = notification();
  for (const ZabMember& m : ensemble_.members) {
    if (m.observer) continue;
    if (m.sid == self_) {
      inbox_.push_back(n);
    } else {
      outputs_.push_back({ZabOutput::Kind::notify, 0, m.sid, n});
    }
  }
}

void ZabElection::start(const Candidate& own, ZabMs now) {
  own_ = own;
  running_ = true;
  elected_ = finalizing_ = false;
  votes_.clear();
  outside_.clear();
  ++round_;
  propose_own();
  timers_.resend_after = kFirstResend;
  timers_.resend_at = now + timers_.resend_after;
  tell_all();
  work_off(now);
}

void ZabElection::heard(const ZabMessageHead& notification, ZabMs now) {
  if (!ensemble_.votes(notification.sid) || (notification.leader != 0 && !ensemble_.votes(notification.leader))) return;
  inbox_.push_back(notification);
  if (running_) work_off(now);
}

void ZabElection::work_off(ZabMs now) {
  while (running_ && !inbox_.empty()) {
    const ZabMessageHead n = inbox_.front();
    inbox_.pop_front();
    if (finalizing_) {
      timers_.finalize_at = now + kFinalizeWait;
      if (!better(n, proposal_.leader, proposal_.zxid, proposal_.epoch)) continue;
      finalizing_ = false;
    }
    timers_.resend_at = now + timers_.resend_after;
    if (n.role == ZabRole::looking) {
      looking_too(n, now);
    } else if (n.role != ZabRole::observing) {
      has_a_leader(n);
    }
  }
}

void ZabElection::looking_too(const ZabMessageHead& n, ZabMs now) {
  if (n.round < round_) return;
  if (n.round > round_) {
    round_ = n.round;
    votes_.clear();
    const bool votes = ensemble_.votes(self_);
    if (!votes || better(n, self_, own_.zxid, own_.epoch)) {
      propose(n);
    } else {
      propose_own();
    }
    tell_all();
  } else if (better(n, proposal_.leader, proposal_.zxid, proposal_.epoch)) {
    propose(n);
    tell_all();
  }
  votes_[n.sid] = vote_in(n);
  if (quorum_for(votes_, proposal_)) {
    finalizing_ = true;
    timers_.finalize_at = now + kFinalizeWait;
  }
}

void ZabElection::has_a_leader(const ZabMessageHead& n) {
  const ZabVote its = vote_in(n);
  if (n.round == round_) {
    votes_[n.sid] = its;
    if (quorum_for(votes_, its) && leader_confirms(votes_, n)) return conclude(its);
  }
  outside_[n.sid] = its;
  if (quorum_for(outside_, its) && leader_confirms(outside_, n)) {
    round_ = n.round;
    conclude(its);
  }
}

void ZabElection::conclude(const ZabVote& vote) {
  proposal_ = vote;
  proposal_.round = round_;
  elected_ = true;
  running_ = finalizing_ = false;
  inbox_.clear();
}

void ZabElection::forget() {
  running_ = elected_ = finalizing_ = false;
  inbox_.clear();
}

void ZabElection::tick(ZabMs now) {
  if (!running_) return;
  if (finalizing_) {
    if (now >= timers_.finalize_at) conclude(ZabVote(proposal_));
    return;
  }
  if (now < timers_.resend_at) return;
  tell_all();
  timers_.resend_after = std::min(2 * timers_.resend_after, kLongestResend);
  timers_.resend_at = now + timers_.resend_after;
  work_off(now);
}

ZabMs ZabElection::due() const {
  if (!running_) return kZabNever;
  return finalizing_ ? timers_.finalize_at : timers_.resend_at;
}

}  // namespace picklock
