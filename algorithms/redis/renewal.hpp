// The task beside a holder that prolongs its lease, again and again, until the hold ends.
//
// It runs as the task "renewal" of the client's process: a fault can pause it alone (then the
// holder works on while its lease runs out), and the process's death ends it.  It is stopped by
// end(), at once while it sleeps; a renewal that is under way by then still reaches the server,
// ahead of the release if both use one connection.
#pragma once

#include "algorithms/lock.hpp"

namespace picklock {

enum class IfRefused : std::uint8_t {
  stop_and_tell,  // the lease is gone: set lost() and stop
  carry_on        // code that only logs the failure does so
};

class Renewal {
 public:
  Renewal(Lock& lock, IfRefused if_refused)
      : lock_(lock),
        over_(lock.host(), "end of the hold"),
        lost_(lock.host(), "loss of the lock"),
        if_refused_(if_refused) {}

  // Renews `hold` by lock.extend(), every `interval` from now on.
  void begin(const Hold& hold, Duration interval);
  void end();

  Event& lost() { return lost_; }
  const Host& host() const { return lock_.host(); }

 private:
  Task<void> run(Hold hold, std::uint32_t tenure, Duration interval);
  Task<Nothing> end_of_tenure();

  Lock& lock_;
  Event over_;
  Event lost_;
  IfRefused if_refused_;
  std::uint32_t tenure_ = 0;  // counts begins and ends; a task serves one of them
};

}  // namespace picklock
