// How the nodes of a cluster are set up: names and defaults are those of redis.conf (7.0).
#pragma once

#include "sim/task/fields.hpp"

namespace picklock {

struct ClusterOptions {
  Duration node_timeout = seconds(15);
  std::int64_t replica_validity_factor = 10;
  bool require_full_coverage = true;

  void fields(FieldVisitor& v) {
    v.field({.name = "cluster-node-timeout",
             .help = "silence after which a node is possibly failing",
             .least = 100'000'000},
            node_timeout);
    v.field({.name = "cluster-replica-validity-factor",
             .help = "node timeouts after which a replica's data are too old; 0: never",
             .least = 0,
             .most = 1000},
            replica_validity_factor);
    v.field({.name = "cluster-require-full-coverage", .help = "nobody serves while one shard has no owner"},
            require_full_coverage);
  }
  bool operator==(const ClusterOptions&) const = default;
};

}  // namespace picklock
