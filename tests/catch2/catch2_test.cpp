// check_lock() in Catch2, and how picklock's types print there.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#include <string>

#include "testkit/catch2.hpp"
#include "tests/twin_locks.hpp"

using picklock::check_lock;
using picklock::CheckOptions;
using picklock::KeptClaims;

namespace {

CheckOptions quick(std::uint64_t effort) {
  CheckOptions options;
  options.seed = 1;
  options.effort = effort;
  options.keep.clear();
  return options;
}

}  // namespace

TEST_CASE("a lock that keeps its claims") { REQUIRE_THAT(check_lock("set-nx-px", quick(200)), KeptClaims()); }

TEST_CASE("a lock that breaks them, and one that was not tested") {
  picklock::add_twin_locks();
  const picklock::LockReport broken = check_lock("twin-clears-the-way", quick(2'000));
  CHECK_THAT(broken, !KeptClaims());
  CHECK(Catch::Detail::stringify(broken) == broken.text());
  CHECK(broken.text().find("twin-clears-the-way breaks its claim: double-grant") != std::string::npos);
  CHECK_THAT(check_lock("set-nx-px", quick(0)), !KeptClaims());
}

TEST_CASE("types print themselves") {
  const auto text = [](const auto& value) { return Catch::Detail::stringify(value); };
  CHECK(text(picklock::Property::lost_wake_up) == "lost_wake_up");
  CHECK(text(picklock::milliseconds(150)) == "150ms");
  CHECK(text(picklock::Outcome<std::int64_t>::of(3)) == "yes(3)");
  CHECK(text(picklock::Outcome<>::unknown_because(picklock::Why::timed_out)) == "unknown: timed out");
  CHECK(text(picklock::Acquired::of(picklock::Hold("v"))) == "yes(Hold{value=\"v\", token=none, deadline=none})");
  CHECK(text(picklock::Finding{}).starts_with("Finding{witness=Witness{holds=["));
  CHECK(text(picklock::scenario_of_lock("set-nx-px")).find("set-nx-px") != std::string::npos);
}
