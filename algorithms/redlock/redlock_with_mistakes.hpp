// Redlock with a step done wrong: mistakes that were found in libraries, one option each.
//
// Differs:   value-per = "call"           all attempts of a call have one value: a late release of the first fits the second
//            check-validity = false       step 4 does not look at the time that was spent
//            quorum-of = "reachable"      a majority of the servers that answered is enough (SPSCommerce/redlock-py PR#6)
//            release-failed = "granted"   step 5 releases only where the SET was granted
//            release-failed = "nowhere"   step 5 releases nothing (mike-marcacci/node-redlock PR#369)
//            The defaults are those of Redlock.
//
// From:      the issues and pull requests named above.
// Promises:  with its defaults, as Redlock; with a mistake, what the scenario of that mistake shows.
// Does not:  as Redlock.
// Abandoned: as Redlock.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

enum class ValuePer : std::uint8_t { attempt, call };
constexpr auto enum_names(ValuePer) { return name_list("attempt", "call"); }

enum class QuorumOf : std::uint8_t {
  all,
  reachable  // two halves of a partition each have their majority
};
constexpr auto enum_names(QuorumOf) { return name_list("all", "reachable"); }

struct RedlockMistakes : RedlockOptions {
  ValuePer value_per = ValuePer::attempt;
  bool check_validity = true;
  QuorumOf quorum_of = QuorumOf::all;
  ReleaseFailed release_failed = ReleaseFailed::everywhere;
  void fields(FieldVisitor& v);
};

class RedlockWithMistakes final : public Redlock {
 public:
  RedlockWithMistakes(const LockContext& context, const RedlockMistakes& options)
      : Redlock(context, options), mistakes_(options) {}

 private:
  Hold propose(std::int64_t attempt) override;
  bool has_quorum(const Ballot& ballot) const override;
  Task<Acquired> attempt(Hold hold) override;
  Task<bool> undo(Hold hold, Ballot ballot) override;

  RedlockMistakes mistakes_;
  std::string value_of_call_;
};

}  // namespace picklock
