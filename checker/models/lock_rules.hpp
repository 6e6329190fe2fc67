// The common rules of locks whose owners count: who may hold how much at once.
//
// An owner is a process, or whatever the operations name as their hold.  A hold takes its weight
// out of the permits.  The members of the family:
//
//                           permits  weights of acquire, acquire_shared   nesting  fenced
//   mutex                      1         1    -                               -       -
//   reentrant-mutex:N          1         1    -                               N       -
//   semaphore:N                N         1    -                               -       -
//   rw-mutex                  2^30      2^30  1                               -       -
//   (reentrant-)fenced-mutex   like (reentrant-)mutex                                 yes
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace picklock {

enum class LockAction : std::uint8_t {
  acquire,
  acquire_shared,
  release,            // any hold of the owner
  release_exclusive,  // the lock that acquire took
  release_shared,
  keep  // proves that the owner holds, and changes nothing
};

inline constexpr std::int64_t kAllPermits = std::int64_t{1} << 30;

struct LockRules {
  std::int64_t permits = 1;    // most weight of the holds of one instant
  std::int64_t weight = 1;     // weight of an acquire; a shared one weighs 1
  std::int64_t nested = 0;     // > 0: an owner's further acquires, up to this number in all, belong to its hold
  bool unknown_first = false;  // true: an owner may hold the lock when the history begins; only for mutexes
  bool fenced = false;         // true: acquires carry tokens, above 0, that grow from hold to hold
  std::span<const LockAction> actions;  // index: place of the function in ModelInfo::functions
};

constexpr bool takes(LockAction action) {
  return action == LockAction::acquire || action == LockAction::acquire_shared;
}
constexpr bool gives_back(LockAction action) {
  return action == LockAction::release || action == LockAction::release_exclusive ||
         action == LockAction::release_shared;
}

// Does the command end a hold of this mode?
constexpr bool ends(LockAction release, bool shared) {
  return release == LockAction::release ||
         release == (shared ? LockAction::release_shared : LockAction::release_exclusive);
}

constexpr std::int64_t weight_of(const LockRules& rules, bool shared) { return shared ? 1 : rules.weight; }

}  // namespace picklock
