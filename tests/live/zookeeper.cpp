#include <fmt/format.h>

#include "scenarios/file/read.hpp"
#include "scenarios/run/run.hpp"
#include "sim/core/world.hpp"
#include "sim/zookeeper/ensemble_lab.hpp"
#include "tests/live/live.hpp"

namespace picklock::live {
namespace {

constexpr std::uint64_t kSeeds = 30;
constexpr Duration kTick = milliseconds(100);

// The instant differs from seed to seed, lest the timers always stand alike.
Duration instant(std::uint64_t seed) { return seconds(5) + milliseconds(static_cast<std::int64_t>(seed) * 37); }

// From what befalls the leader until a client has a write answered that it sent afterwards.  Clients try one
// server after the other, at once.
template <class Befalls>
Range until_a_write(Befalls befalls) {
  Range range;
  testing::EnsembleLab lab;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Duration when = instant(seed);
    lab.begin({.clients = 3, .zoo = {.tick = kTick}, .load = when + seconds(5)}, seed);
    lab.world.network.set_latency(Law::uniform(microseconds(50), microseconds(150)));
    lab.run_until(when);
    const std::size_t old = lab.leader();
    if (old == lab.count()) continue;
    befalls(lab, old);
    lab.run_until(when + seconds(5));
    TrueTime first = kNever;
    for (const testing::StoreOp& op : lab.history.ops) {
      const bool writes = op.request.op == ZooOp::create || op.request.op == ZooOp::set_data || op.request.op == ZooOp::remove;
      if (writes && op.answered && op.invoked > TrueTime{} + when) first = std::min(first, op.replied);
    }
    if (first != kNever) range.add(first - (TrueTime{} + when));
  }
  return range;
}

void cut_off(testing::EnsembleLab& lab, std::size_t server) {
  NetworkRule out, in;
  for (NodeId n = 1; n <= lab.world.node_count(); ++n) (n == lab.nodes[server] ? out.from : out.to).set(n);
  in.from = out.to;
  in.to = out.from;
  lab.world.network.install(out);
  lab.world.network.install(in);
}

// A client that has just been granted the lock is stopped; when its node is deleted, and when it hears of it.
struct Stopped {
  Range deleted, expired;
  int runs = 0;
};

Stopped stopped_clients() {
  Stopped result;
  const ScenarioFile file = read_scenario(R"(
lock    = { name = "zookeeper-lock", session = "1s" }
clients = [ { name = "a", start = "3s", hold = "100ms" }, { name = "b", start = "3500ms", hold = "100ms" } ]
[zookeeper]
tick            = "100ms"
reconnect-delay = "0s"
[[fault]]
kind  = "pause"
node  = "a"
on    = "a enters"
lasts = "3s"
)", "stopped client");
  auto compiled = Runner::compile(file.scenario);
  Runner& runner = *std::get<std::unique_ptr<Runner>>(compiled);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    (void)runner.run(seed, {.full_trace = true});
    ++result.runs;
    TrueTime stopped, goes_on;
    std::uint64_t of_the_node = 0, session = 0;
    bool deleted = false, expired = false;
    for (const TraceRecord& r : runner.world().trace.full()) {
      switch (r.kind) {
        case trace::zoo_sequential_znode: of_the_node = r.b; break;
        case trace::zoo_created:
          if (r.a == 1) session = of_the_node;  // a's is the first hold
          break;
        case trace::process_paused: stopped = {r.time}; break;
        case trace::process_continued: goes_on = {r.time}; break;
        case trace::zoo_session_closed:
          if (!deleted && r.b == session && stopped.ns != 0) {
            result.deleted.add(TrueTime{r.time} - stopped);
            deleted = true;
          }
          break;
        case trace::zoo_client_state:
          if (!expired && goes_on.ns != 0 && r.a == static_cast<std::uint32_t>(ZooState::expired)) {
            result.expired.add(TrueTime{r.time} - goes_on);
            expired = true;
          }
          break;
        default: break;
      }
    }
  }
  return result;
}

}  // namespace

std::vector<Row> zookeeper_rows() {
  const std::string tick = "tick 100";
  std::vector<Row> rows;
  const Range killed = until_a_write([](testing::EnsembleLab& lab, std::size_t leader) { lab.world.kill(lab.nodes[leader]); });
  rows.push_back({"ZooKeeper, the leader is killed: until a write is answered", tick, "0.28 to 0.58 s", killed.seconds_text(),
                  killed.within(milliseconds(180), milliseconds(680)) && killed.runs == static_cast<int>(kSeeds)});
  const Range isolated = until_a_write(cut_off);
  rows.push_back({"…, the leader is isolated: until a write is answered", tick, "0.74 to 1.04 s", isolated.seconds_text(),
                  isolated.within(milliseconds(640), milliseconds(1140)) && isolated.runs == static_cast<int>(kSeeds)});
  const Stopped stopped = stopped_clients();
  rows.push_back({"ZooKeeper, a client is stopped (SIGSTOP): until its node is deleted", "session 1000, tick 100",
                  "0.994 to 1.084 s", stopped.deleted.seconds_text(),
                  stopped.deleted.within(milliseconds(900), milliseconds(1200)) && stopped.deleted.runs == stopped.runs});
  rows.push_back({"… it goes on: until it is told that its session has expired", "at once to the next server", "2 to 4 ms",
                  fmt::format("{:.1f} to {:.1f} ms ({} runs)", static_cast<double>(stopped.expired.least_ns) / 1e6,
                              static_cast<double>(stopped.expired.most_ns) / 1e6, stopped.expired.runs),
                  stopped.expired.within({}, milliseconds(5)) && stopped.expired.runs == stopped.runs});
  return rows;
}

}  // namespace picklock::live
