// Replication: streams, resynchronization, roles, WAIT, min-replicas.
#include "sim/redis/replication_bench.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

TEST(Replication, CarriesWritesFromMasterToReplica) {
  ReplicationBench b;
  b.add("m");
  b.add("r", "m");
  b.pass(milliseconds(10));
  EXPECT_EQ(b.ask("m", "SET", "k", "1", "PX", 30000), "OK");
  b.pass(milliseconds(1));
  EXPECT_EQ(b.ask("r", "GET", "k"), "\"1\"");
  EXPECT_EQ(b.data("r"), b.data("m"));
  EXPECT_EQ(b.server("r").stream().offset(), b.server("m").stream().offset());
  EXPECT_EQ(b.server("r").stream().id(), b.server("m").stream().id());
  EXPECT_EQ(b.ask("r", "SET", "k", "2"), "!READONLY You can't write against a read only replica.");
  const std::string offset = std::to_string(b.server("m").stream().offset());
  EXPECT_EQ(b.ask("m", "ROLE"), "[\"master\", " + offset + ", [[\"r\", \"6379\", \"0\"]]]");
  EXPECT_EQ(b.ask("r", "ROLE"), "[\"slave\", \"m\", 6379, \"connected\", " + offset + "]");
}

}  // namespace
}  // namespace picklock
