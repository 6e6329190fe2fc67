// The operations that are to blame for a violation: a set that is as small as it can be.
//
// Definition.  Of operations that have no order together, a subset W is a *witness* if it has no order that obeys the
// model and real time, although each operation outside of W may take effect at any time, whatever it was answered, or
// never.  So W is proof enough: nothing that the others did can help.  It is *minimal* if each operation of W is needed:
// were that one, too, to take effect at any time or never, the rest would have an order.
//
// If few values are written many times, such a witness is large: each write of the value that was read has to be kept,
// so that it may not come right before the read.  A weaker one keeps real time: what is left out may take effect between
// its invoke and its return, whatever it was answered, or never.
//
// An operation left out is less bound than one kept.  So a set that contains a witness is one (any order of the larger
// set is one of the smaller), and a minimal one is found by halving: of a list in the order of preference, look for the
// shortest beginning that is a witness together with what was found so far; its last operation is needed; what comes
// behind it is not.  (The dichotomic search for a minimal unsatisfiable core: Hemery, Lecoutre, Sais and Boussemart,
// ECAI 2006; of the family of QuickXplain, Junker, AAAI 2004.)  That takes log n searches for each operation found.
//
// The search goes along some of those left out.  None that only observes: it changes nothing.  Of the others, an
// operation a is needed only if it may be of use to some b that is kept, or searched along: if a may not follow b, and
// is of use right before b (state_space.hpp; in its own time a may follow b only if b was invoked before a returned).  For
// take an order, and the last of its operations that is of use to none:
// moved behind its successors one by one, it comes to the end, or is of no use on the way; either way it can be left out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/models/bounds.hpp"
#include "checker/search/search.hpp"
#include "checker/search/state_space.hpp"
#include "checker/search/timeline.hpp"

namespace picklock {

// Operations without an order.
struct Disorder {
  std::span<const OperationSpan> intervals;  // intervals of n operations
  StateSpace& space;  // space of 2 n operations: n + i is the i-th without its answer, as if it had crashed
  std::span<const std::uint32_t> kinds;  // index: operation; equal for interchangeable ones without an answer
  OperationId stuck = 0;                 // the operation at which the longest order ends
};

struct SmallestSet {
  std::vector<OperationId> operations;  // ascending by invoke; empty: none was found that is smaller than all
  bool minimal = false;                 // true: minimal; false: the bounds were reached, and fewer might do

  // A longest order of the set, for words: see SearchOutcome; ids from n on are of operations left out.
  std::vector<OperationId> longest;
  OperationId stuck = 0;
};

// `own_time`: operations left out may take effect in their own time alone.
SmallestSet smallest_set(const Disorder& disorder, bool own_time, Bounds& bounds);

// Is it more to the point?
bool better(const SmallestSet& a, const SmallestSet& b);

}  // namespace picklock
