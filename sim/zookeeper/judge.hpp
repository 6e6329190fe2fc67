// The judge of an ensemble above ZAB: servers report to it and never ask it. No run may break one of these rules:
//
//   Every server applies a beginning of one sequence; one leader an epoch (zab/witness.hpp).
//   No ephemeral outlives its session: the close leaves none, and none is created later.
//   The close deletes the same at every server.
//   A session is closed because its client asked for it, or a leader has not heard of it for its timeout, by the
//   leader's clock.
//   On a connection zxids never fall, and start no lower than what the client had seen before.
//   The event of a watch leaves before any reply that shows a later state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/clock.hpp"
#include "sim/core/first_heard.hpp"
#include "sim/zookeeper/proposal.hpp"
#include "sim/zookeeper/zab/witness.hpp"

namespace picklock {

// Keeps the one sequence of transactions, what is known of sessions and connections, and complaints.
class ZooJudge {
 public:
  struct Transaction {  // transaction as the first server applied it; histories are checked by it
    ZabZxid zxid = 0;
    std::int64_t session = 0;
    std::int32_t xid = 0;  // xid of the client's request; 0: no client asked
    TrueTime at;
    ZooTxn txn;
  };

  void reset() { *this = ZooJudge(); }
  void keep_transactions(bool on) { keep_ = on; }

  // `hash`: of the bytes that the proposal is made of.  True: no server has applied it yet, nor a later one; for the
  // trace alone.
  bool applied(ZabSid sid, ZabZxid zxid, std::uint64_t hash, const ZooProposal& proposal,
               std::span<const ZooEffect> effects, TrueTime now);
  void restored(ZabSid sid, ZabZxid zxid) { zab_.restored(sid, zxid); }
  void leads(ZabSid sid, ZabEpoch epoch) { zab_.leads(sid, epoch); }
  // A leader hears of a session, or lets it expire; `now_ms` by the leader's own clock, which alone decides.
  void touched(std::int64_t session, ZabEpoch epoch, std::int64_t timeout_ms, ZabMs now_ms) {
    touches_[session][epoch] = {now_ms, timeout_ms, std::nullopt};
  }
  void expired(std::int64_t session, ZabEpoch epoch, ZabMs now_ms) { touches_[session][epoch].expired_ms = now_ms; }
  // An ephemeral is created, or is there already, on behalf of `hold`; 0: of none.  Directories do not count:
  // a client that still had to make one comes again, and the ensemble numbers it then.
  void asked_for_a_place(std::uint32_t hold, TrueTime now) { first_heard_.note(hold, now); }
  void asked_to_close(std::int64_t session) { asked_to_close_.insert(session); }

  // A connection is named by its server and the server's own number of it.
  using ConnectionName = std::pair<ZabSid, std::uint32_t>;
  void attached(ConnectionName c, ZabZxid seen) { connections_[c] = {seen, 0, 0}; }
  void fired(ConnectionName c, ZabZxid zxid);
  void sent_event(ConnectionName c);
  void replied(ConnectionName c, ZabZxid zxid);
  void disconnected(ConnectionName c) { connections_.erase(c); }

  // A node that should not stand in the tree of a server that has applied all: its session is closed, or no transaction
  // made it.  Empty: there is none.
  std::string misplaced(const ZooTree& tree) const;

  bool content() const { return zab_.content() && complaints_.empty(); }
  std::vector<std::string> complaints() const;
  const std::vector<Transaction>& transactions() const { return transactions_; }
  const ZabWitness& zab() const { return zab_; }
  const FirstHeard& first_heard() const { return first_heard_; }

 private:
  struct Touch {
    ZabMs at_ms = 0;
    std::int64_t timeout_ms = 0;
    std::optional<ZabMs> expired_ms;  // instant at which the leader let it expire
  };
  struct Connection {
    ZabZxid zxid = 0;
    int events_due = 0;
    ZabZxid fired_at = 0;  // zxid of the first event that is due
  };

  void applied_first(ZabZxid zxid, const ZooProposal& proposal, std::span<const ZooEffect> effects, TrueTime now);
  void compare_close(ZabSid sid, ZabZxid zxid, std::size_t deleted);
  void keep_ephemeral(const ZooEffect& effect, ZabZxid zxid);

  ZabWitness zab_;
  ZabZxid newest_ = 0;  // newest zxid that any server has applied
  std::vector<Transaction> transactions_;
  bool keep_ = false;
  std::set<std::int64_t> closed_, asked_to_close_;
  std::map<std::int64_t, std::vector<ZooPath>> ephemerals_;  // session → its existing ephemerals
  std::map<ZabZxid, std::size_t> deleted_by_close_;          // number of ephemerals that the first server deleted
  std::map<std::int64_t, std::map<ZabEpoch, Touch>> touches_;
  FirstHeard first_heard_;
  std::map<ConnectionName, Connection> connections_;
  std::vector<std::string> complaints_;
};

}  // namespace picklock
