// A lease, and a reaction to its loss, that mean the same whatever the lock.
#include "scenarios/file/lease.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/file/read.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/file/values.hpp"
#include "scenarios/file/write.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

Scenario of(std::string_view lock, std::string_view more = "") {
  const ScenarioFile file = read_scenario(
      fmt::format("lock = {{ name = \"{}\"{} }}\nclients = [ {{ name = \"a\" }}, {{ name = \"b\" }} ]\n", lock, more),
      "x.toml");
  EXPECT_TRUE(file.ok()) << lock << more << (file.ok() ? "" : print(file.errors[0]));
  return file.scenario;
}

std::string option(Scenario s, std::string_view name) {
  AnyOptions options = s.lock.options ? s.lock.options : AnyOptions(find_lock_kind(s.lock.name)->default_options());
  FieldLister lister;
  options.fields(lister);
  for (const FieldText& f : lister.fields) {
    if (f.name == name) return f.text;
  }
  return "no such option";
}

TEST(Lease, EveryKindSaysWhatItsLeaseIsAndNamesOptionsThatItHas) {
  for (const LockKind& kind : lock_kinds()) {
    const Scenario s = of(kind.name);
    const bool ends = kind.lease(*kind.default_options()).has_value();
    EXPECT_TRUE(!ends || !kind.terms.what.empty()) << kind.name;
    EXPECT_EQ(kind.terms.what.empty(), kind.terms.option.empty()) << kind.name;
    if (kind.terms.what.empty()) continue;
    EXPECT_NE(option(s, kind.terms.option), "no such option") << kind.name;
    EXPECT_FALSE(kind.terms.usually.empty()) << kind.name;
    if (kind.terms.reaction.empty()) continue;
    for (const std::string_view value : {kind.terms.on_stop, kind.terms.on_ignore}) {
      Scenario changed = s;
      EXPECT_FALSE(set_in_scenario(changed, fmt::format("lock.{}={}", kind.terms.reaction, value))) << kind.name;
    }
  }
}

TEST(Lease, TenSecondsAreTenSecondsOfEveryLockThatHasALease) {
  std::size_t taken = 0;
  for (const LockKind& kind : lock_kinds()) {
    if (kind.terms.option.empty()) continue;
    ++taken;
    const Scenario in_file = of(kind.name, ", lease = \"10s\"");
    EXPECT_EQ(lease_told(in_file).lasts, seconds(10)) << kind.name << ": " << lease_told(in_file).text;
    EXPECT_EQ(option(in_file, kind.terms.option), "10s") << kind.name;
    Scenario by_command = of(kind.name);
    ASSERT_FALSE(set_in_scenario(by_command, "lock.lease=10s")) << kind.name;
    EXPECT_EQ(lease_told(by_command).text, lease_told(in_file).text) << kind.name;
    const ScenarioFile again = read_scenario(write_scenario(in_file), "x.toml");
    ASSERT_TRUE(again.ok()) << write_scenario(in_file);
    EXPECT_TRUE(again.scenario == in_file) << write_scenario(in_file);
  }
  EXPECT_GT(taken, 50U);
}

TEST(Lease, IsRoundedAsTheLibraryAndTheServersDo) {
  const auto told = [](std::string_view lock, std::string_view lease) {
    return lease_told(of(lock, fmt::format(", lease = \"{}\"", lease))).text;
  };
  EXPECT_EQ(told("set-nx-px", "1500ms"), "1.5s, TTL of the key (ttl)");
  EXPECT_EQ(told("jedis-thread-name", "2700ms"), "2s, TTL of the key (ttl); 2.7s asked for");
  EXPECT_EQ(told("etcd-mutex", "10500ms"), "11s, TTL of the session's lease (ttl); 10.5s asked for");
  EXPECT_EQ(told("etcd-mutex", "100ms"),
            "2s, TTL of the session's lease (ttl); 100ms asked for; the servers make that of 1s");
  EXPECT_EQ(told("kubernetes-lease", "16900ms"), "16s, LeaseDuration of the record (ttl); 16.9s asked for");
  EXPECT_EQ(told("zookeeper-lock", "100ms"),
            "4s, session timeout (session); 100ms asked for; the servers make that of 100ms");
  EXPECT_EQ(told("curator-mutex", "100s"),
            "40s, session timeout (session); 100s asked for; the servers make that of 100s");
  EXPECT_EQ(lease_told(of("setnx")).text, "none, nothing ends a hold of setnx by time");
  EXPECT_EQ(told("setnx", "10s"), "none, nothing ends a hold of setnx by time; 10s asked for");
}

TEST(Lease, AnOptionBesideItCounts) {
  const Scenario s = of("set-nx-px", ", lease = \"10s\", ttl = \"3s\"");
  EXPECT_EQ(lease_told(s).text, "3s, TTL of the key (ttl); 10s asked for");
  EXPECT_TRUE(read_scenario(write_scenario(s), "x.toml").scenario == s) << write_scenario(s);
}

TEST(Lease, AnotherLockKeepsIt) {
  Scenario s = of("set-nx-px", ", ttl = \"5s\"");
  for (const std::string_view other : {"redlock", "etcd-mutex", "zookeeper-lock", "redisson-lock", "curator-mutex",
                                       "kubernetes-lease", "getset-timestamp", "set-nx-px"}) {
    ASSERT_FALSE(set_lock(s, other)) << other;
    EXPECT_EQ(lease_told(s).lasts, seconds(5)) << other << ": " << lease_told(s).text;
  }
  Scenario brief = of("set-nx-px", ", ttl = \"100ms\"");
  ASSERT_FALSE(set_lock(brief, "etcd-mutex"));
  EXPECT_EQ(lease_told(brief).lasts, seconds(2)) << "the least that its members grant, not its default";
  EXPECT_EQ(lease_told(brief).asked, milliseconds(100));
}

TEST(Lease, AReplacedKindOfLockKeepsWhatTheScenarioAsksFor) {
  Scenario s = of("set-nx-px", ", lease = \"7s\"");
  ASSERT_FALSE(set_in_scenario(s, "lock.name=redisson-lock"));
  EXPECT_EQ(lease_told(s).lasts, seconds(7));
}

TEST(OnLoss, HoldsForLibraryAndClients) {
  const auto played = [](std::string_view lock, std::string_view on_loss) {
    auto compiled = Runner::compile(of(lock, fmt::format(", on-loss = \"{}\"", on_loss)));
    return std::get<std::unique_ptr<Runner>>(compiled)->scenario();
  };
  for (const LockKind& kind : lock_kinds()) {
    const Scenario stops = played(kind.name, "stop"), ignores = played(kind.name, "ignore");
    for (const ClientSpec& c : stops.clients) {
      EXPECT_EQ(c.on_loss, OnLoss::stop) << kind.name;
      EXPECT_TRUE(c.honours_deadline) << kind.name;
    }
    for (const ClientSpec& c : ignores.clients) {
      EXPECT_EQ(c.on_loss, OnLoss::ignore) << kind.name;
      EXPECT_FALSE(c.honours_deadline) << kind.name;
    }
    if (kind.terms.reaction.empty()) continue;
    EXPECT_EQ(option(stops, kind.terms.reaction), kind.terms.on_stop) << kind.name;
    EXPECT_EQ(option(ignores, kind.terms.reaction), kind.terms.on_ignore) << kind.name;
  }
  Scenario own = of("set-nx-px");
  own.clients[0].on_loss = OnLoss::ignore;
  apply_on_loss(own);
  EXPECT_EQ(own.clients[0].on_loss, OnLoss::ignore) << "by-client is the default";
}

// A holder stops for twice its lease; then it goes on or does not, as the scenario says, whatever the lock.
TEST(OnLoss, DecidesOfEveryFamilyWhetherAHolderWritesOn) {
  for (const std::string_view lock : {"set-nx-px", "redlock", "etcd-mutex", "zookeeper-lock", "curator-mutex",
                                      "kazoo-lock", "go-zookeeper-lock", "go-etcd-lock", "kubernetes-lease"}) {
    for (const bool stop : {true, false}) {
      const std::string text = fmt::format(
          "lock = {{ name = \"{}\", lease = \"6s\", on-loss = \"{}\" }}\nworkload = \"counter\"\n"
          "clients = [ {{ name = \"a\", start = \"2s\", hold = \"20s\" }}, {{ name = \"b\", start = \"4s\", hold = "
          "\"1s\" }} ]\n"
          "[[fault]]\nkind = \"pause\"\nnode = \"a\"\non = \"a enters\"\noffset = \"1s\"\nlasts = \"16s\"\n"
          "[phases]\nload = \"80s\"\n",
          lock, stop ? "stop" : "ignore");
      const ScenarioFile file = read_scenario(text, "loss.toml");
      ASSERT_TRUE(file.ok()) << print(file.errors[0]);
      auto compiled = Runner::compile(file.scenario);
      const RunResult& r = std::get<std::unique_ptr<Runner>>(compiled)->run(1);
      std::size_t ended = 0;
      for (const BeliefEvent& e : r.history->beliefs) {
        ended += e.end == BeliefEnd::lost || e.end == BeliefEnd::deadline;
      }
      EXPECT_EQ(ended > 0, stop) << lock;
    }
  }
}

}  // namespace
}  // namespace picklock
