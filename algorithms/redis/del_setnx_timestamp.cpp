#include "algorithms/redis/del_setnx_timestamp.hpp"

namespace picklock {

Task<Acquired> DelSetnxTimestamp::take_over() {
  const auto deleted = co_await redis_.del(name_);
  if (!deleted.yes() && !said_no(deleted)) co_return Acquired::refusal();  // nothing was set
  const Hold fresh = propose();
  const auto set = co_await redis_.setnx(name_, fresh.value);
  if (!set.yes()) co_return passed_on<Hold>(set);
  co_return Acquired::of(fresh);
}

}  // namespace picklock
