#include "algorithms/lock.hpp"

#include <algorithm>

namespace picklock {

bool Patience::over() { return std::exchange(begun_, true) && remaining() == Duration{}; }

Duration Patience::remaining() const {
  if (!until_) return kForever;
  return std::max(Duration{}, *until_ - host_.monotonic_now());
}

std::string service_key(const LockKind& kind, std::string_view lock_name) {
  std::string key(kind.key);
  for (std::size_t at = 0; (at = key.find(kLockName, at)) != key.npos; at += lock_name.size()) {
    key.replace(at, kLockName.size(), lock_name);
  }
  return key;
}

Task<Outcome<>> Lock::interrupted() { co_return Outcome<>::refusal(); }

Task<Outcome<>> Lock::force_release() { co_return Outcome<>::refusal(); }

Task<Outcome<MonoTime>> Lock::extend(Hold) { co_return Outcome<MonoTime>::refusal(); }

}  // namespace picklock
