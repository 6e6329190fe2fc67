// The record of the locks that a timeout freed, for people who look for what went wrong: a lock that its client did not give
// back is a fault, also where the lease mends it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/history.hpp"

namespace picklock {

struct FreedLock {
  std::int64_t time = 0;
  HoldId hold = kNoHold;
  GrantEnd cause = GrantEnd::expired;  // expired, session_over or lease_over
  NameId server = kNoName;             // the server that decided
  std::int64_t release_asked = kNoTime;
  bool granted = false;                // true: its client heard of the grant
  BeliefEnd belief = BeliefEnd::none;  // none: the client still worked on
};

// Returns them in the order of time.
std::vector<FreedLock> freed_by_timeout(const History& history);

std::string_view holder_words(const FreedLock& lock);  // state of the holder: "works on", "has died", …

// A table with tabs and a head line.
std::string freed_table(const History& history);

}  // namespace picklock
