#include "checker/models/mutex.hpp"

#include "checker/models/owned_lock.hpp"

namespace picklock {

std::unique_ptr<Model> make_mutex(const ModelContext& context) {
  return std::make_unique<OwnedLock>(context, mutex_rules(context));
}

}  // namespace picklock
