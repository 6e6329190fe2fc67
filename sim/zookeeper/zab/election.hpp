// The election of a leader, as FastLeaderElection does it.
//
//   election.start({.zxid = last_logged, .epoch = current_epoch}, now);
//   election.heard(notification, now);  election.tick(now);      // no later than due()
//   if (election.elected()) … election.vote() …
//
// Each server votes for itself and takes over every better vote it hears of; an order over (epoch of the
// candidate, its last zxid, its sid) says which is better.  Once a quorum agrees it waits 200 ms for a
// better one still.  Without answers it repeats its vote after 200 ms, 400 ms, … 60 s.  A server that has a
// leader already says so, and a quorum of such answers, the leader's among them, ends the search at once.
//
// From:      server/quorum/FastLeaderElection.java of 3.8; the order is that of totalOrderPredicate.
// Left out:  weights and groups, reconfiguration, the oracle of two-server ensembles.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "sim/zookeeper/zab/message.hpp"

namespace picklock {

struct ZabVote {
  ZabSid leader = 0;
  ZabZxid zxid = 0;
  std::int64_t round = 0;           // the logical clock of elections, of this process only
  ZabEpoch epoch = 0;               // current epoch of the candidate
  ZabRole role = ZabRole::looking;  // role of the voter
};

// Keeps one server's vote, the votes that it has heard in this round, and when it repeats its own.
class ZabElection {
 public:
  static constexpr ZabMs kFinalizeWait = 200, kFirstResend = 200, kLongestResend = 60'000;

  struct Candidate {  // the server's own claim
    ZabZxid zxid = 0;
    ZabEpoch epoch = 0;
  };

  ZabElection(const ZabEnsemble& ensemble, ZabSid self, ZabFlaw flaw = ZabFlaw::none)
      : ensemble_(ensemble), self_(self), flaw_(flaw) {}

  // Notifications that came before it started count.
  void start(const Candidate& own, ZabMs now);
  void heard(const ZabMessageHead& notification, ZabMs now);
  void tick(ZabMs now);
  void forget();  // the outcome, and whatever was heard
  ZabMs due() const;

  bool running() const { return running_; }
  bool elected() const { return elected_; }
  const ZabVote& vote() const { return proposal_; }  // its own so far, or the outcome
  std::int64_t round() const { return round_; }
  ZabMessage notification() const;  // the vote that it sends now
  // Notifications to send; the sender clears them.
  std::vector<ZabOutput>& outputs() { return outputs_; }

 private:
  struct Timers {
    ZabMs resend_after = kFirstResend, resend_at = 0, finalize_at = 0;
  };

  void propose_own();
  void propose(const ZabMessageHead& n);
  void tell_all();
  void work_off(ZabMs now);
  void looking_too(const ZabMessageHead& n, ZabMs now);
  void has_a_leader(const ZabMessageHead& n);
  bool better(const ZabMessageHead& n, ZabSid leader, ZabZxid zxid, ZabEpoch epoch) const;
  bool quorum_for(const std::map<ZabSid, ZabVote>& votes, const ZabVote& vote) const;
  bool leader_confirms(const std::map<ZabSid, ZabVote>& votes, const ZabMessageHead& n) const;
  void conclude(const ZabVote& vote);

  const ZabEnsemble& ensemble_;
  ZabSid self_;
  ZabFlaw flaw_;
  Candidate own_;
  bool running_ = false, elected_ = false, finalizing_ = false;
  std::int64_t round_ = 0;
  ZabVote proposal_;
  std::map<ZabSid, ZabVote> votes_;    // votes of this round
  std::map<ZabSid, ZabVote> outside_;  // votes of servers that have a leader
  std::deque<ZabMessageHead> inbox_;
  Timers timers_;
  std::vector<ZabOutput> outputs_;
};

}  // namespace picklock
