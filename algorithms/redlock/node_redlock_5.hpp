// Redlock of node-redlock 5.
//
//   acquire  SET at all servers, up to eleven times; if none of them succeeds, delete at all servers, once
//   extend   PEXPIRE if name has this value, at all servers, up to eleven times
//   release  delete if name has this value, at all servers, up to eleven times
//   using()  extends 500 ms before the lease ends; after an error at once again, until the lease has ended
//
// Differs:   A question is decided as soon as a majority has said yes, or a majority anything else; with an even number of
//            servers that are split it is never decided.  No timeout for a server.  The clock is not read again after an
//            answer, and it is the wall clock.  One value serves all attempts of a call, so the keys of a failed attempt
//            vote against the next one.
//
//   release = "5.0.0-beta.2"  counts a lease from the call, not from the attempt that succeeded (#169, #296, #299)
//   release = "main"          since 2023: from the attempt (PR #274, PR #276); not published
//   settles-on-tie, release-failed: repairs that no release has (compare PR #369)
//   attempts = 0              retryCount = -1: an extension or a release of a lost lock is tried for ever
//
// From:      mike-marcacci/node-redlock, src/index.ts, v5.0.0-beta.2 and afe5cf9.
// Promises:  as Redlock, while no pause or delay falls between a SET and its answer.
// Does not:  look at the time that was spent.
// Abandoned: as Redlock.
// Left out:  that using() rejects a lease shorter than its threshold and 100 ms.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

enum class NodeRedlock5Release : std::uint8_t { beta_2, main };
constexpr auto enum_names(NodeRedlock5Release) { return name_list("5.0.0-beta.2", "main"); }

struct NodeRedlock5Options : RedlockOptions {
  NodeRedlock5Release release = NodeRedlock5Release::beta_2;
  bool settles_on_tie = false;
  ReleaseFailed release_failed = ReleaseFailed::nowhere;
  Duration extension_threshold = milliseconds(500);
  NodeRedlock5Options();
  void fields(FieldVisitor& v);
};

class NodeRedlock5 final : public Redlock {
 public:
  NodeRedlock5(const LockContext& context, const NodeRedlock5Options& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  Task<Outcome<>> release(Hold hold) override;
  Event* lost() override { return options_.renewal ? &lost_ : nullptr; }

 private:
  Instant read_clock() const override { return {host_.wall_now().ns}; }
  Hold propose(std::int64_t attempt) override;
  BallotRules rules(BallotQuestion::What what) const override;
  Task<Acquired> attempt(Hold hold) override;
  Instant counted_from(Instant attempt) const;
  Task<void> extend_in_time(Hold hold, std::uint32_t tenure);  // using()
  Task<Nothing> end_of_routine();

  NodeRedlock5Options options_;
  std::string value_of_call_;
  Instant called_;  // instant at which acquire or extend was called
  Event lost_, over_, extension_ended_;
  bool extending_ = false;
  std::uint32_t tenure_ = 0;  // counts grants and releases; a task serves one of them
};

}  // namespace picklock
