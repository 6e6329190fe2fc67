// One Redis server, the clients' clocks.
//   acquire = as for getset-timestamp     renewal = SET name stamp XX     release = DEL name
//
// From:      a published description of the old SETNX page's lock, which adds renewal while the
//            lock is held and deletes the key without a look at the clock.
// Promises:  what getset-timestamp does, for holds of any length, while every renewal succeeds in
//            time.
// Does not:  notice that a renewal has failed.  Then the stamp expires, another client takes the
//            lock over, and the release frees that client's lock; or a later renewal overwrites its
//            stamp.
// Abandoned: as for getset-timestamp.
#pragma once

#include "algorithms/redis/getset_timestamp.hpp"
#include "algorithms/redis/renewal.hpp"

namespace picklock {

struct GetsetTimestampRenewingOptions {
  GetsetTimestampOptions lock;
  std::optional<Duration> renewal_interval;  // nothing: a third of the timeout
  void fields(FieldVisitor& v);
};

class GetsetTimestampRenewing final : public GetsetTimestamp {
 public:
  GetsetTimestampRenewing(const LockContext& context, const GetsetTimestampRenewingOptions& options);
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<MonoTime>> extend(Hold hold) override;

 private:
  void granted(const Hold& hold) override;

  Duration interval_;
  Renewal renewal_;
};

}  // namespace picklock
