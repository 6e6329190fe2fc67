// etcd's Election for Go: a queue of candidates' keys under one prefix, each bound to its session; the first one leads.
//
//   Campaign  txn: if name/<lease> does not exist, put it with the lease, else read it.  Wait until every key created before it is
//             deleted, watching the last of them, again and again: leader
//   Resign    txn: if name/<lease> has the revision of its creation, delete it
//
// From:      etcd, client/v3/concurrency/election.go, commit c34dc7ee (3.6).
// Promises:  at any time one key under name/ was created first; its owner leads as long as its lease lives at the server.  Its create
//            revision grows from leader to leader: a fencing token.
// Does not:  look for its own key after the wait, as Mutex has since 3.5: a candidate whose lease ended meanwhile is told that it
//            leads.  Stop a leader whose lease has ended unnoticed.
// Abandoned: the key keeps its place and leads in its turn, without a leader, as long as the session lives.  A context that is
//            cancelled while Campaign waits makes it resign; while it asks for its key, nothing does.
// Left out:  Proclaim, Observe and Leader; values, which are the same in every campaign of a client; the election service.
//
// Known defects, each an option and a test:
//   campaign-error = "keeps-key"  a Campaign that ends with an error other than its context's leaves its key in the queue
//                                 (etcd#21128, open); "resigns" deletes it
//   resign = "forgets"            a Resign that failed forgets that it leads: the next answers nil unasked (etcd#22123,
//                                 open); "remembers" is PR #22124
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/etcd/etcd_session_lock.hpp"

namespace picklock {

enum class EtcdCampaignError : std::uint8_t { keeps_key, resigns };
constexpr auto enum_names(EtcdCampaignError) { return name_list("keeps-key", "resigns"); }

enum class EtcdResign : std::uint8_t { forgets, remembers };
constexpr auto enum_names(EtcdResign) { return name_list("forgets", "remembers"); }

struct EtcdElectionOptions {
  Duration ttl = seconds(10);          // time to live of the session's lease
  Duration retry = milliseconds(100);  // pause after an error
  EtcdCampaignError campaign_error = EtcdCampaignError::keeps_key;
  EtcdResign resign = EtcdResign::forgets;
  std::optional<Duration> resigns_again;  // the application, after an error; none: it does not
  void fields(FieldVisitor& v);
};

class EtcdElection final : public EtcdSessionLock {
 public:
  EtcdElection(const LockContext& context, const EtcdElectionOptions& options);
  Task<Outcome<>> interrupted() override;  // "clean up in case of context cancel": Resign

 private:
  Task<Acquired> lock(std::shared_ptr<EtcdSession> session, Duration patience) override;
  Task<Outcome<>> wait_for_turn(Duration patience, bool* in_time);
  Task<Outcome<>> unlock(Hold hold) override;
  Task<Outcome<>> resign();

  std::string prefix_;
  EtcdElectionOptions options_;
  bool leads_ = false;    // leaderSession is not nil
  bool in_line_ = false;  // a Campaign waits, and its key is known
  EtcdRevision leader_revision_ = 0, header_ = 0;
};

}  // namespace picklock
