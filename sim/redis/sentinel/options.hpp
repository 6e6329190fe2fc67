// Options of the sentinels of one master.  Defaults are those of sentinel.conf.
#pragma once

#include "sim/task/fields.hpp"

namespace picklock {

struct SentinelOptions {
  std::int64_t quorum = 2;
  Duration down_after = seconds(30);
  Duration failover_timeout = seconds(180);
  std::int64_t parallel_syncs = 1;

  void fields(FieldVisitor& v) {
    v.field({.name = "quorum",
             .help = "sentinels that must find the master down before a failover",
             .least = 1,
             .most = 255},
            quorum);
    v.field(
        {.name = "down-after", .help = "silence after which a sentinel considers an instance down", .least = 1'000'000},
        down_after);
    v.field({.name = "failover-timeout",
             .help = "time limit of a failover's stages; the next attempt waits twice as long",
             .least = 1'000'000},
            failover_timeout);
    v.field({.name = "parallel-syncs",
             .help = "replicas that are re-pointed at the same time after a failover",
             .least = 1,
             .most = 255},
            parallel_syncs);
  }
  bool operator==(const SentinelOptions&) const = default;
};

}  // namespace picklock
