// try-lease-mutex: a lease-mutex in which a refused refresh or release is an observation: its owner did not hold.
//
// State: the owner, or none; an owner may become none at any time, unseen.
//   acquire by o, ok                   legal if there is no owner; then o is
//   refresh, release, expire by o, ok  legal if o is the owner; the last two end the hold
//   refresh, release by o, fail        legal if o is not the owner
//
// Sweep of lease_mutex.hpp, with one rule more: a refusal is illegal exactly if its whole window lies within the core of a
// hold of its owner, that is, after the return of its acquire and before the invoke of the last refresh or release that
// succeeded.  Anywhere else there is an instant at which the owner need not hold: before its acquire, which may take
// effect as late as its return; behind the last proof, since the hold may have lapsed; and between two holds of one owner,
// as the first must have ended before the second begins.  These instants constrain no other owner, so refusals
// can be judged one by one.  Of a hold's refusals the first to return is kept until the hold proves that it lasted.
//
// O(n log n) time; memory as for lease-mutex.  The witness is the hold, the refusal and the proof.
//
// Not in the model: failed acquires and expires say nothing; that a lease lasts as long as promised.
#pragma once

#include <memory>

#include "checker/models/models.hpp"

namespace picklock {

// The functions are those of lease-mutex.
std::unique_ptr<Model> make_try_lease_mutex(const ModelContext& context);

}  // namespace picklock
