// For tests: what the lock models mean, as plainly as can be said, and a decision by trying every
// order (Wing and Gong).  Shares nothing with the sweeps.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/history.hpp"

namespace picklock {

struct PlainOperation {
  std::int64_t owner = 0;  // process of the owner, or 1,000,000 + hold
  std::string function;
  std::int64_t token = kNoToken;
  bool failed = false;
  std::uint32_t invoked = 0;
  std::uint32_t returned = 0xffffffff;  // return of the operation; a crashed one never returns
};

using PlainState = std::vector<std::int64_t>;

struct PlainSpec {
  std::vector<std::string> takes, gives, keeps;  // functions of each kind
  PlainState initial;
  // The state after, if the operation is legal.
  std::function<std::optional<PlainState>(const PlainState&, const PlainOperation&)> step;
  // The token that a real lock would hand out; empty: none.
  std::function<std::int64_t(const PlainState&, const PlainOperation&)> token;
  std::vector<std::string> refusals;  // functions whose failures are observations
  bool lapses = false;                // true: a real lock would make acquires wait
};

// "mutex", "semaphore:2", "semaphore:2@0" (none of them free at first), …  Asserts that the model is a lock model.
PlainSpec plain_spec(const std::string& model);

// Is there an order of the operations, all that succeeded and any of those that crashed, in which
// each lies between its invoke and its return and is legal?  For at most 60 operations.
bool is_linearizable(const History& history, const PlainSpec& spec);

}  // namespace picklock
