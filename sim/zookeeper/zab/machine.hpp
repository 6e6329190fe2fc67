// The state machine on top of ZAB: it applies what is committed, and hears its server's role.
#pragma once

#include <string>
#include <string_view>

#include "sim/zookeeper/zab/types.hpp"

namespace picklock {

class ZabMachine {
 public:
  // --- the replicated state
  virtual void apply(const ZabEntry& entry) = 0;
  virtual std::string snapshot() = 0;  // snapshot of everything applied
  // Restores the state at `zxid`; an empty snapshot is the state before the first transaction.
  virtual void restore(std::string_view snapshot, ZabZxid zxid) = 0;
  virtual void keep_truncated(const ZabEntry&) {}  // flaw: the effect of an entry stays, though no log has it
  virtual void truncates(ZabZxid) {}               // the entries after it, which a leader never saw, are gone

  // --- what the server is
  virtual void leads(ZabEpoch) {}  // a quorum has its history: it may propose and serve
  virtual void follows(ZabSid) {}  // the server is up to date with this leader (an observer too): it may serve
  virtual void steps_back() {}     // the server may serve no more: it looks for a leader

  // --- how long a real server is busy with itself, in milliseconds
  virtual ZabMs takes_to_listen() { return 0; }  // time between the election and the first accepted connection
  virtual ZabMs takes_to_serve() { return 0; }   // time between a quorum's acknowledgement and serving

  // --- between a learner and its leader, in order, as long as their link lasts
  virtual void from_learner(ZabSid, ZabLink, std::string_view) {}
  virtual void from_leader(std::string_view) {}
  virtual void synced(std::string_view) {}      // everything committed when the leader got this is applied here
  virtual std::string touched() { return {}; }  // goes with the answer to a leader's ping
  virtual void heard_touches(ZabSid, std::string_view) {}  // the text is the learner's touched()

 protected:
  ~ZabMachine() = default;
};

}  // namespace picklock
