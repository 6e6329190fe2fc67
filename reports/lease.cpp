#include "reports/lease.hpp"

#include "algorithms/lock.hpp"

namespace picklock {

std::optional<Duration> lease_of(const LockSpec& lock) {
  const LockKind* const kind = find_lock_kind(lock.name);
  if (kind == nullptr || kind->lease == nullptr || !lock.options) return std::nullopt;
  return kind->lease(*lock.options);
}

}  // namespace picklock
