#include "checker/models/fenced_mutex.hpp"

#include "checker/models/owned_lock.hpp"

namespace picklock {

std::unique_ptr<Model> make_fenced_mutex(const ModelContext& context) {
  LockRules rules = mutex_rules(context);
  rules.fenced = true;
  return std::make_unique<OwnedLock>(context, rules);
}

}  // namespace picklock
