#include "scenarios/workloads/client_spec.hpp"

namespace picklock {

void ClientSpec::fields(FieldVisitor& v) {
  constexpr std::int64_t kMostRounds = 1'000'000;
  v.field({.name = "name", .help = "name of the client, and of its machine unless `machine` names another"}, name);
  v.field({.name = "machine", .help = "host machine; clients with the same machine are threads of one process"},
          machine);
  v.field({.name = "role",
           .help = "holder: acquires, works, releases; operator: ends all holds by force, once, at its start"},
          role);
  v.field({.name = "locks",
           .help = "locks to take, nested, in this order: \"x\", \"x:read\", \"x+y\" (a multi-lock); none: the "
                   "scenario's lock"},
          locks);
  v.field({.name = "start", .help = "delay from the start of the run to its first round, in true time", .least = 0},
          start);
  v.field({.name = "hold", .help = "work within the critical section", .least = 0}, hold);
  v.field({.name = "think", .help = "pause between two rounds", .least = 0}, think);
  v.field({.name = "between", .help = "pause between two acquisitions of one round", .least = 0}, between);
  v.field({.name = "rounds", .help = "number of rounds; 0: until the load phase ends", .least = 0, .most = kMostRounds},
          rounds);
  v.field({.name = "patience", .help = "time limit of an acquire; none: no limit", .least = 0}, patience);
  v.field({.name = "abandon-after",
           .help = "time after which the client abandons an acquire in flight; none: never",
           .least = 0},
          abandon_after);
  v.field(
      {.name = "interrupt-after",
       .help = "time after which an acquire in flight is interrupted, or its context cancelled, and the library runs "
               "its clean-up; none: never",
       .least = 0},
      interrupt_after);
  v.field(
      {.name = "throws-after",
       .help = "work after which an uncaught exception ends the section and its thread without a release; the process "
               "lives on; none: never",
       .least = 0},
      throws_after);
  v.field({.name = "forgets-release", .help = "true: the client never releases, and goes on to its next round"},
          forgets_release);
  v.field(
      {.name = "on-refusal",
       .help = "action after an acquire that was not granted; go-on: the client works without the lock (fail-open)"},
      on_refusal);
  v.field({.name = "honours-deadline", .help = "true: the client stops when its grant's local deadline has passed"},
          honours_deadline);
  v.field({.name = "on-loss", .help = "action when the lock reports that the hold was lost"}, on_loss);
  v.field(
      {.name = "releases",
       .help = "acquisition to release first; oldest-first: a writer that holds a read lock too goes on as a reader"},
      releases);
}

}  // namespace picklock
