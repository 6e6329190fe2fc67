#include <fmt/format.h>

#include "sim/redis/replication_lab.hpp"
#include "tests/live/live.hpp"

namespace picklock::live {
namespace {

// The clock of the server is so far off while a's lock of 30 s is there: what a finds, and lab.
Row clock_off() {
  ReplicationLab lab;
  lab.add("m");
  lab.pass(milliseconds(10));
  lab.ask("m", "SET", "lock", "a", "NX", "PX", 30000);
  const auto pttl = [&] { return std::stoll(lab.ask("m", "PTTL", "lock")); };
  const auto about = [](long long ms, long long wanted) { return wanted - 100 <= ms && ms <= wanted; };
  lab.world.faults.step_clock(lab.node("m"), seconds(20));
  const long long at_20 = pttl();
  lab.world.faults.step_clock(lab.node("m"), seconds(20));
  const std::string gone = lab.ask("m", "PTTL", "lock"), second = lab.ask("m", "SET", "lock", "b", "NX", "PX", 30000);
  lab.world.faults.step_clock(lab.node("m"), -seconds(140));
  const long long at_minus_100 = pttl();
  const auto rounded = [](long long ms) { return (ms + 50) / 100 * 100; };
  return {"the clock of the server is set to +20 s, +40 s, -100 s", "PX 30000",
          "PTTL 10000; gone, B acquires; B's PTTL 170000",
          fmt::format("PTTL {}; {}, B {}; B's PTTL {}", rounded(at_20), gone == "-2" ? "gone" : "there",
                      second == "OK" ? "acquires" : "is refused", rounded(at_minus_100)),
          about(at_20, 10'000) && gone == "-2" && second == "OK" && about(at_minus_100, 170'000)};
}

// A server is stopped; a client sends SET, times out and is gone; the server goes on.
Row zombie() {
  Count c{0, 10};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ReplicationLab lab(seed);
    lab.add("m");
    RpcChannel& a = lab.channel("a", "m");
    lab.pass(milliseconds(10));
    const std::uint32_t stopped = lab.world.faults.pause(lab.node("m"));
    std::string answer;
    lab.send(a, RedisCommand("SET", "lock", "a", "NX", "PX", 60000), answer);
    lab.pass(seconds(4));
    lab.world.faults.kill(lab.node("a"));
    lab.world.faults.resume(lab.node("m"), stopped);
    lab.pass(milliseconds(10));
    c.twice += answer == "timed out" && lab.ask("m", "GET", "lock") == "\"a\"";
  }
  return {"a stopped server (SIGSTOP) goes on after its client has timed out and closed", "PX 60000",
          "it executes the queued SET: a lock without a holder", "the ownerless lock stands " + c.text(), c.all()};
}

}  // namespace

std::vector<Row> expiry_rows() { return {clock_off(), zombie()}; }

}  // namespace picklock::live
