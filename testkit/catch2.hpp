// check_lock() for Catch2, version 3: REQUIRE_THAT(picklock::check_lock("my-lock"), picklock::KeptClaims());
#pragma once

#include <catch2/matchers/catch_matchers_templated.hpp>
#include <string>

#include "testkit/check_lock.hpp"

namespace picklock {

struct KeptClaims : Catch::Matchers::MatcherGenericBase {
  bool match(const LockReport& report) const { return static_cast<bool>(report); }
  std::string describe() const override { return "kept its claims"; }
};

}  // namespace picklock
