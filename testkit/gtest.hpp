// check_lock() for GoogleTest: EXPECT_TRUE(picklock::keeps_its_claims("my-lock"));
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "testkit/check_lock.hpp"
#include "testkit/print.hpp"

namespace picklock {

inline ::testing::AssertionResult keeps_its_claims(std::string_view lock, const CheckOptions& options = {}) {
  const LockReport report = check_lock(lock, options);
  return (report ? ::testing::AssertionSuccess() : ::testing::AssertionFailure()) << report.text();
}

}  // namespace picklock
