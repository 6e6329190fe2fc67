// A published aspect around annotated methods: each call takes a lock.
//
//   enter   a new InterProcessMutex on the method's path; acquire(1000 s); got: the method runs
//   leave   in `finally`, got or not: release
//
// From:      a published description of ZooKeeper locks in Java, its part on Curator and Spring AOP; session
//            and connection timeout 5 s, ExponentialBackoffRetry(1 s, 3).
// Promises:  what CuratorMutex does, for calls that do not nest.
// Does not:  heed the caller's patience; a call waits for `wait`.
// Abandoned: as CuratorMutex.
//
// Mistakes, each an option:
//   instance = "per-call"   a method that calls another of the same path waits behind its own node, and its
//                           thread with it: 1000 seconds, in which no other client gets the lock
//   release = "always"      a wait that runs out ends in an IllegalMonitorStateException instead of a null
//   errors  = "swallowed"   an exception is printed and forgotten.  After one from acquire the caller gets null, as
//                           after a wait that runs out.  After one from the method, such as a write that is refused,
//                           the caller hears nothing, and takes the work for done
//
// Left out: methods that throw for a write without an answer; their callers do not know.
#pragma once

#include <memory>
#include <vector>

#include "algorithms/curator/curator_mutex.hpp"

namespace picklock {

enum class CuratorInstance : std::uint8_t { per_call, per_path };
constexpr auto enum_names(CuratorInstance) { return name_list("per-call", "per-path"); }

enum class CuratorFinally : std::uint8_t { always, if_acquired };
constexpr auto enum_names(CuratorFinally) { return name_list("always", "if-acquired"); }

enum class CuratorErrors : std::uint8_t { swallowed, passed_on };
constexpr auto enum_names(CuratorErrors) { return name_list("swallowed", "passed-on"); }

struct CuratorAnnotationOptions {
  CuratorAnnotationOptions() { mutex.client.session = mutex.client.connection = seconds(5); }
  CuratorMutexOptions mutex;
  Duration wait = seconds(1000);
  CuratorInstance instance = CuratorInstance::per_call;
  CuratorFinally release = CuratorFinally::always;
  CuratorErrors errors = CuratorErrors::swallowed;
  void fields(FieldVisitor& v);
};

class CuratorAnnotation final : public Lock {
 public:
  CuratorAnnotation(const LockContext& context, const CuratorAnnotationOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  bool swallows_errors() const override { return options_.errors == CuratorErrors::swallowed; }
  Event* lost() override { return options_.mutex.client.reaction == CuratorReaction::ignores ? nullptr : &loss_->lost; }

 private:
  std::shared_ptr<CuratorMutex> instance();

  LockContext context_;
  std::string name_;
  CuratorAnnotationOptions options_;
  std::vector<std::shared_ptr<CuratorMutex>> calls_;  // locks that have entered, the innermost last
  std::shared_ptr<CuratorMutex> only_;
  std::shared_ptr<CuratorLoss> loss_;
};

}  // namespace picklock
