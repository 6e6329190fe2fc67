#include "checker/models/semaphore.hpp"

#include "checker/models/owned_lock.hpp"

namespace picklock {
namespace {

constexpr LockAction kActions[] = {LockAction::acquire, LockAction::release};

}  // namespace

std::unique_ptr<Model> make_semaphore(const ModelContext& context) {
  LockRules rules;
  rules.permits = context.parameter;
  rules.actions = kActions;
  return std::make_unique<OwnedLock>(context, rules);
}

}  // namespace picklock
