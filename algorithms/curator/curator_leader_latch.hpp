// Curator's LeaderLatch.
//
//   start    reset: leadership is false; delete the own node, if there is one; create latch/_c_<uuid>-latch-<n>, ephemeral and
//            sequential, protected; then check
//   check    list the children, sort; mine is not among them: reset; mine is first and of this session: leader; else not leader: read
//            and watch the one before me; it is gone, or goes: check
//   states   SUSPENDED, LOST: not leader; RECONNECTED: check
//   await    until leader, or the time is over (then the application closes the latch)
//   close    delete the own node in the background; not leader, and its listeners are not told; a second start() or close() throws,
//            so each acquire makes another latch.  An answer to list or read that comes later resets as ever: it finds no own
//            node, creates one, and deletes that one when the create is answered
//
// The listener of the connection's states runs on a thread of its own, the answers of all background calls on another.
//
//   release = "5.3"  RECONNECTED resets.  A check on the other thread may make the latch leader between "not leader" and the
//                    deletion of the node (CURATOR-620); the check of the new node, which is not the first, does not take that back
//                    (CURATOR-653)
//   release = "5.6"  RECONNECTED checks, and a check that is not first takes leadership back (CURATOR-644, -645, -653).  A node of
//                    the session before, which is about to vanish, counts as the own one (CURATOR-696)
//   release = "5.9"  the node's owner must be this session (5.7.0)
//
// From:      Apache Curator, LeaderLatch.java, tags 5.3.0, 5.6.0 and commit 88dee99a (5.9).
// Promises:  within one session: the latch whose node is lowest leads, in the order of the creates; the token, the node's czxid, grows
//            from leader to leader (getOurPath tells the node, CURATOR-537).
// Does not:  stop a leader that sleeps while its session ends.  Wait for the deletion: close() returns before it.
// Abandoned: the node stays until the session ends, and all behind it wait.
// Left out:  CURATOR-724 (a latch path that is gone); participants; ids.
//
// `reaction` is the application's listener: "ignores" has none, "stops-at-suspended" hears notLeader(), "stops-at-lost" uses
// SessionConnectionStateErrorPolicy, for which SUSPENDED is no error.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/curator/curator_client.hpp"

namespace picklock {

enum class CuratorLatchRelease : std::uint8_t { v5_3, v5_6, v5_9 };
constexpr auto enum_names(CuratorLatchRelease) { return name_list("5.3", "5.6", "5.9"); }

struct CuratorLatchOptions {
  CuratorOptions client{.reaction = CuratorReaction::stops_at_suspended};
  CuratorLatchRelease release = CuratorLatchRelease::v5_9;
  void fields(FieldVisitor& v);
};

class CuratorLeaderLatch final : public Lock {
 public:
  CuratorLeaderLatch(const LockContext& context, const CuratorLatchOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Event* lost() override;

 private:
  class Latch;  // one LeaderLatch object

  CuratorClient& client_;
  std::string path_;
  CuratorLatchOptions options_;
  Event lost_;
  std::shared_ptr<Latch> latch_;
};

}  // namespace picklock
