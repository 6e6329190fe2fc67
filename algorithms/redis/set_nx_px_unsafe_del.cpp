#include "algorithms/redis/set_nx_px_unsafe_del.hpp"

namespace picklock {

Task<Outcome<>> SetNxPxUnsafeDel::release(Hold) {
  renewal_.end();
  const auto deleted = co_await redis_.del(name_);
  co_return deleted;
}

}  // namespace picklock
