#include <fmt/format.h>

#include <stdexcept>

#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run.hpp"
#include "tests/live/live.hpp"

namespace picklock::live {
namespace {

// a is granted by servers 1 to 3 and b can reach 3 to 5: server 3 decides.
constexpr std::string_view kThreeOfFive = R"(
lock    = { name = "redlock", ttl = "30s" }
clients = [ { name = "a", hold = "4s" }, { name = "b", start = "10ms", hold = "1s" } ]
[phases]
load = "10s"
[[fault]]
kind    = "partition"
shape   = "partial"
between = "a | redis4 redis5"
at      = "0s"
lasts   = "20s"
[[fault]]
kind    = "partition"
shape   = "partial"
between = "b | redis1 redis2"
at      = "0s"
lasts   = "20s"
)";

constexpr std::string_view kKillAndRestart = R"(
[[fault]]
kind   = "kill"
node   = "redis3"
on     = "a enters"
offset = "500ms"
restart-after = "200ms"
)";

constexpr std::string_view kOneClockJumps = R"(
[[fault]]
kind   = "clock-step"
node   = "redis3"
by     = "60s"
on     = "a enters"
offset = "500ms"
)";

constexpr std::string_view kStoppedClient = R"(
lock     = { name = "set-nx-px", ttl = "300ms", retry = "1ms" }
clients  = [ { name = "a", hold = "50ms" }, { name = "b", start = "10ms", hold = "1s" } ]
workload = "counter"
[[fault]]
kind  = "pause"
node  = "a"
on    = "a enters"
lasts = "600ms"
)";

Scenario parsed(const std::string& text) {
  ScenarioFile file = read_scenario(text, "live");
  if (!file.ok()) throw std::runtime_error(print(file.errors.front()));
  return std::move(file.scenario);
}

Scenario from_library(const std::string& name, std::initializer_list<const char*> settings) {
  ScenarioFile file = load_scenario(PICKLOCK_SOURCE_DIR "/scenarios/library/" + name);
  if (!file.ok()) throw std::runtime_error(print(file.errors.front()));
  for (const char* set : settings) {
    if (const auto error = set_in_scenario(file.scenario, set)) throw std::runtime_error(print(*error));
  }
  return std::move(file.scenario);
}

template <class See>
Count count(const Scenario& scenario, Property property, int runs, See see) {
  auto compiled = Runner::compile(scenario);
  if (std::holds_alternative<std::vector<ScenarioProblem>>(compiled))
    throw std::runtime_error(std::get<1>(compiled).front().where);
  Runner& runner = *std::get<0>(compiled);
  Count c{0, runs};
  for (int seed = 1; seed <= runs; ++seed) {
    const RunResult& r = runner.run(static_cast<std::uint64_t>(seed));
    c.twice += of(r.findings, property).verdict == Verdict::violated;
    see(r);
  }
  return c;
}
Count count(const Scenario& scenario, Property property, int runs) {
  return count(scenario, property, runs, [](const RunResult&) {});
}

Row stopped_client() {
  Range wait;
  const Count c = count(parsed(std::string(kStoppedClient)), Property::mutual_exclusion, 15, [&](const RunResult& r) {
    std::vector<std::int64_t> begun;
    for (const GrantEvent& g : r.history->grants) {
      if (g.change == GrantChange::begin) begun.push_back(g.time);
    }
    if (begun.size() >= 2) wait.add(Duration{begun[1] - begun[0]});
  });
  const bool one = wait.within(milliseconds(300), milliseconds(304));
  return {"a client is stopped (SIGSTOP) past its lease", "PX 300, another polls each millisecond",
          "B at 0.301 s; A resumes to find B",
          fmt::format("B at 0.{:03} to 0.{:03} s; A resumes to find B {}", wait.least_ns / 1'000'000,
                      wait.most_ns / 1'000'000, c.text()),
          one && c.all()};
}

}  // namespace

std::vector<Row> lock_rows() {
  std::vector<Row> rows;
  rows.push_back(stopped_client());
  const std::string split = "down-after 1000, failover-timeout 3000";
  const Count both = count(from_library("split_brain", {"sentinel.down-after=1s", "sentinel.failover-timeout=3s"}),
                           Property::mutual_exclusion, 15);
  rows.push_back({"Sentinel split brain: client A on the isolated master's side, B on the other", split, "both hold",
                  "both hold " + both.text(), both.all()});
  const Count still =
      count(from_library("split_brain/min_replicas", {"sentinel.down-after=1s", "sentinel.failover-timeout=3s"}),
            Property::mutual_exclusion, 15);
  rows.push_back({"…", split + ", min-replicas 1, max-lag 1", "3 of 3 double", still.text(), still.all()});
  const char* const kMeasured[] = {"10 of 10 double quorum", "0 of 10", "0 of 10"};
  const char* const kPersistence[] = {"no", "everysec", "always"};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string redis = fmt::format("\n[redis]\nappendonly = \"{}\"\n", kPersistence[i]);
    const Count c =
        count(parsed(std::string(kThreeOfFive) + redis + std::string(kKillAndRestart)), Property::double_grant, 10);
    rows.push_back({i == 0 ? "Redlock, 3 of 5: one node is killed and restarted" : "…",
                    fmt::format("appendonly {}", kPersistence[i]), kMeasured[i], c.text(),
                    i == 0 ? c.all() : c.none()});
  }
  const Count jump = count(parsed(std::string(kThreeOfFive) + std::string(kOneClockJumps)), Property::double_grant, 10);
  rows.push_back(
      {"Redlock, 3 of 5: one node's clock is set 60 s ahead", "PX 30000", "10 of 10", jump.text(), jump.all()});
  return rows;
}

}  // namespace picklock::live
