// fenced-mutex: a mutex whose acquires return fencing tokens, each greater than all before.
//
// State: the owner, or none, and the largest token so far, at first 0 (which is therefore never a valid
// token, as in Hazelcast's FencedLock, whose INVALID_FENCE it is).
//   acquire by o → t   legal if there is no owner and t is greater than the largest token
//   release by o       legal if o is the owner
//
// Sweep of owned_lock.hpp: disjoint cores follow each other in one order only, that of the returns
// of their acquires; tokens must grow in it.  Gaps are legal, since acquires of unknown outcome may
// have used up tokens; that there be room for them between two tokens is not asked.  An acquire
// that succeeds without a token is compared with nothing, and a history without any token is
// undecided.  O(n) time.  The witness of a wrong token is the two grants.
//
// See fencing_tokens.hpp for locks whose leases lapse, so that overlap is legal.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 2> kFencedMutexFunctions = {"acquire", "release"};

std::unique_ptr<Model> make_fenced_mutex(const ModelContext& context);

}  // namespace picklock
