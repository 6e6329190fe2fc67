#include "scenarios/file/set.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/getset_timestamp.hpp"
#include "algorithms/redis/set_nx_px.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/write.hpp"

namespace picklock {
namespace set_test {

Scenario example() {
  return read_scenario(R"(lock = { name = "set-nx-px", ttl = "100ms", retry = "5ms..10ms" }
clients = [ { name = "a" }, { name = "b" } ]
[[fault]]
kind = "pause"
node = "a"
on = "a enters"
lasts = "200ms"
[expect]
mutual-exclusion = "violated"
)",
                       "x.toml")
      .scenario;
}

std::string error_of(std::string_view assignment) {
  Scenario s = example();
  const auto error = set_in_scenario(s, assignment);
  EXPECT_TRUE(s == example());  // the scenario has not changed
  return error ? print(*error) : "";
}

// The scenario, as changed and written, has this line.
bool says(const std::vector<std::string>& assignments, const std::string& line) {
  Scenario s = example();
  for (const std::string& a : assignments) {
    const auto error = set_in_scenario(s, a);
    if (error) ADD_FAILURE() << print(*error);
  }
  const std::string text = write_scenario(s);
  const bool found = text.find(line) != std::string::npos;
  if (!found) ADD_FAILURE() << text;
  return found;
}

TEST(SetInScenario, AValueMayBeginAndEndWithQuotesAndBlanks) {
  for (const std::string value : {"\"x, y\"", "\"", "\"\"", " x ", "x\"", "", "\"x\", \"y\""}) {
    Scenario s = example();
    const auto error = set_in_scenario(s, assignment_of("fault[0].on", value));
    EXPECT_FALSE(error);
    EXPECT_EQ(s.faults[0].trigger.on, value);
  }
  Scenario s = example();
  EXPECT_FALSE(set_in_scenario(s, assignment_of("clients.a.locks", "\"x, y\"")));
  EXPECT_EQ(s.clients[0].locks, (std::vector<std::string>{"\"x", "y\""}));
  EXPECT_EQ(assignment_of("lock.ttl", "200ms"), "lock.ttl=200ms");
  EXPECT_FALSE(set_in_scenario(s, "clients.a.locks=\"x, y\""));
  EXPECT_EQ(s.clients[0].locks, (std::vector<std::string>{"x", "y"})) << "as a shell leaves them";
}

TEST(SetInScenario, AReleaseOfEtcdChangesWhatWasNotSaid) {
  says({"etcd.release=3.4"}, "[etcd]\nrelease = \"3.4\"\n");
  says({"etcd.release=3.4", "etcd.pre-vote=true"}, "[etcd]\nrelease  = \"3.4\"\npre-vote = true\n");
  says({"etcd.rechecks-locks=false", "etcd.release=3.6"}, "[etcd]\nrelease        = \"3.6\"\nrechecks-locks = false\n");
  says({"etcd.release=3.4", "etcd.release=3.6"}, "[etcd]\nrelease = \"3.6\"\n");
  EXPECT_EQ(error_of("etcd.release=3.3"),
            "--set etcd.release=3.3: found '3.3', expected one of 3.4, 3.5, 3.5.23, 3.6; did you mean '3.4'?");
}

TEST(SetInScenario, PathsOfAllParts) {
  says({"lock.ttl=200ms"}, R"(ttl = "200ms")");
  says({"clients.a.hold=80ms"}, R"({ name = "a", hold = "80ms" })");
  says({"clients[1].hold = 80ms"}, R"({ name = "b", hold = "80ms" })");
  says({"clients.*.hold=80ms"}, "{ name = \"a\", hold = \"80ms\" },\n  { name = \"b\", hold = \"80ms\" }");
  says({"client.b.patience=1s"}, R"({ name = "b", patience = "1s" })");
  says({"storage.fence=writes"}, "[storage]\nfence = \"writes\"");
  says({"redis.appendonly=always"}, "[redis]\nappendonly = \"always\"");
  says({"network.latency=1ms..2ms"}, "[network]\nlatency = \"1ms..2ms\"");
  says({"phases.load=10s"}, "[phases]\nload = \"10s\"");
  says({"fault[0].lasts=300ms"}, "lasts = \"300ms\"");
  says({"faults[0].on=\"b enters\""}, "on    = \"b enters\"");
  says({"workload=seats", "workload.repaired=true"}, R"(workload = { name = "seats", repaired = true })");
  says({"clock.redis.offset=2s"}, "[[clock]]\nnode   = \"redis\"\noffset = \"2s\"");
  says({"clock.redis.offset=2s", "clock.redis.drift-ppm=-5"}, "offset    = \"2s\"\ndrift-ppm = -5");
  says({"reseed.at=3s"}, R"(reseed  = { at = "3s", seed = 0 })");
  says({"reseed=3s:7,3.000000001s:-8"},
       "reseed  = [\n  { at = \"3s\", seed = 7 },\n  { at = \"3000000.001us\", seed = -8 },\n]");
  says({"reseed=3s:7,4s:8", "reseed[1].at=5s"}, R"({ at = "5s", seed = 8 })");
  says({"event-budget=1000"}, "event-budget = 1000");
  says({"sometimes=contention, two-holds"}, R"(["contention", "two-holds"])");
  says({"draw.a>redis/latency@a#1.1=90"}, "[[draw]]\nname  = \"a>redis/latency@a#1.1\"\nvalue = 90");
  says({"expect.mutual-exclusion=holds"}, "mutual-exclusion = \"holds\"");
  says({"expect.mutual-exclusion.seeds=some"}, R"(mutual-exclusion = { verdict = "violated", seeds = "some" })");
  says({"expect.double-grant=any"}, "double-grant     = \"any\"");
  says({"lock=setnx"}, R"(lock    = { name = "setnx" })");
}

TEST(SetInScenario, ErrorsSayWhatWasMeant) {
  EXPECT_EQ(error_of("lock.tll=1s"),
            "--set lock.tll=1s: found the path 'lock.tll', expected one such as lock.name, "
            "clients.a.hold or "
            "phases.load; did you mean 'lock.ttl'?");
  EXPECT_NE(error_of("clients.a.hodl=1s").find("did you mean 'clients.a.hold'?"), std::string::npos);
  EXPECT_NE(error_of("clients[0].hodl=1s").find("did you mean 'clients[0].hold'?"), std::string::npos);
  EXPECT_NE(error_of("clients.x.hold=1s").find("did you mean 'clients.a.hold'?"), std::string::npos);
  EXPECT_NE(error_of("clients[9].hold=1s").find("the path 'clients[9].hold'"), std::string::npos);
  EXPECT_NE(error_of("fault[0].kind=paus").find("did you mean 'pause'?"), std::string::npos);
  EXPECT_NE(error_of("expect.mutual-exclusio=holds").find("did you mean 'mutual-exclusion'?"), std::string::npos);
  EXPECT_NE(error_of("sometimes=contension").find("did you mean 'contention'?"), std::string::npos);
  EXPECT_EQ(error_of("redis.hz=501"), "--set redis.hz=501: found '501', expected an integer from 1 to 500");
  EXPECT_EQ(error_of("lock.ttl=0s"),
            "--set lock.ttl=0s: found '0s', expected a duration such as \"200ms\", at least 1ms");
  for (const char* wrong :
       {"", "=", "lock", "lock.ttl", "clock.redis=3s", "clock.redis.ofset=3s", "reseed.what=1", "reseed=7",
        "reseed=1:7", "reseed=1s:x", "draw.=1", "draw.x=y", "clients=1", "lock.ttl=\xff", "clients.=1s", "[0]=1"}) {
    EXPECT_NE(error_of(wrong), "") << wrong;
  }
}

TEST(SetLock, KeepsWhatBothLocksHave) {
  Scenario s = example();
  ASSERT_FALSE(set_lock(s, "set-nx-px-unsafe-del"));
  EXPECT_EQ(s.lock.name, "set-nx-px-unsafe-del");
  EXPECT_EQ(s.lock.options.as<SetNxPxOptions>().ttl, milliseconds(100));
  // Nothing was said of it, so it is as the new lock has it.
  EXPECT_EQ(s.lock.options.as<SetNxPxOptions>().polling.on_unknown, OnUnknown::ignore);
  EXPECT_TRUE(s.expect.empty());
  ASSERT_FALSE(set_in_scenario(s, "lock.retry=3ms"));
  ASSERT_FALSE(set_lock(s, "getset-timestamp"));
  EXPECT_EQ(s.lock.options.as<GetsetTimestampOptions>().polling.retry, Law::constant(milliseconds(3)));
  const auto error = set_lock(s, "getset-timestmp");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->file, "--lock getset-timestmp");
  EXPECT_EQ(error->nearest, "getset-timestamp");
}

TEST(SettablePaths, EachCanBeSetToWhatItIs) {
  Scenario s = example();
  for (const std::string& path : settable_paths(s)) {
    Scenario changed = s;
    const auto error = set_in_scenario(changed, path + "=!?");
    ASSERT_TRUE(!error || error->found.find("the path") == std::string::npos) << print(*error);
  }
}

}  // namespace set_test
}  // namespace picklock
