// Options of the nodes of a cluster, with the names and defaults of redis.conf (7.0).
#pragma once

#include "sim/task/fields.hpp"

namespace picklock {

struct ClusterOptions {
  Duration node_timeout = seconds(15);
  std::int64_t replica_validity_factor = 10;
  bool require_full_coverage = true;

  void fields(FieldVisitor& v) {
    v.field({.name = "cluster-node-timeout",
             .help = "silence after which a node suspects another of having failed",
             .least = 100'000'000},
            node_timeout);
    v.field({.name = "cluster-replica-validity-factor",
             .help = "age limit of a replica's data for a promotion, in node timeouts; 0: none",
             .least = 0,
             .most = 1000},
            replica_validity_factor);
    v.field(
        {.name = "cluster-require-full-coverage", .help = "refuse all commands with a key while a shard has no owner"},
        require_full_coverage);
  }
  bool operator==(const ClusterOptions&) const = default;
};

}  // namespace picklock
