// ClusterHealth keeps whether a node may serve: not while it sees only a minority of the masters, nor at once
// afterwards.
#pragma once

#include <algorithm>
#include <cstdint>

namespace picklock {

class ClusterHealth {
 public:
  void boot(bool serves, std::int64_t now) {
    serves_ = serves;
    booted_ = now;
    minority_since_ = 0;
  }
  bool serves() const { return serves_; }

  void update(bool is_master, bool is_covered, bool sees_majority, std::int64_t now, std::int64_t timeout) {
    if (is_master && !serves_ && now - booted_ < kWritableDelay) return;
    if (!sees_majority) minority_since_ = now;
    const bool may_serve = is_covered && sees_majority;
    const std::int64_t rejoin = std::clamp(timeout, kLeastRejoinDelay, kMostRejoinDelay);
    if (may_serve && !serves_ && is_master && now - minority_since_ < rejoin) return;
    serves_ = may_serve;
  }

 private:
  static constexpr std::int64_t kWritableDelay = 2000;  // delay of a master after a reboot
  static constexpr std::int64_t kLeastRejoinDelay = 500, kMostRejoinDelay = 5000;

  bool serves_ = false;
  std::int64_t booted_ = 0, minority_since_ = 0;
};

}  // namespace picklock
