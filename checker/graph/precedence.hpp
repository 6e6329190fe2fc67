// The order that a lock forces on its operations, and the cycle in it that proves a violation.
//
// The vertices are the acquires that succeeded and the releases that ended their holds; failed and
// crashed acquires drop out (checker/models/mutex.hpp says why).  u precedes v because of
//
//   real time  u returned before v was invoked: v cannot come first (Herlihy and Wing 1990)
//   program    v ends the hold that u began
//   handover   u ends a hold that must come before the hold which v begins: of two holds that
//              exclude each other one ends before the other begins, and that it is the first one's
//              turn follows from its acquire having returned before the second was released
//   token      u and v were granted with tokens in this order
//   one token  u and v were granted with the same token, and each would have to be the smaller
//
// An order satisfies them all exactly if they form no cycle (Gibbons and Korach 1997 look at
// histories so); the shortest cycle is the shortest proof that no order does.
//
// Real time is an order with n² pairs, but an interval order: a chain of instants, with an edge from
// each operation to the instant of its return and from each instant to the operations invoked then,
// says the same with 3n edges.  Handovers and tokens are needed between neighbours only: if the
// acquire of i returned before that of j, it returned before the release of j was invoked, so the
// holds follow one another as their acquires return, and the rest follows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "checker/graph/event_graph.hpp"
#include "checker/models/model.hpp"
#include "checker/naming.hpp"

namespace picklock {

enum class Precedes : std::uint8_t { real_time, program, handover, token, one_token };
inline constexpr std::size_t kPrecedesCount = 5;
std::string_view name(Precedes reason);  // "real time"

struct PrecedenceOptions {
  bool exclusive = true;  // true: holds exclude each other
  bool tokens = false;    // true: tokens grow from grant to grant
};

struct OrderedOperation {
  std::size_t hold = 0;  // position in the holds that the graph was made of
  bool acquires = false;
  bool never = false;          // true: the release of a hold that was never released, which comes after everything
  bool refused = false;        // true only with `never`: a release was asked for, and failed
  OperationEvent invoke, end;  // the acquire's events if `never`; without an answer: end.type is info
};

struct PrecedenceGraph {
  EventGraph graph;                          // graph of the operations, then of the instants
  std::vector<OrderedOperation> operations;  // index: EventId
};

// The holds come in the order in which their acquires returned, as a sweep finds them.
PrecedenceGraph precedence_of(std::span<const WitnessHold> holds, const PrecedenceOptions& options);

struct PrecedenceStep {
  EventId from = 0, to = 0;  // positions in `operations`
  Precedes reason = Precedes::real_time;
};

// The shortest cycle, without the instants.  Empty: some order satisfies everything.
std::vector<PrecedenceStep> shortest_contradiction(const PrecedenceGraph& graph);

// One sentence a step, without its full stop.
std::string in_words(const PrecedenceGraph& graph, const PrecedenceStep& step, const Naming& naming = {});

// "release by process 3"
std::string describe(const OrderedOperation& operation, const Naming& naming = {});

}  // namespace picklock
