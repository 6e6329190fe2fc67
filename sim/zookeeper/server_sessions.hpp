// The sessions as one server process knows them: sessions heard of lately, and the expiries of a leader.
//
// A leader tracks every session of its tree. A learner notes which of its clients' sessions it has heard of, and
// reports them with its answer to the leader's next ping. In the broken twin `follower-expires` every server tracks
// sessions.
//
// From:      SessionTrackerImpl, LearnerSessionTracker and Learner.revalidateSession of ZooKeeper 3.8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/zookeeper/server_context.hpp"
#include "sim/zookeeper/sessions.hpp"
#include "sim/zookeeper/zab/peer.hpp"

namespace picklock {

// The connection on which a session's writes may come: this server's own clients, or a learner's link. A learner that
// has connected anew is another owner, as another LearnerHandler is; what it sent before then may only be refused.
using ZooOwner = std::uint64_t;
inline constexpr ZooOwner kZooSelf = 0;

// Keeps the leader's table of expiries, or the learner's list of sessions that it has to report.
class ZooServerSessions {
 public:
  ZooServerSessions(const ZooServerContext& context, const ZooTree& tree, const ZabPeer& zab)
      : context_(context), tree_(tree), zab_(zab) {}

  // --- the server's role changes
  void lead();  // every session has its full timeout from here on
  void follow();
  void clear();

  // --- of every server
  bool touch(std::int64_t session, std::int64_t timeout_ms);  // false: it has ended or is ending; only a leader knows
  void attached(std::int64_t session, std::int64_t timeout_ms);  // the session's connection ends at this server
  void begun(std::int64_t session, std::int64_t timeout_ms);     // its beginning has been applied
  void ended(std::int64_t session);                              // its end has been applied

  // --- of a leader
  void begin(std::int64_t session, std::int64_t timeout_ms, ZooOwner owner);
  void begin_closing(std::int64_t session);
  ZooCode check(std::int64_t session, ZooOwner owner) { return tracker_->check(session, owner); }
  // Moves a session to another connection: its timeout, or 0: it has ended. A `timeout_ms` of 0: the learner that asks
  // has not heard of the session so far.
  std::int64_t reattach(ZooOwner owner, std::int64_t session, std::int64_t timeout_ms);
  void hear_touches(std::string_view body);

  // --- of a learner
  std::string touches();  // sessions touched since the last call

  // --- by the clock
  ZabMs due() const;
  bool overdue(ZabMs now) const { return tracker_ && tracker_->next_look_ms() <= now; }
  std::vector<std::int64_t> expire(ZabMs now);  // the next overdue bucket, closing from now on

 private:
  bool heard_by_leader(std::int64_t session, std::int64_t timeout_ms);

  const ZooServerContext& context_;
  const ZooTree& tree_;
  const ZabPeer& zab_;
  std::optional<ZooSessionTracker> tracker_;
  ZooTouchTable touches_;
};

}  // namespace picklock
