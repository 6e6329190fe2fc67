// Any sequence of commands, cut links, kills, restarts and changes of role: what a server holds at an
// offset of a history is what every other server holds there, so a replica's state is a prefix of its
// master's; WAIT counts no replica that lacks the write; once all is healed, all agree.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdio>
#include <map>
#include <sstream>

#include "sim/core/effort_lab.hpp"
#include "sim/redis/replication_lab.hpp"

namespace picklock {
namespace replication_property_test {

struct Step {
  int what = 0, server = 0, other = 0, number = 0;
};
std::ostream& operator<<(std::ostream& to, const Step& s) {
  return to << s.what << '(' << s.server << ',' << s.other << ',' << s.number << ')';
}

struct Seen {
  int steps = 0, compared = 0, resynced = 0, acknowledged = 0, expired = 0;
} seen;

const std::array<std::string, 3> kNames = {"x", "y", "z"};

// Empty, or what went wrong.
class Scenario {
 public:
  explicit Scenario(const RedisFlaws& flaws, std::uint64_t seed) : lab_(seed) {
    lab_.world.network.set_latency(Law::uniform(microseconds(50), milliseconds(3)));
    const RedisOptions options{.repl_timeout = seconds(5),
                               .repl_ping_replica_period = seconds(2),
                               .repl_diskless_sync_delay = seconds(1),
                               .repl_backlog_size = 300};
    lab_.add("x", {}, options).set_flaws(flaws);
    lab_.add("y", "x", options).set_flaws(flaws);
    lab_.add("z", "x", options).set_flaws(flaws);
    lab_.pass(milliseconds(50));
  }

  std::string run(const std::vector<Step>& steps) {
    for (const Step& s : steps) {
      ++seen.steps;
      take(s);
      for (int i = 0; i < 3 && wrong_.empty(); ++i) {
        look();
        lab_.pass(milliseconds(1));
      }
      if (!wrong_.empty()) return wrong_;
    }
    return heal_and_compare();
  }

 private:
  bool alive(const std::string& name) { return lab_.world.nodes.alive(lab_.node(name)); }

  void take(const Step& s) {
    const std::string& name = kNames[static_cast<std::size_t>(s.server)];
    const std::string& other = kNames[static_cast<std::size_t>(s.other)];
    const std::string key = "k" + std::to_string(s.number % 3);
    switch (s.what) {
      case 0:
        lab_.ask(name, "SET", key, s.number);
        break;
      case 1:
        lab_.ask(name, "SET", key, s.number, "PX", 1 + s.number * 10);
        break;
      case 2:
        lab_.ask(name, "INCR", "n" + key);
        break;
      case 3:
        lab_.ask(name, "DEL", key, "h");
        break;
      case 4:
        lab_.ask(name, "HINCRBY", "h", key, s.number);
        break;
      case 5:
        lab_.ask(name, "PEXPIRE", key, 5 + s.number);
        break;
      case 6:
        if (s.server != s.other) cuts_.push_back(lab_.cut(name, other));
        break;
      case 7:
        for (const std::uint32_t c : cuts_) lab_.heal(c);
        cuts_.clear();
        break;
      case 8:
        lab_.world.faults.kill(lab_.node(name));
        break;
      case 9:
        lab_.world.faults.restart(lab_.node(name));
        break;
      case 10:
        lab_.ask(name, "REPLICAOF", "NO", "ONE");
        break;
      case 11:
        if (s.server != s.other) lab_.ask(name, "REPLICAOF", other, 6379);
        break;
      case 12:
        lab_.pass(milliseconds(100 * s.number));
        break;
      case 13:
        lab_.pass(seconds(s.number % 9));
        break;
      default:
        write_and_wait(name, s.number);
    }
  }

  void write_and_wait(const std::string& name, int number) {
    const std::string value = std::to_string(++written_ * 100 + number);
    if (lab_.ask(name, "SET", "w", value) != "OK") return;
    const std::string waited = lab_.ask(name, "WAIT", 1, 200);
    if (waited != "1" && waited != "2") return;
    ++seen.acknowledged;
    int have = 0;
    for (const std::string& other : kNames) {
      RedisInspect::Key key;
      const bool found = other != name && lab_.server(other).inspect(lab_.world, lab_.node(other)).find("w", key);
      have += found && key.text == value;
    }
    if (have < std::stoi(waited)) wrong_ = "WAIT answered " + waited + ", but " + std::to_string(have) + " have it";
  }

  void look() {
    for (const std::string& name : kNames) {
      if (!alive(name)) continue;
      RedisServer& server = lab_.server(name);
      const ReplicationStream& stream = server.stream();
      if (!stream.has_backlog() || (server.master() != 0 && !server.link().connected())) continue;
      const std::string data = lab_.data(name);
      const auto [at, is_new] = history_.try_emplace({stream.id().bits, stream.offset()}, data, name);
      if (is_new) continue;
      seen.compared += at->second.second != name;
      if (at->second.first != data)
        wrong_ = name + " and " + at->second.second + " differ at one offset of one history";
    }
  }

  std::string heal_and_compare() {
    take({.what = 7});
    for (const std::string& name : kNames) lab_.world.faults.restart(lab_.node(name));
    lab_.pass(seconds(60));
    lab_.ask("x", "REPLICAOF", "NO", "ONE");
    lab_.ask("y", "REPLICAOF", "x", 6379);
    lab_.ask("z", "REPLICAOF", "x", 6379);
    lab_.pass(seconds(60));
    for (const std::string& name : {kNames[1], kNames[2]}) {
      if (!lab_.server(name).link().connected()) return name + " has no link after healing";
      if (lab_.data(name) != lab_.data("x")) return name + " and its master disagree after healing";
    }
    for (const TraceRecord& r : lab_.world.trace.journal()) {
      seen.resynced += r.kind == trace::redis_resynced;
      seen.expired += r.kind == trace::redis_key_changed &&
                      trace::redis_change_what(r.c) == static_cast<std::uint8_t>(KeyChange::expired);
    }
    return "";
  }

  ReplicationLab lab_;
  std::vector<std::uint32_t> cuts_;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::pair<std::string, std::string>> history_;
  std::string wrong_;
  int written_ = 0;
};

rc::Gen<std::vector<Step>> steps() {
  return rc::gen::container<std::vector<Step>>(rc::gen::build<Step>(
      rc::gen::set(&Step::what, rc::gen::weightedElement<int>({{4, 0},
                                                               {4, 1},
                                                               {3, 2},
                                                               {2, 3},
                                                               {3, 4},
                                                               {2, 5},
                                                               {2, 6},
                                                               {2, 7},
                                                               {1, 8},
                                                               {3, 9},
                                                               {2, 10},
                                                               {4, 11},
                                                               {2, 12},
                                                               {2, 13},
                                                               {4, 14}})),
      rc::gen::set(&Step::server, rc::gen::inRange(0, 3)), rc::gen::set(&Step::other, rc::gen::inRange(0, 3)),
      rc::gen::set(&Step::number, rc::gen::inRange(0, 20))));
}

// Number of good runs before a bad one; `most` if all were good.  The seed is fixed.
int runs_until_caught(const RedisFlaws& flaws, int most, std::string& message) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.seed = 2026;
  params.maxSuccess = most;
  params.maxSize = 40;
  params.disableShrinking = flaws != RedisFlaws();
  const auto result = rc::detail::checkTestable(
      [&] {
        const std::vector<Step> sequence = *steps();
        const auto seed = static_cast<std::uint64_t>(*rc::gen::inRange(1, 1000));
        Scenario scenario(flaws, seed);
        const std::string wrong = scenario.run(sequence);
        if (!wrong.empty()) RC_FAIL(wrong);
      },
      rc::detail::TestMetadata(), params);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  message = text.str();
  if (result.template is<rc::detail::SuccessResult>()) return most;
  return result.template is<rc::detail::FailureResult>() ? result.template get<rc::detail::FailureResult>().numSuccess
                                                         : -1;
}

const int kRuns = static_cast<int>(testing::effort(60));

TEST(ReplicationProperty, AReplicaIsAPrefixOfItsMasterAndAllAgreeInTheEnd) {
  seen = {};
  std::string message;
  EXPECT_EQ(runs_until_caught({}, kRuns, message), kRuns) << message;
  std::printf("%d steps, %d comparisons, %d full resynchronizations, %d acknowledged, %d expiries\n", seen.steps,
              seen.compared, seen.resynced, seen.acknowledged, seen.expired);
  EXPECT_GT(seen.compared, kRuns * 10);
  EXPECT_GT(seen.resynced, kRuns);
  EXPECT_GT(seen.acknowledged, kRuns / 10);
  EXPECT_GT(seen.expired, kRuns / 10);
}

TEST(ReplicationProperty, BrokenServersAreCaught) {
  const std::pair<const char*, RedisFlaws> twins[] = {
      {"acknowledges before applying", {.acks_before_applying = true}},
      {"keeps its data on resynchronization", {.keeps_data_on_resync = true}},
      {"relative expiry in the stream", {.relative_expiry = true}}};
  for (const auto& [name, flaws] : twins) {
    std::string message;
    const int runs = runs_until_caught(flaws, kRuns, message);
    EXPECT_LT(runs, kRuns) << name;
    EXPECT_GE(runs, 0) << name << message;
    std::printf("%s: caught in run %d\n", name, runs + 1);
  }
}

}  // namespace replication_property_test
}  // namespace picklock
