// Curator's InterProcessMultiLock: several mutexes as one.
//
//   acquire  one after the other, in the order of the list, each with the full patience; one that is not
//            got in time: those got are released in reverse, and that is all; one that fails with an
//            exception: the loop goes on, and only then those got are released
//   release  all, in reverse; failures of one do not keep the others from it
//
// From:      Apache Curator 5.9, InterProcessMultiLock.
// Promises:  for all names what CuratorMutex does for one.
// Does not:  order the names: two of them that share two in opposite order block each other, for ever
//            without a patience.  n names may take n patiences.
// Abandoned: members got so far stay as CuratorMutex leaves them.
//
// Known flaw, an option: after-exception = "goes-on": it takes, and waits for, what it will give back.
#pragma once

#include <memory>
#include <vector>

#include "algorithms/curator/curator_mutex.hpp"

namespace picklock {

enum class CuratorAfterException : std::uint8_t { goes_on, stops };
constexpr auto enum_names(CuratorAfterException) { return name_list("goes-on", "stops"); }

struct CuratorMultiOptions {
  CuratorMutexOptions mutex;
  CuratorAfterException after_exception = CuratorAfterException::goes_on;
  void fields(FieldVisitor& v);
};

class CuratorMultiLock final : public Lock {
 public:
  CuratorMultiLock(const LockContext& context, const CuratorMultiOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Event* lost() override { return options_.mutex.client.reaction == CuratorReaction::ignores ? nullptr : &loss_->lost; }

 private:
  using Members = std::vector<std::size_t>;
  Task<Outcome<>> release_in_reverse(Members which);

  CuratorClient& client_;
  CuratorMultiOptions options_;
  std::vector<std::unique_ptr<CuratorMutex>> members_;
  std::int64_t depth_ = 0;
  std::shared_ptr<CuratorLoss> loss_;
};

}  // namespace picklock
