// Redlock of node-redlock 4.
//
// Differs:   No timeout of its own for a server; the time is read from the wall clock; one value serves all attempts of a
//            call, which are eleven.
//
// From:      mike-marcacci/node-redlock v4.2.0, redlock.js.
// Promises:  as Redlock, while wall clocks are not set.
// Does not:  as Redlock.
// Abandoned: as Redlock.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

struct NodeRedlock4Options : RedlockOptions {
  NodeRedlock4Options() {
    node_timeout.reset();
    attempts = 11;
    retry = Law::uniform(milliseconds(100), milliseconds(300));
    extensions = 0;
  }
};

class NodeRedlock4 final : public Redlock {
 public:
  NodeRedlock4(const LockContext& context, const NodeRedlock4Options& options) : Redlock(context, options) {}

 private:
  Instant read_clock() const override { return {host_.wall_now().ns}; }
  Hold propose(std::int64_t attempt) override;

  std::string value_of_call_;
};

}  // namespace picklock
