// One Redis server.  acquire = SETNX name 1     release = DEL name
//
// From:      the first lock that every tutorial shows: SETNX, whose 1 or 0 says who was first.
// Promises:  one holder at a time, while every holder lives and the server keeps its data.
// Does not:  become free if its holder dies, or if a granting reply or the DEL is lost on the way.
// Abandoned: a SETNX on its way when the acquire is abandoned locks the name for ever.
#pragma once

#include "algorithms/redis/polling_lock.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

struct SetnxOptions {
  PollingOptions polling;
  void fields(FieldVisitor& v) { polling.fields(v); }
};

class Setnx final : public PollingLock {
 public:
  Setnx(const LockContext& context, const SetnxOptions& options);
  Task<Outcome<>> release(Hold hold) override;

 private:
  Hold propose() override { return Hold("1"); }
  Task<Acquired> take(Hold proposed) override;

  Redis redis_;
  std::string name_;
};

}  // namespace picklock
