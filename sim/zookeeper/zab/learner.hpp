// A learner: finds its leader, takes over its history, and then logs and applies what it is told.
//
// From:      server/quorum/{Learner,Follower,Observer}.java of 3.8: connectToLeader, registerWithLeader,
//            syncWithLeader, processPacket.  A packet before NEWLEADER is kept in memory and logged there,
//            before the current epoch is written and NEWLEADER acknowledged; ZOOKEEPER-4643 and ZOOKEEPER-4646
//            are what releases suffered that did it in another order.
// Left out:  that a server which has just started has applied its whole log in memory, where no client can
//            see it; here a learner applies what its leader has told it to be committed, and no more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/zookeeper/zab/context.hpp"

namespace picklock {

// Keeps how far a learner has come with one leader, and what it takes over until NEWLEADER.
class ZabLearner {
 public:
  static constexpr int kAttempts = 5;

  // `link`: of the first attempt to connect.
  ZabLearner(ZabContext& context, ZabSid leader, ZabLink link, ZabMs now);

  void opened(ZabLink link, ZabMs now);
  void received(ZabLink link, const ZabPacket& message, ZabMs now);
  void closed(ZabLink link, ZabMs now);
  void tick(ZabMs now);
  ZabMs due() const { return deadline_; }
  // True once after each failed attempt: the next one needs a new link.
  bool wants_link(ZabMs now) const { return phase_ == Phase::pauses && now >= deadline_; }
  void connect(ZabLink link, ZabMs now);

  bool serves() const { return phase_ == Phase::follows; }
  bool over() const { return over_; }  // its leader is lost: forget it
  ZabSid leader() const { return leader_; }
  ZabEpoch epoch() const { return epoch_; }
  ZabZxid committed() const { return committed_; }

  void request(SharedBytes body) { context_.send(link_, ZabMessage::Kind::request, 0, std::move(body)); }
  void sync(std::string_view body) { context_.send(link_, ZabMessage::Kind::sync, 0, body); }
  void give_up();

 private:
  enum class Phase : std::uint8_t {
    connects,
    pauses,
    registers,
    waits_for_history,
    synchronises,
    waits_for_quorum,
    follows
  };

  struct Snapshot {
    ZabZxid zxid = 0;
    std::string state;
  };

  bool observes() const { return !context_.ensemble.votes(context_.self); }
  void attempt_failed(ZabMs now);
  void heard_epoch(const ZabPacket& m);
  void begin_history(const ZabPacket& m);
  void take_over_history();
  void logged(const ZabPacket& m);
  void up_to_date();
  ZabMs patience() const;

  ZabContext context_;
  ZabSid leader_;
  ZabLink link_ = 0;
  Phase phase_ = Phase::connects;
  bool over_ = false;
  int attempts_ = 0;
  ZabEpoch epoch_ = 0;
  ZabMs deadline_ = 0;    // end of this attempt, or of the leader's allowed silence
  ZabMs connect_by_ = 0;  // end of all attempts together
  ZabZxid committed_ = 0;
  // State until NEWLEADER: the snapshot, if there is one, and all proposals behind it.
  bool replaced_ = false;
  Snapshot snapshot_;
  std::vector<ZabEntry> pending_;
};

}  // namespace picklock
