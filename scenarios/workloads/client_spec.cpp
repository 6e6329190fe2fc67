#include "scenarios/workloads/client_spec.hpp"

namespace picklock {

void ClientSpec::fields(FieldVisitor& v) {
  constexpr std::int64_t kMostRounds = 1'000'000;
  v.field({.name = "name", .help = "name of the client, and of its machine unless `machine` names another"}, name);
  v.field({.name = "machine", .help = "host machine; clients with the same machine are threads of one process"},
          machine);
  v.field({.name = "role", .help = "an operator ends, once, at its start, whatever holds there are"}, role);
  v.list({.name = "locks",
          .help = "taken in this order, nested: \"x\", \"x:read\", \"x+y\" (a multi-lock); none: the scenario's lock"},
         locks);
  v.field({.name = "start", .help = "when it begins", .least = 0}, start);
  v.field({.name = "hold", .help = "work within the critical section", .least = 0}, hold);
  v.field({.name = "think", .help = "pause between two rounds", .least = 0}, think);
  v.field({.name = "between", .help = "pause between two acquisitions of one round", .least = 0}, between);
  v.field({.name = "rounds",
           .help = "how often it acquires; 0: as long as the load lasts",
           .least = 0,
           .most = kMostRounds},
          rounds);
  v.field({.name = "patience", .help = "how long an acquire keeps trying; none: without limit", .least = 0}, patience);
  v.field({.name = "abandon-after", .help = "walks away from an acquire that is still in flight", .least = 0},
          abandon_after);
  v.field({.name = "honours-deadline", .help = "stops when the grant's local deadline has passed"}, honours_deadline);
  v.field({.name = "on-loss", .help = "reaction of the client when the lock says that the hold was lost"}, on_loss);
  v.field({.name = "releases",
           .help = "acquisition that the client gives back first; oldest: a writer goes on as a reader"},
          releases);
}

}  // namespace picklock
