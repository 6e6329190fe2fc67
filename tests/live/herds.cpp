#include "tests/live/herds.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "campaigns/campaign.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"
#include "tests/live/commands.hpp"

namespace picklock::live {
namespace {

constexpr const char* kScenario = "zookeeper_cost_of_waiting/fifty_waiters";
constexpr std::uint64_t kRuns = 10;
// A queue in which each watches the node before its own; one in which all watch the list; a herd at one node.
constexpr const char* kLocks[] = {"zookeeper-lock", "zookeeper-parent-watch-lock", "zookeeper-herd-lock"};

Costs costs_of(std::string_view lock, std::size_t clients) {
  ScenarioFile file = load_scenario(fmt::format("{}/scenarios/library/{}", PICKLOCK_SOURCE_DIR, kScenario));
  if (!file.ok() || set_lock(file.scenario, lock)) throw std::runtime_error(kScenario);
  const ClientSpec one = file.scenario.clients.at(0);
  file.scenario.clients.assign(clients, one);
  for (std::size_t i = 0; i < clients; ++i) file.scenario.clients[i].name = fmt::format("c{}", i + 1);
  CampaignOptions options;
  options.seeds = {1, kRuns};
  options.costs = true;
  auto result = run_campaign(file.scenario, options);
  if (std::holds_alternative<std::vector<ScenarioProblem>>(result)) throw std::runtime_error(kScenario);
  return *std::get<0>(result).costs;
}

}  // namespace

std::vector<HerdRow> herd_rows() {
  std::vector<HerdRow> rows;
  for (const char* lock : kLocks) {
    for (const std::size_t clients : {2u, 10u, 50u, 200u}) rows.push_back({lock, clients, costs_of(lock, clients)});
  }
  return rows;
}

std::string herd_table(const std::vector<HerdRow>& rows) {
  std::string out =
      "| lock | clients | notifications for a grant | commands for a grant | overtakings for a grant | latency, median "
      "(95 %) | wake-up, median (95 %) |\n|---|---|---|---|---|---|---|\n";
  for (const HerdRow& r : rows) {
    const Costs& c = r.costs;
    const Spread latency = spread_of(c.latency_ns), wake = spread_of(c.wake_up_ns);
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} ms ({}) | {} ms ({}) |\n", r.lock, r.clients,
                       each(c.watch_events, c.granted), each(c.commands, c.granted), each(c.overtaken, c.granted),
                       ms(latency.median), ms(latency.p95), ms(wake.median), ms(wake.p95));
  }
  out += "\nWith `count` set to the number of clients in a copy of the file:\n";
  for (const char* lock : kLocks) {
    out += fmt::format("\n    picklock run {} --seeds 1..{} --measure --lock {}", kScenario, kRuns, lock);
  }
  return out + "\n";
}

}  // namespace picklock::live
