// Redlock of the gem `redlock`, the library that Ruby programs use.
//
//   acquire  one server after the other: SET name value PX ttl if name is absent or has this value already
//   extend   one acquire with the old value
//
// Differs:   The timeout of a server is 100 ms.  A call has four attempts; each has a value of its own.
//            An extension that finds no majority, or no time left, is undone as any failed attempt is: it deletes name
//            at all servers while its caller still works.  It sets keys that are gone, and asks even if the hold has
//            expired, so a lost lock comes back to life (#36); extend-only-if-locked leaves absent keys alone.
//
//   release = "0.2"    reads the wall clock; three attempts; an error of one server ends the call, and the keys that
//                      were set before it stay (#60)
//   release = "1.2"    (1.1.0 to 1.3.1) the monotonic clock; four attempts; an error counts as a no (PR #75)
//   release = "2.0.1"  (1.3.2 to 2.0.1) an error of one server ends the call again (PR #110, #129)
//   release = "2.0.6"  (since 2.0.2) an error counts as a no (PR #134)
//
// From:      leandromoreira/redlock-rb, lib/redlock/client.rb and scripts.rb, tags 0.2.1, 1.2.2, 2.0.1 and 2.0.6.
// Promises:  as Redlock, while no extension fails.
// Does not:  as Redlock; tell a failed extension's caller in time that others may be in.
// Abandoned: as Redlock.
// Left out:  that clocks are read in whole milliseconds; valid_lock? and the questions for the remaining TTL.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

enum class RedlockGemRelease : std::uint8_t { v0_2, v1_2, v2_0_1, v2_0_6 };
constexpr auto enum_names(RedlockGemRelease) { return name_list("0.2", "1.2", "2.0.1", "2.0.6"); }

struct RedlockGemOptions : RedlockOptions {
  RedlockGemRelease release = RedlockGemRelease::v2_0_6;
  bool extend_only_if_locked = false;
  RedlockGemOptions() {
    contact = Contact::sequential;
    node_timeout = milliseconds(100);
    attempts = 4;
    retry = Law::uniform(milliseconds(200), milliseconds(249));
    extensions = 0;
  }
  static RedlockGemOptions of(RedlockGemRelease release);
  void fields(FieldVisitor& v);
};

class RedlockGem final : public Redlock {
 public:
  RedlockGem(const LockContext& context, const RedlockGemOptions& options);
  Task<Outcome<MonoTime>> extend(Hold hold) override;

 private:
  Instant read_clock() const override;
  BallotRules rules(BallotQuestion::What what) const override;
  Task<Acquired> attempt(Hold hold) override;
  bool ends_the_call(const Acquired& failed) const override;
  bool error_ends_the_call() const;

  RedlockGemOptions options_;
};

}  // namespace picklock
