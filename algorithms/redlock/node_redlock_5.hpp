// Redlock of node-redlock 5.
//
// Differs:   A SET is decided as soon as a majority has said yes, or a majority anything else; with an even number of
//            servers that are split it is never decided.  The clock is not read again after it, and it is the wall clock.
//            One value serves all attempts of a call, which are eleven; a failed attempt is not undone.
//
// From:      mike-marcacci/node-redlock v5, src/index.ts.
// Promises:  as Redlock, while no pause or delay falls between a SET and its answer.
// Does not:  look at the time that was spent.
// Abandoned: as Redlock.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

enum class LeaseFrom : std::uint8_t { attempt, call };
constexpr auto enum_names(LeaseFrom) { return name_list("attempt", "call"); }

struct NodeRedlock5Options : RedlockOptions {
  LeaseFrom count_from = LeaseFrom::attempt;
  bool settles_on_tie = false;
  ReleaseFailed release_failed = ReleaseFailed::nowhere;
  NodeRedlock5Options() {
    node_timeout.reset();
    attempts = 11;
    retry = Law::uniform(milliseconds(100), milliseconds(300));
    extensions = 0;
  }
  void fields(FieldVisitor& v);
};

class NodeRedlock5 final : public Redlock {
 public:
  NodeRedlock5(const LockContext& context, const NodeRedlock5Options& options)
      : Redlock(context, options), options_(options) {}
  Task<Outcome<MonoTime>> extend(Hold hold) override;

 private:
  Instant read_clock() const override { return {host_.wall_now().ns}; }
  Hold propose(std::int64_t attempt) override;
  Task<Ballot> ask(BallotQuestion question) override;
  Task<Acquired> attempt(Hold hold) override;

  NodeRedlock5Options options_;
  std::string value_of_call_;
  Instant called_;
};

}  // namespace picklock
