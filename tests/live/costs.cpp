#include "tests/live/costs.hpp"

#include <fmt/format.h>

#include "tests/live/commands.hpp"

namespace picklock::live {

std::vector<CostRow> cost_rows() {
  const Command kAll[] = {
      {"one server, polling every 5 to 10 ms", "cost_of_waiting", "", {}},
      {"one server, polling every 1 to 2 ms", "cost_of_waiting", "", {"lock.retry=1ms..2ms"}},
      {"Redisson, publish/subscribe", "cost_of_waiting", "redisson-lock", {}},
      {"Redisson, spinning with back-off", "cost_of_waiting", "redisson-spin-lock", {}},
      {"one server, polling every 5 to 10 ms", "cost_of_short_holds", "", {}},
      {"Redlock, pauses of 0 to 200 ms", "cost_of_short_holds", "redlock", {}},
      {"Redlock, pauses of 5 to 10 ms", "cost_of_short_holds", "redlock", {"lock.retry=5ms..10ms"}},
      {"one server", "cost_of_acquiring", "", {}},
      {"Redlock, five at once", "cost_of_acquiring", "redlock", {}},
      {"Redlock, five at once, on at the quorum (pottery)", "cost_of_acquiring", "pottery", {}},
      {"Redlock, five in turn", "cost_of_acquiring", "redlock", {"lock.contact=sequential"}},
      {"Redlock at once, one of five dead", "cost_of_a_dead_server", "", {}},
      {"… on at the quorum (pottery)", "cost_of_a_dead_server", "pottery", {}},
      {"… in turn", "cost_of_a_dead_server", "", {"lock.contact=sequential"}},
      {"one master, Sentinel with down-after 1 s", "cost_of_a_failover", "", {}},
      {"one master, Sentinel with down-after 5 s", "cost_of_a_failover", "", {"sentinel.down-after=5s"}},
      {"one server without followers", "cost_of_a_failover", "", {"redis.sentinels=0", "redis.replicas=0"}},
      {"Redlock, two of five lost", "cost_of_a_lost_minority", "", {}},
      {"Redlock, three of five lost", "cost_of_a_lost_minority", "", {"fault[2].at=20s"}},
      {"ZooKeeper, the leader of three", "zookeeper_cost_of_a_failover", "", {}},
      {"etcd, the leader of three", "etcd_cost_of_a_failover", "", {}},
      {"ZooKeeper, one of three lost", "zookeeper_minority_down", "", {}},
      {"ZooKeeper, two of three lost", "zookeeper_minority_down", "", {"fault[1].at=10s", "clients.c1.patience=500ms"}},
      {"etcd, two of five lost", "etcd_minority_down", "", {}},
      {"ZooKeeper, the queue of the recipe", "zookeeper_cost_of_acquiring", "", {}},
      {"ZooKeeper, the herd at one node", "zookeeper_cost_of_acquiring", "zookeeper-herd-lock", {}},
      {"ZooKeeper, Curator's mutex", "zookeeper_cost_of_acquiring", "curator-mutex", {}},
      {"etcd, concurrency.Mutex", "etcd_cost_of_acquiring", "", {}},
      {"etcd, concurrency.Mutex, five members", "etcd_cost_of_acquiring", "", {"etcd.members=5"}},
      {"ZooKeeper, fifty waiters in a queue", "zookeeper_cost_of_waiting/fifty_waiters", "zookeeper-lock", {}},
      {"ZooKeeper, fifty waiters in a herd", "zookeeper_cost_of_waiting/fifty_waiters", "zookeeper-herd-lock", {}},
      {"etcd, eight waiters in a queue", "etcd_cost_of_waiting", "", {}},
      {"etcd, eight waiters in a herd", "etcd_cost_of_waiting/a_herd", "", {}},
  };
  std::vector<CostRow> rows;
  for (const Command& c : kAll)
    rows.push_back({c.what, c.scenario, command_line(c) + " --measure", *play(c, true).costs});
  return rows;
}

std::string cost_table(const std::vector<CostRow>& rows, std::string_view scenario) {
  std::string out =
      "| lock | acquires served | latency, median (95 %) | requests of an acquire, mean (most) | commands for a grant "
      "| wake-up, median (95 %) |\n"
      "|---|---|---|---|---|---|\n";
  for (const CostRow& r : rows) {
    if (r.scenario != scenario) continue;
    const Costs& c = r.costs;
    const Spread latency = spread_of(c.latency_ns), requests = spread_of(c.requests), wake = spread_of(c.wake_up_ns);
    const std::uint64_t share = c.asked == 0 ? 1000 : c.granted * 1000 / c.asked;
    out += fmt::format("| {} | {} of {} ({}.{} %) | {} ms ({}) | {} ({}) | {} | {} |\n", r.what, c.granted, c.asked,
                       share / 10, share % 10, ms(latency.median), ms(latency.p95), requests.mean, requests.most,
                       each(c.commands, c.granted),
                       wake.count == 0 ? "–" : fmt::format("{} ms ({})", ms(wake.median), ms(wake.p95)));
  }
  for (const CostRow& r : rows) {
    if (r.scenario == scenario) out += fmt::format("\n    {}", r.command);
  }
  return out + "\n";
}

}  // namespace picklock::live
