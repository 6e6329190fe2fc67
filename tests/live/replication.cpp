#include <fmt/format.h>

#include "sim/redis/replication_lab.hpp"
#include "tests/live/live.hpp"

namespace picklock::live {
namespace {

// The client's SET is answered, the master dies, the replica is told REPLICAOF NO ONE, and another
// client tries to take the lock there.
struct Failover {
  bool waits = false;       // SET, then WAIT 1
  bool cut_before = false;  // the link, before the SET
  bool healed_after_kill = false;
  bool power = false;     // the machine dies, and not the process alone
  Duration link_delay{};  // from master to replica
  Duration promoted_after{};
  Duration replica_clock{};  // ahead by so much
};

bool grants_twice(const Failover& f, std::uint64_t seed) {
  ReplicationLab lab(seed);
  lab.world.network.set_latency(Law::uniform(microseconds(50), microseconds(150)));
  lab.add("m");
  lab.add("r", "m");
  lab.channel("a", "m");
  lab.channel("a", "r");
  lab.channel("b", "r");
  lab.pass(milliseconds(500));
  if (f.replica_clock.ns != 0) lab.world.faults.step_clock(lab.node("r"), f.replica_clock);
  if (f.link_delay.ns != 0) lab.world.network.set_latency(lab.node("m"), lab.node("r"), Law::constant(f.link_delay));
  const std::uint32_t cut = f.cut_before ? lab.cut("m", "r") : 0;
  bool granted = lab.ask_as("a", "m", "SET", "lock", "a", "NX", "PX", 30000) == "OK";
  if (f.waits) granted = granted && lab.ask_as("a", "m", "WAIT", 1, 1000) == "1";
  if (f.power) {
    lab.world.faults.lose_power(lab.node("m"));
  } else {
    lab.world.faults.kill(lab.node("m"));
  }
  if (f.healed_after_kill) lab.heal(cut);
  if (f.promoted_after.ns != 0) lab.pass(f.promoted_after);
  lab.ask_as("a", "r", "REPLICAOF", "NO", "ONE");
  return granted && lab.ask_as("b", "r", "SET", "lock", "b", "NX", "PX", 30000) == "OK";
}

Count count(const Failover& f, int runs) {
  Count c{0, runs};
  for (int seed = 1; seed <= runs; ++seed) c.twice += grants_twice(f, static_cast<std::uint64_t>(seed));
  return c;
}

Row cut_then_wait() {
  ReplicationLab lab;
  lab.add("m");
  lab.add("r", "m");
  lab.pass(milliseconds(10));
  lab.cut("m", "r");
  lab.ask("m", "SET", "lock", "a", "NX", "PX", 30000);
  const std::string acknowledged = lab.ask("m", "WAIT", 1, 500), value = lab.ask("m", "GET", "lock");
  return {"link cut, then SET and WAIT", "WAIT 1 500", "WAIT answers 0, the key stays",
          fmt::format("WAIT answers {}, the key {}", acknowledged, value == "\"a\"" ? "stays" : "is gone"),
          acknowledged == "0" && value == "\"a\""};
}

Row clock_ahead() {
  ReplicationLab lab;
  lab.add("m");
  lab.add("r", "m");
  lab.pass(milliseconds(10));
  lab.world.faults.step_clock(lab.node("r"), seconds(60));
  lab.ask("m", "SET", "lock", "a", "PX", 30000);
  lab.pass(milliseconds(10));
  const std::string master = lab.ask("m", "GET", "lock"), replica = lab.ask("r", "GET", "lock");
  const Count c = count({.promoted_after = seconds(1), .replica_clock = seconds(60)}, 15);
  return {"the replica's clock is 60 s ahead; then it is promoted", "PX 30000",
          "the replica says nil while the master has A; B is granted",
          fmt::format("replica {}, master {}; B is granted {}", replica, master == "\"a\"" ? "A" : master, c.text()),
          master == "\"a\"" && replica == "nil" && c.all()};
}

Row isolated_master() {
  Range range;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    ReplicationLab lab(seed);
    const RedisOptions options{.min_replicas_to_write = 1, .min_replicas_max_lag = seconds(1)};
    lab.add("m", {}, options);
    lab.add("r", "m", options);
    lab.pass(milliseconds(3000 + 65 * static_cast<std::int64_t>(seed)));
    lab.cut("m", "r");
    Duration passed{};
    while (passed < seconds(10) && lab.ask("m", "SET", "lock", "a") == "OK") {
      lab.pass(milliseconds(50));
      passed = passed + milliseconds(50);
    }
    range.add(passed);
  }
  const bool agrees = range.least_ns <= milliseconds(1700).ns && milliseconds(1700).ns <= range.most_ns &&
                      range.within(milliseconds(900), milliseconds(3100));
  return {"an isolated master refuses writes", "min-replicas-to-write 1, max-lag 1", "from 1.7 s on",
          "from " + range.seconds_text(), agrees};
}

}  // namespace

std::vector<Row> replication_rows() {
  const auto row = [](const char* situation, const char* settings, const char* measured, const Count& c, bool agrees) {
    return Row{situation, settings, measured, c.text(), agrees};
  };
  const std::string px = "PX 30000";
  std::vector<Row> rows;
  const Count race = count({}, 150);
  rows.push_back(row("SET NX is answered, the master is killed at once, the replica promoted", "healthy network",
                     "double grant 8 of 150", race, race.some() && race.twice < race.runs / 5));
  const Count cut = count({.cut_before = true, .promoted_after = seconds(1)}, 15);
  rows.push_back(
      row("… the link cut before the SET and through the promotion", "promoted after 1 s", "15 of 15", cut, cut.all()));
  const Count healed = count({.cut_before = true, .healed_after_kill = true, .promoted_after = seconds(1)}, 15);
  rows.push_back(row("… the link cut before the SET, healed right after the kill", "promoted after 1 s",
                     "0 of 15: the dead process's kernel retransmits", healed, healed.none()));
  const Count hurried = count({.cut_before = true, .healed_after_kill = true, .promoted_after = milliseconds(100)}, 15);
  rows.push_back(row("… the same, promoted before the first retransmission (200 ms)", "promoted after 100 ms",
                     "(not measured)", hurried, hurried.all()));
  const Count power =
      count({.cut_before = true, .healed_after_kill = true, .power = true, .promoted_after = seconds(1)}, 15);
  rows.push_back(
      row("… the same, but the machine loses power", "promoted after 1 s", "(not measured)", power, power.all()));
  const Count soon = count({.link_delay = milliseconds(50), .promoted_after = milliseconds(5)}, 15);
  rows.push_back(row("… a link delay of 50 ms", "promoted after 5 ms", "15 of 15", soon, soon.all()));
  const Count late = count({.link_delay = milliseconds(50), .promoted_after = milliseconds(150)}, 15);
  rows.push_back(row("… a link delay of 50 ms", "promoted after 150 ms", "0 of 15", late, late.none()));
  const Count waited = count({.waits = true}, 60);
  rows.push_back(row("SET and WAIT 1, then the kill", "WAIT 1 1000", "0 of 60", waited, waited.none()));
  rows.push_back(cut_then_wait());
  rows.push_back(clock_ahead());
  rows.push_back(isolated_master());
  return rows;
}

}  // namespace picklock::live
