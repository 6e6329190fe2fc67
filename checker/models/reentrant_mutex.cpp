#include "checker/models/reentrant_mutex.hpp"

#include "checker/models/owned_lock.hpp"

namespace picklock {
namespace {

constexpr LockAction kActions[] = {LockAction::acquire, LockAction::release};

}  // namespace

std::unique_ptr<Model> make_reentrant_mutex(const ModelContext& context) {
  LockRules rules;
  rules.nested = context.parameter;
  rules.actions = kActions;
  rules.unknown_first = unknown_first(context);
  return std::make_unique<OwnedLock>(context, rules);
}

}  // namespace picklock
