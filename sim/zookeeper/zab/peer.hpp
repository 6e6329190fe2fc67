// One server's part in ZAB, as a pure state machine: a voter or an observer that looks, follows or leads.
//
//   ZabPeer peer(ensemble, sid, options, machine);
//   peer.boot(stored, now);
//   peer.heard(notification, now);                      // a notification of an election
//   peer.opened(link, now); peer.received(link, m, now); peer.closed(link, now);
//   peer.persisted(position, now);  peer.tick(now);     // no later than due()
//   for (ZabRecord& r : peer.records()) …               // onto the disk, in order; then persisted()
//   for (ZabOutput& o : peer.outputs()) …               // out, in order
//
// Time is the server's monotonic clock in milliseconds.  Links that learners opened to this server are
// numbered by accept().  All that concerns elections travels outside of links.
//
// From:      QuorumPeer.run of ZooKeeper 3.8, and what election.hpp, leader.hpp, learner.hpp name.
// Left out:  the connections of elections; the performer of the outputs has them (sim/zookeeper/vote_links.hpp).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/zookeeper/zab/election.hpp"
#include "sim/zookeeper/zab/leader.hpp"
#include "sim/zookeeper/zab/learner.hpp"

namespace picklock {

// Keeps a server's history and role, and its part as leader or learner while it has one.
class ZabPeer {
 public:
  ZabPeer(ZabEnsemble ensemble, ZabSid self, const ZabOptions& options, ZabMachine& machine);
  ZabPeer(const ZabPeer&) = delete;
  ZabPeer& operator=(const ZabPeer&) = delete;

  // --- inputs
  void boot(ZabStored stored, ZabMs now);
  void tick(ZabMs now);
  ZabMs due() const { return leader_ ? leader_->due() : learner_ ? learner_->due() : election_.due(); }
  void heard(const ZabMessageHead& notification, ZabMs now);
  ZabLink accept() { return ++last_link_; }
  void opened(ZabLink link, ZabMs now);
  void received(ZabLink link, const ZabPacket& m, ZabMs now) {
    if (leader_ && !joins(m)) {
      leader_->received(link, m, now);
    } else if (learner_ && !joins(m)) {
      learner_->received(link, m, now);
    } else {
      join(link, m, now);
    }
    settle(now);
  }
  void closed(ZabLink link, ZabMs now);
  void persisted(ZabPosition position, ZabMs now);

  // --- for the machine on top
  ZabZxid propose(SharedBytes txn, ZabMs now);  // serving leader only; 0: it no longer leads
  void reply(ZabLink link, std::string_view body) {
    if (leader_) leader_->reply(link, body);
  }
  void request(SharedBytes body) {  // serving learner only
    if (learner_) learner_->request(std::move(body));
  }
  void sync(std::string_view body) {
    if (learner_) learner_->sync(body);
  }
  void give_up(ZabMs now);  // acts as if the leader, or its quorum, were lost

  // --- outputs
  std::vector<ZabOutput>& outputs() { return out_.ready(); }
  std::vector<ZabRecord>& records() { return history_.records(); }
  bool has_output() const { return !out_.ready().empty() || history_.has_records() || over(); }  // over(): stepped down

  // --- what it thinks
  ZabSid sid() const { return self_; }
  ZabRole role() const { return role_; }
  bool serves() const { return (leader_ && leader_->serves()) || (learner_ && learner_->serves()); }
  bool leads() const { return leader_ && leader_->serves(); }
  ZabSid leader() const { return role_ == ZabRole::looking ? 0 : vote_.leader; }
  ZabEpoch epoch() const { return leader_ ? leader_->epoch() : learner_ ? learner_->epoch() : history_.current(); }
  const ZabHistory& history() const { return history_; }
  const ZabLeader* leading() const { return leader_ ? &*leader_ : nullptr; }
  const ZabOptions& options() const { return options_; }

 private:
  void look(ZabMs now);
  void settle(ZabMs now) {  // call it after each input: notes what has ended and begun
    if (!served_ || !serves() || over() || !election_.outputs().empty()) settle_anew(now);
  }
  void settle_anew(ZabMs now);
  static bool joins(const ZabPacket& m) {
    return m.kind == ZabMessage::Kind::follower_info || m.kind == ZabMessage::Kind::observer_info;
  }
  void join(ZabLink link, const ZabPacket& m, ZabMs now);
  bool over() const { return (leader_ && leader_->over()) || (learner_ && learner_->over()); }
  void elected(ZabMs now);
  void answer(ZabSid to, const ZabVote& vote, std::int64_t round);

  ZabEnsemble ensemble_;
  ZabSid self_;
  ZabOptions options_;
  ZabMachine& machine_;
  ZabHistory history_;
  DurableOutbox<ZabOutput> out_;
  ZabContext context_;
  ZabElection election_;
  std::optional<ZabLeader> leader_;
  std::optional<ZabLearner> learner_;
  ZabRole role_ = ZabRole::looking;
  ZabVote vote_;  // the outcome of the last election
  bool served_ = false;
  ZabLink last_link_ = 0;
};

}  // namespace picklock
