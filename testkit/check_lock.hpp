// A lock's claims, tested on generated scenarios, in one call of a test suite.
//
//   EXPECT_TRUE(picklock::keeps_its_claims("my-lock"));                     // GoogleTest: testkit/gtest.hpp
//   REQUIRE_THAT(picklock::check_lock("my-lock"), picklock::KeptClaims());  // Catch2: testkit/catch2.hpp
//   rc::check("my-lock", picklock::claims_of("my-lock"));                   // RapidCheck: testkit/rapidcheck.hpp
//   if (!picklock::check_lock("my-lock", {.report = stdout})) return 1;     // without any of them
//
// Scenarios are drawn from a fixed seed, so that every run of the test is the same.  A fourth of them have no faults.  Each of
// the others is meant for one claim of the lock, and no fault in it exceeds what this claim assumes: a claim that needs no
// bound of pauses and delays meets them of any length.  Where the lock renews its lease some sections outlast it; in some
// scenarios every client stops at its deadline; in some requests are given up early.  The lock's options stay as they are.
// A lock may be a file in Lua, or a program once open_program_locks() and allow_program() were called (bridge/program_locks.hpp).
// A failure is shrunk, drawn, and kept as a scenario file; `picklock regress` plays that again.
#pragma once

#include <cstdint>
#include <cstdio>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/properties/assumptions.hpp"
#include "checker/properties/property.hpp"
#include "scenarios/file/scenario.hpp"

namespace picklock {

struct CheckOptions {
  std::optional<std::uint64_t> seed{};    // seed of the first scenario; otherwise $PICKLOCK_SEED, otherwise 1
  std::optional<std::uint64_t> effort{};  // number of scenarios; otherwise $PICKLOCK_EFFORT, otherwise 800
  std::vector<std::string> set{};         // path=value, in all scenarios: "lock.ttl=2s"
  bool vary_options = false;              // true: also draws the options of lock, servers and storage
  std::string keep = "kept";              // folder for the counterexample; empty: none is written
  std::string program{};                  // command that plays it again and knows the lock; empty: picklock
  std::FILE* report = nullptr;            // file that gets the report, whatever its verdict; null: none
};

// Amount that was put to the test.
struct Tested {
  std::uint64_t runs = 0, contended = 0, struck = 0, within = 0;
  std::uint64_t all = 0;  // runs within the assumptions, contended, and without faults or struck by them
  std::uint64_t errors = 0;
  std::map<std::string, std::uint64_t> faults{};  // faults that struck; key: kind
  // Runs that could have broken it, for each property that the lock claims.  `faulty` of them had faults; in `beyond` of them
  // some fault exceeded what mutual exclusion needs.
  struct Claimed {
    Property property{};
    std::uint64_t runs = 0, faulty = 0, beyond = 0;
  };
  std::uint64_t heeded = 0;  // contended runs in which every holder stopped at its deadline
  std::vector<Claimed> claims{};
  struct Approached {
    std::string assumption;
    std::int64_t limit = 0, largest = 0;  // limit and largest value in the runs that met it
    std::uint64_t broken = 0;             // number of runs that did not meet it
    ParameterUnit unit = ParameterUnit::none;
  };
  std::vector<Approached> assumptions{};
};

struct BrokenClaim {
  Property property{};
  std::uint64_t seed = 0;
  Scenario scenario{};             // scenario after shrinking
  std::uint64_t shrinks = 0;       // runs that shrinking took
  std::string words{}, picture{};  // words and picture of its run
  std::string file{}, replay{};    // empty: it was not kept
};

enum class CheckVerdict : std::uint8_t { kept, broken, not_tested };

class LockReport {
 public:
  CheckVerdict verdict = CheckVerdict::not_tested;
  std::string lock;
  std::uint64_t seed = 0;
  std::string why;  // reason why the lock was not tested
  Tested tested;
  std::optional<BrokenClaim> broken;

  // Silence is not safety: a lock that was hardly put to the test has not passed.
  explicit operator bool() const { return verdict == CheckVerdict::kept; }
  std::string text() const;
};
std::ostream& operator<<(std::ostream& out, const LockReport& report);

LockReport check_lock(std::string_view lock, const CheckOptions& options = {});

// The scenario around which others are drawn: two clients of this lock.  Its lease is 600 ms if the lock's own is longer
// than a second: runs stay short, and faults come near it.  Throws std::runtime_error for an unknown lock or setting.
Scenario scenario_of_lock(std::string_view lock, const std::vector<std::string>& set = {});

}  // namespace picklock
