#include "algorithms/curator/curator_options.hpp"

namespace picklock {

void CuratorOptions::fields(FieldVisitor& v) {
  v.field({.name = "session", .help = "session timeout that is asked for", .least = milliseconds(1).ns}, session);
  v.field({.name = "connection", .help = "how long a call waits for a connection", .least = 0}, connection);
  v.field({.name = "retry-policy", .help = "when a call that failed is tried again"}, retry_policy);
  v.field({.name = "retry-base",
           .help = "pause before a call is tried again; exponential ones grow from it",
           .least = milliseconds(1).ns},
          retry_base);
  v.field({.name = "retry-most",
           .help = "the longest of the exponential pauses; none: no bound",
           .least = milliseconds(1).ns},
          retry_most);
  v.field({.name = "retries", .help = "how often a call is tried again", .least = 0, .most = 29}, retries);
  v.field({.name = "expiration-percent",
           .help = "share of the session timeout from SUSPENDED to LOST; 0: never LOST",
           .least = 0,
           .most = 100},
          expiration_percent);
  v.field({.name = "reaction", .help = "reaction of the application when its connection is SUSPENDED or LOST"},
          reaction);
  v.field({.name = "found-node", .help = "owner of the nodes that a retried create may adopt"}, found_node);
  v.field({.name = "find-and-delete", .help = "a create that failed without an answer is looked for and deleted"},
          find_and_delete);
  v.field({.name = "background-deletes", .help = "retry a failed delete until it succeeds"}, background_deletes);
  v.field({.name = "retry-loops", .help = "whether a create and the search for its node share a retry loop"},
          retry_loops);
  v.field({.name = "clock", .help = "clock that measures how long something has taken"}, clock);
}

}  // namespace picklock
