#include "checker/models/rw_mutex.hpp"

#include "checker/models/owned_lock.hpp"

namespace picklock {
namespace {

constexpr LockAction kActions[] = {LockAction::acquire, LockAction::acquire,           LockAction::acquire_shared,
                                   LockAction::release, LockAction::release_exclusive, LockAction::release_shared};

}  // namespace

std::unique_ptr<Model> make_rw_mutex(const ModelContext& context) {
  LockRules rules;
  rules.permits = kAllPermits;
  rules.weight = kAllPermits;
  rules.actions = kActions;
  return std::make_unique<OwnedLock>(context, rules);
}

}  // namespace picklock
