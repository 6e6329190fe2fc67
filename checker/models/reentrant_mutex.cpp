#include "checker/models/reentrant_mutex.hpp"

#include "checker/models/owned_lock.hpp"

namespace picklock {

std::unique_ptr<Model> make_reentrant_mutex(const ModelContext& context) {
  LockRules rules = mutex_rules(context);
  rules.nested = context.parameter;
  return std::make_unique<OwnedLock>(context, rules);
}

}  // namespace picklock
