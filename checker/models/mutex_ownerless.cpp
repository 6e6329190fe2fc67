#include "checker/models/mutex_ownerless.hpp"

#include "checker/models/semaphore_ownerless.hpp"

namespace picklock {

std::unique_ptr<Model> make_mutex_ownerless(const ModelContext& context) {
  ModelContext one = context;
  one.parameter = 1;
  return make_semaphore_ownerless(one);
}

}  // namespace picklock
