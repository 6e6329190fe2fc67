// For the tests of replication: a master with replicas that follow it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sim/redis/replication_bench.hpp"

namespace picklock {

class ReplicationTest : public ::testing::Test {
 protected:
  void start(const RedisOptions& options = {}, int replicas = 1) {
    b.add("m", {}, options);
    for (int i = 1; i <= replicas; ++i) b.add("r" + std::to_string(i), "m", options);
    b.pass(milliseconds(10));
  }
  std::size_t count(TraceKind kind, NodeId node) {
    std::size_t n = 0;
    for (const TraceRecord& r : b.world.trace.journal()) n += r.kind == kind && r.node == node;
    return n;
  }
  std::size_t resyncs(std::string_view server) { return count(trace::redis_resynced, b.node(server)); }
  std::int64_t offset(const std::string& server) { return b.server(server).stream().offset(); }

  ReplicationBench b;
};

}  // namespace picklock
