// semaphore-ownerless:N: N permits without owners; anyone may give back what another took.
//
// State: how many permits are taken, 0 to N.
//   acquire   legal if fewer than N are taken
//   release   legal if one is taken
//
// Sweep.  An operation is placed when it returns, if that is legal.  If it is not, an operation of
// the other kind is placed just before it, one that is open or crashed then; if there is none, the
// history is invalid.  Which one?  The one that returns first of all (crashed ones never do): any
// that is placed so early could be exchanged for it, since it was open too and would have to be
// placed sooner.  And why so late?  In a legal order, move the operation back until it returns or
// until another of its kind takes its place before one of the other kind that needs it; what lies
// between stays legal.
//
// While the history passes by, it is unknown who returns first.  So the sweep notes a *debt*, an
// operation of the kind that must have taken effect by now; the next to return ok of those that
// were open at that time pays the earliest such debt, and has thereby been placed.  Debts can be
// paid as long as each has, counted from the oldest on, as many candidates before it as there are debts up to
// it (Hall's condition; candidates that fail are what can break it later).
//
// `--initial K`, 0 to N, leaves K of the permits free at first; releases make the others free.
//
// O(n log n) time; memory for the operations that are open, and a few bytes for each that crashed.
// The witness is the operation and the N holds that were placed last and never given back.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 2> kOwnerlessFunctions = {"acquire", "release"};

std::unique_ptr<Model> make_semaphore_ownerless(const ModelContext& context);

}  // namespace picklock
