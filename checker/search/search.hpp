// Is there an order of the operations that the model allows and real time permits?
//
// Every completed operation takes effect between its invoke and its return, every crashed one after
// its invoke or never.  The search is that of Wing and Gong (JPDC 17, 1993) with Lowe's memory of
// configurations and just-in-time linearization (Concurrency and Computation 29(4), 2017): it looks
// at the operation x that returns next, and linearizes it, or other pending operations and then it.
//
// These rules keep it small, and are sound:
//  - Of the pending operations only those matter that x cannot just as well precede.  If a sequence
//    y1 … yk x is part of a linearization and some y may follow (state_space.hpp) each of the rest
//    and x, then it may be moved behind x: its own return comes later.  A
//    crashed y may also be left out where it is of no use to the next.  So the candidates are x, and
//    whatever neither may follow a candidate nor may be omitted before it.
//  - A completed operation that only observes (a read) takes effect as soon as it is pending and possible: moving it
//    to the front of any linearization leaves the states of the others as they are.
//  - A configuration is the prefix of returns passed, a bit for each pending operation, the state,
//    and for each class of like crashed operations the number used (timeline.hpp).  One that has
//    used more crashed operations than another, all else equal, is not searched (configurations.hpp).
//  - Where no completed operation is pending, the history is cut (as Gibbons and Korach, SIAM J.
//    Comput. 26(4), 1997).  All that the future can see of the past is there the state and which
//    crashed operations are used up: so these pairs, all of them, are carried across, and the memory
//    of what lies before is given back.  Crashed operations do not prevent a cut: the unused ones
//    stay candidates behind it.  A segment with many configurations is first searched together with
//    all that follows, for a first success; only if that grows large are all its ends collected.
//  - Most histories are linearizable, and most orders a beginning of one: so the history is first searched without cuts, for
//    a first success, until more than one configuration of three leads nowhere.
//  - Once all completed operations are placed, the rest may stay undone.
//
// The candidate tried first decides how soon a linearization is found, and no order is best for all histories.
// So a caller may search in turns: in one order with a limit, then in the other, then with a higher limit.
//
// No recursion; time and memory end where `Bounds` says.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checker/models/bounds.hpp"
#include "checker/search/state_space.hpp"
#include "checker/search/timeline.hpp"

namespace picklock {

// Mistakes on purpose: the comparison with exhaustive search must notice each of them.
enum class SearchFlaw : std::uint8_t {
  none,
  cut_keeps_one_end,    // assumes that a segment ends in one state only
  cut_forgets_crashed,  // a crashed operation may be used on both sides of a cut
  info_is_forced,       // crashed operations must take effect
  crashed_never_late,   // crashed operations end where their info stands
  keys_are_mixed,       // keys form one part, whatever they are
  all_may_follow        // every pending operation can wait
};

// Rule for the candidate that is tried first.
enum class SearchOrder : std::uint8_t {
  just_in_time,  // the operation that returns next
  by_invoke      // the operation that was invoked first, and the history in one piece: Porcupine's order
};

struct SearchOptions {
  SearchOrder order = SearchOrder::just_in_time;
  std::uint64_t limit = 0;                           // most configurations in a turn; 0: no limit
  bool straight = true;                              // true: tries the whole history first, while hardly any step fails
  std::uint32_t segment = 64;                        // completed operations from one cut to the next, at least
  std::uint32_t configurations_per_operation = 64;   // most in a segment before it counts as large
  std::uint32_t configurations_at_once = 1'000'000;  // most in the rest before it is cut after all
  std::uint32_t small_witness = 5;        // most operations; a larger one is shown in its own time, if that is smaller
  std::uint64_t witness_steps = 500'000;  // steps for the search for either witness
  SearchFlaw flaw = SearchFlaw::none;
};

enum class SearchVerdict : std::uint8_t {
  linearizable,
  not_linearizable,
  turn_over,  // SearchOptions::limit was reached
  stopped     // a bound ended the search
};

struct SearchOutcome {
  SearchVerdict verdict = SearchVerdict::linearizable;
  std::vector<OperationId> longest;  // a longest order, in order, if not linearizable …
  OperationId stuck = 0;             // … and the completed operation before which all orders end
  std::uint64_t configurations = 0;
  std::uint32_t cuts = 0;
};

SearchOutcome search_order(std::span<const OperationSpan> intervals, StateSpace& space, Bounds& bounds,
                           const SearchOptions& options = {});

}  // namespace picklock
