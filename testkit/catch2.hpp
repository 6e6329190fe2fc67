// check_lock() for Catch2, versions 2 and 3: REQUIRE_THAT(picklock::check_lock("my-lock"), picklock::KeptClaims());
#pragma once

#include <string>

#if __has_include(<catch2/matchers/catch_matchers_templated.hpp>)
#include <catch2/matchers/catch_matchers_templated.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include "testkit/check_lock.hpp"
#include "testkit/print.hpp"

namespace picklock {

#if __has_include(<catch2/matchers/catch_matchers_templated.hpp>)
struct KeptClaims : Catch::Matchers::MatcherGenericBase {
  bool match(const LockReport& report) const { return static_cast<bool>(report); }
#else
struct KeptClaims : Catch::MatcherBase<LockReport> {
  bool match(const LockReport& report) const override { return static_cast<bool>(report); }
#endif
  std::string describe() const override { return "kept its claims"; }
};

}  // namespace picklock
