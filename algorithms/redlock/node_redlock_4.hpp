// Redlock of node-redlock 4.
//
//   extend   as an acquire, with PEXPIRE if name has this value: as many attempts, and after each that fails the keys are
//            deleted at all servers
//
// Differs:   No timeout for a server: its client waits until TCP gives up.  The time is read from the wall clock; one
//            value serves all attempts of a call, which are eleven.  An extension that finds no majority, or no time left,
//            deletes what is left of the lock and goes on trying for some two seconds, while its caller still works:
//            others get in.  A release needs a majority.
//
// From:      mike-marcacci/node-redlock v4.2.0, redlock.js: _lock, extend, unlock.
// Promises:  as Redlock, while wall clocks are not set and no extension fails.
// Does not:  as Redlock; go on while one server is silent.
// Abandoned: as Redlock.
// Left out:  an extension of the lease by the library itself: there is none, `renewal` stands for the application's.
#pragma once

#include "algorithms/redlock/redlock.hpp"

namespace picklock {

// A client without timeouts notices a silent server when Linux gives up sending again (tcp_retries2 = 15).
inline constexpr Duration kTcpGivesUp = seconds(924);

struct NodeRedlock4Options : RedlockOptions {
  NodeRedlock4Options() {
    node_timeout = kTcpGivesUp;
    attempts = 11;
    retry = Law::uniform(milliseconds(100), milliseconds(300));
    extensions = 0;
  }
};

class NodeRedlock4 final : public Redlock {
 public:
  NodeRedlock4(const LockContext& context, const NodeRedlock4Options& options)
      : Redlock(context, options), attempts_(options.attempts) {}
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  Task<Outcome<>> release(Hold hold) override;

 private:
  Instant read_clock() const override { return {host_.wall_now().ns}; }
  Hold propose(std::int64_t attempt) override;

  std::int64_t attempts_;
  std::string value_of_call_;
};

}  // namespace picklock
