// A leader: gathers a quorum, agrees on an epoch with it, brings it up to date, and then broadcasts.
//
// From:      server/quorum/{Leader,LearnerHandler}.java of 3.8.  Discovery (getEpochToPropose, waitForEpochAck),
//            synchronisation (syncFollower, startForwarding, waitForNewLeaderAck) and broadcast (propose,
//            processAck, tryToCommit) follow those methods; so does the loop that pings every half tick and
//            looks once a tick whether a quorum is left.
// Left out:  reconfiguration; a handler's read timeout is looked at when pings are sent, so it comes up to
//            half a tick late.  A learner that lacks more than the committed log is sent a snapshot of what the
//            leader had applied, and the rest of the log behind it: a leader applies what it found in its own
//            log only once a quorum has taken it over.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/zookeeper/zab/context.hpp"
#include "sim/zookeeper/zab/epoch_agreement.hpp"
#include "sim/zookeeper/zab/own_proposals.hpp"
#include "sim/zookeeper/zab/sync_limit_check.hpp"

namespace picklock {

// Keeps the phase, the learners with their stages, what is committed, and when the leader looks for its quorum.
class ZabLeader {
 public:
  ZabLeader(ZabContext& context, ZabMs now);

  bool listens(ZabMs now) const { return now >= listens_at_; }  // a leader refuses learners before that instant
  void received(ZabLink link, const ZabPacket& message, ZabMs now);
  void closed(ZabLink link);
  void persisted(ZabPosition position, ZabMs now);
  void tick(ZabMs now);
  ZabMs due() const { return phase_ == Phase::broadcast ? pings_.next_at : std::min(pings_.next_at, deadline_); }

  bool serves() const { return phase_ == Phase::broadcast; }
  bool over() const { return over_; }  // it has stepped down: forget it
  ZabEpoch epoch() const { return agreement_.epoch(); }
  ZabZxid last_proposed() const { return proposals_.last(); }
  ZabZxid committed() const { return committed_; }
  std::size_t learners() const { return learners_.size(); }

  ZabZxid propose(SharedBytes txn, ZabMs now);  // 0: the epoch has no number left, a new leader is needed
  void reply(ZabLink link, std::string_view body) { context_.send(link, ZabMessage::Kind::reply, 0, body); }
  void step_down();

 private:
  enum class Phase : std::uint8_t { discovery, epoch_acks, synchronisation, starts, broadcast };
  struct Learner {
    enum class Stage : std::uint8_t { joins, knows_epoch, acked_epoch, synchronises, up_to_date };
    ZabLink link = 0;
    ZabSid sid = 0;
    bool observer = false;
    Stage stage = Stage::joins;
    ZabZxid last = 0;               // last zxid that the learner reported
    ZabZxid acked = 0;              // last zxid of those acknowledged
    std::int64_t synced_until = 0;  // tickOfNextAckDeadline: in ticks of the leader
    ZabMs heard_at = 0;
    ZabSyncLimitCheck unacked;
  };
  struct Pings {
    ZabMs next_at = 0;
    std::int64_t ticks = 0;
    bool between_ticks = true;
  };
  struct PendingSync {
    ZabZxid zxid;
    ZabLink link;
    SharedBytes body;
  };

  Learner* find(ZabLink link);
  void join(ZabLink link, const ZabMessageHead& info, ZabMs now);
  void fix_epoch(ZabMs now);
  void send_epoch(Learner& l, ZabPosition needs);
  void acked_epoch(Learner& l, const ZabMessageHead& ack, ZabMs now);
  void end_discovery(ZabMs now);
  void synchronise(Learner& l);
  std::size_t send_history(Learner& l);
  void acked(Learner& l, ZabZxid zxid, ZabMs now);
  void acked_new_leader(ZabSid sid);
  void serve();
  void bring_up_to_date(Learner& l);
  void commit_what_is_acked();
  void commit(ZabZxid upto);
  void drop(ZabLink link);
  void drop_silent_learners(ZabMs now);
  bool has_synced_quorum() const;
  ZabZxid new_leader_zxid() const { return zab_zxid(epoch(), 0); }

  ZabContext context_;
  Phase phase_ = Phase::discovery;
  bool over_ = false;
  ZabEpochAgreement agreement_;
  ZabPosition epoch_accepted_ = 0, epoch_taken_over_ = 0;
  std::vector<Learner> learners_;

  ZabMs listens_at_ = 0;
  ZabMs deadline_ = 0;  // end of the phase (`starts`: when it is over)
  Pings pings_;

  ZabOwnProposals proposals_;
  ZabZxid committed_ = 0;
  std::vector<PendingSync> syncs_;
  ZabMs now_ = 0;
};

}  // namespace picklock
