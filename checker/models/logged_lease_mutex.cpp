#include "checker/models/logged_lease_mutex.hpp"

#include "checker/models/owned_lock.hpp"

namespace picklock {
namespace {

constexpr LockAction kActions[] = {LockAction::acquire, LockAction::release, LockAction::release, LockAction::keep};

}  // namespace

std::unique_ptr<Model> make_logged_lease_mutex(const ModelContext& context) {
  LockRules rules;
  rules.actions = kActions;
  return std::make_unique<OwnedLock>(context, rules);
}

}  // namespace picklock
