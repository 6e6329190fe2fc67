#include "tests/live/choosing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tests/live/commands.hpp"

namespace picklock::live {
namespace {

constexpr const char* kRedis = "one Redis server";
constexpr const char* kReplicas = "Redis with a replica";
constexpr const char* kRedlock = "Redlock, five servers";
constexpr const char* kRedisson = "Redisson, watchdog";
constexpr const char* kZooKeeper = "ZooKeeper";
constexpr const char* kEtcd = "etcd";
constexpr const char* kFamilies[] = {kRedis, kReplicas, kRedlock, kRedisson, kZooKeeper, kEtcd};

struct Cell {
  const char *fault, *family;
  Command command;
  const char* depends;
};

constexpr const char* kPause = "the holder stops for longer than its lease";
constexpr const char* kTokens = "a stopped holder, and a storage that compares tokens";
constexpr const char* kDelay = "the holder's write arrives after its lease";
constexpr const char* kCut = "the holder is cut off from the lock service";
constexpr const char* kDeath = "the holder dies";
constexpr const char* kPower = "a server loses power and comes back";
constexpr const char* kFailover = "the server that leads dies, and another one takes over";
constexpr const char* kClock = "a server's clock jumps ahead";
constexpr const char* kMinority = "a minority of the servers dies";

constexpr const char* kReplica = "redis.replicas=1";

const std::vector<Cell>& cells() {
  static const std::vector<Cell> all = {
      {kPause, kRedis, {"", "paused_holder", "", {}, 100}, "pause of 200 ms, lease of 100 ms"},
      {kPause, kReplicas, {"", "paused_holder", "", {kReplica}, 100}, "the same: a replica does not renew"},
      {kPause, kRedlock, {"", "redlock_paused_holder", "", {}, 100}, "pause of 15 s, lease of 10 s"},
      {kPause,
       kRedisson,
       {"", "paused_holder", "redisson-lock", {}, 100},
       "the same pause: its watchdog is in the process that stops"},
      {kPause,
       kZooKeeper,
       {"", "curator_paused_holder", "", {}, 100},
       "session of 3 s; the holder stops at SUSPENDED, which it hears of when it wakes"},
      {kPause, kEtcd, {"", "etcd_paused_holder", "", {}, 100}, "lease of 5 s, renewed by the process that stops"},

      {kTokens, kRedis, {"", "paused_holder/fenced", "", {}, 100}, "token from INCR; the storage compares"},
      {kTokens,
       kReplicas,
       {"", "paused_holder/fenced", "", {kReplica}, 100},
       "token from INCR, which a failover may repeat (failover_repeats_a_token)"},
      {kTokens,
       kRedlock,
       {"", "redlock_paused_holder/fenced", "", {}, 100},
       "token from a counter at one of the servers; without that server nobody gets in"},
      {kTokens,
       kRedisson,
       {"", "paused_holder/fenced", "redisson-fenced-lock", {}, 100},
       "token from the script of the grant (RFencedLock)"},
      {kTokens, kZooKeeper, {"", "curator_paused_holder/fenced", "", {}, 100}, "token: the node's czxid"},
      {kTokens, kEtcd, {"", "etcd_paused_holder/fenced", "", {}, 100}, "token: the key's create revision"},

      {kDelay, kRedis, {"", "delayed_write", "", {}, 100}, "delay of the write; no lease bounds the network"},
      {kDelay, kReplicas, {"", "delayed_write", "", {kReplica}, 100}, "the same"},
      {kDelay, kRedlock, {"", "redlock_delayed_write", "", {}, 100}, "the same"},
      {kDelay,
       kRedisson,
       {"", "delayed_write", "redisson-lock", {}, 100},
       "nothing: it renews while it waits for the answer"},
      {kDelay, kZooKeeper, {"", "delayed_write", "curator-mutex", {}, 100}, "nothing: its session lives"},
      {kDelay, kEtcd, {"", "delayed_write", "etcd-mutex", {}, 100}, "nothing: its session lives"},

      {kCut, kRedis, {"", "renewal_lost_in_partition", "", {}, 100}, "partition of 3 s, lease of 300 ms, renewed"},
      {kCut, kReplicas, {"", "renewal_lost_in_partition", "", {kReplica}, 100}, "the same, cut off from the master"},
      {kCut,
       kRedlock,
       {"",
        "renewal_lost_in_partition",
        "redlock",
        {"lock.renewal=true", "fault[0].between=a | redis1 redis2 redis3 redis4 redis5"},
        100},
       "cut off from all five; an extension without a majority tells the holder, which stops before its validity ends"},
      {kCut, kRedisson, {"", "renewal_lost_in_partition", "redisson-lock", {}, 100}, "the same; nobody tells it"},
      {kCut,
       kZooKeeper,
       {"", "curator_stops_when_lost/suspended", "", {}, 100},
       "it stops at SUSPENDED, a third of the session before its end; at LOST two are in"},
      {kCut, kEtcd, {"", "etcd_partitioned_holder", "", {}, 100}, "it stops at Done(), up to a second after the lease"},

      {kDeath,
       kRedis,
       {"", "crash_without_expiry", "set-nx-px", {}, 100},
       "free after the rest of the lease; without an expiry never"},
      {kDeath, kReplicas, {"", "crash_without_expiry", "set-nx-px", {kReplica}, 100}, "the same"},
      {kDeath, kRedlock, {"", "crash_without_expiry", "redlock", {}, 100}, "the same"},
      {kDeath, kRedisson, {"", "crash_without_expiry", "redisson-lock", {}, 100}, "the same, 30 s unless configured"},
      {kDeath, kZooKeeper, {"", "crash_without_expiry", "curator-mutex", {}, 100}, "free after the session"},
      {kDeath, kEtcd, {"", "crash_without_expiry", "etcd-mutex", {}, 100}, "free after the lease"},

      {kPower, kRedis, {"", "restart_without_fsync", "", {}, 100}, "appendfsync everysec; always keeps the key"},
      {kPower,
       kReplicas,
       {"", "restart_without_fsync", "", {kReplica}, 100},
       "nothing helps: the replica takes over what its master has loaded"},
      {kPower,
       kRedlock,
       {"", "redlock_crash_without_fsync", "", {}, 100},
       "the server is one of a bare majority; a restart later than the longest lease is safe"},
      {kPower,
       kRedisson,
       {"", "restart_without_fsync", "redisson-lock", {"clients.b.start=200ms", "clients.b.rounds=2"}, 100},
       "b comes after the restart; a client that waits already asks again when the lease was to end"},
      {kPower,
       kZooKeeper,
       {"", "restart_without_fsync", "curator-mutex", {"fault[0].node=zookeeper1", "phases.settle=20s"}, 100},
       "nothing: what is granted is on the disks of a majority"},
      {kPower,
       kEtcd,
       {"", "restart_without_fsync", "etcd-mutex", {"fault[0].node=etcd1", "phases.settle=20s"}, 100},
       "nothing; but an Unlock whose answer was lost leaves its key while the session lives, and the caller must "
       "unlock again"},

      {kFailover, kReplicas, {"", "failover_loses_the_lock", "", {}, 100}, "the replica lags; WAIT narrows the window"},
      {kFailover,
       kRedisson,
       {"", "failover_loses_the_lock", "redisson-lock", {}, 100},
       "nothing here: it grants what one replica has acknowledged; of two replicas the other may lead"},
      {kFailover, kZooKeeper, {"", "zookeeper_leader_dies_under_load", "", {}, 5}, "nothing: a majority knows"},
      {kFailover, kEtcd, {"", "etcd_leader_failover_under_load", "", {}, 5}, "nothing: a majority knows"},

      {kClock, kRedis, {"", "server_clock_step_forward", "", {}, 100}, "size of the step against the lease"},
      {kClock, kReplicas, {"", "server_clock_step_forward", "", {kReplica}, 100}, "the same, of the master's clock"},
      {kClock,
       kRedlock,
       {"", "redlock_clock_jump", "", {}, 100},
       "the server is one of a bare majority, and the others cannot be reached"},
      {kClock,
       kRedisson,
       {"", "server_clock_step_forward", "redisson-lock", {"clients.b.start=150ms"}, 100},
       "b comes after the step; a client that waits already asks again when the lease was to end"},
      {kClock,
       kZooKeeper,
       {"", "server_clock_step_forward", "curator-mutex", {"fault[0].node=zookeeper1", "phases.settle=20s"}, 100},
       "nothing: sessions are timed by monotonic clocks"},
      {kClock,
       kEtcd,
       {"", "server_clock_step_forward", "etcd-mutex", {"fault[0].node=etcd1", "phases.settle=20s"}, 100},
       "nothing: leases are timed by monotonic clocks"},

      {kMinority, kRedlock, {"", "cost_of_a_lost_minority", "", {}, 5}, "two of five"},
      {kMinority, kZooKeeper, {"", "zookeeper_minority_down", "", {}, 5}, "one of three"},
      {kMinority, kEtcd, {"", "etcd_minority_down", "", {}, 5}, "two of five"},
  };
  return all;
}

Choice measured(const Cell& cell) {
  const CampaignResult result = play(cell.command, false);
  Choice c{cell.fault, cell.family, command_line(cell.command), cell.depends};
  c.runs = result.runs;
  const auto count = [&](Property property, std::uint64_t* violated, std::uint64_t* tested) {
    const auto found = std::ranges::find(result.properties, property, &PropertySummary::property);
    if (found == result.properties.end()) return;
    *violated = found->tally.count(Verdict::violated);
    *tested = *violated + found->tally.count(Verdict::holds);
  };
  count(Property::mutual_exclusion, &c.two_at_once, &c.tested);
  count(Property::lost_update, &c.updates_lost, &c.updates_tested);
  count(Property::never_free_again, &c.never_free, &c.free_tested);
  return c;
}

std::string share(std::uint64_t n, std::uint64_t of) { return of == 0 ? "not tested" : fmt::format("{} of {}", n, of); }

// A word for the overview: what a user has to fear.
std::string verdict(const Choice& c) {
  if (c.never_free != 0) return "never free again";
  if (c.updates_lost != 0) return c.two_at_once == c.tested ? "two at once" : "two at once, seldom";
  if (c.two_at_once != 0 && c.updates_tested != 0) return "two at once, no update lost";
  if (c.two_at_once != 0) return "two at once";
  return "safe";
}

}  // namespace

const std::vector<Choice>& choices() {
  static const std::vector<Choice> all = [] {
    std::vector<Choice> done;
    for (const Cell& cell : cells()) done.push_back(measured(cell));
    return done;
  }();
  return all;
}

const Choice& choice_of(std::string_view fault, std::string_view family) {
  for (const Choice& c : choices()) {
    if (c.fault == fault && c.family == family) return c;
  }
  throw std::runtime_error(fmt::format("no cell for \"{}\" and {}", fault, family));
}

std::vector<std::string> choosing_faults() {
  std::vector<std::string> faults;
  for (const Cell& cell : cells()) {
    if (faults.empty() || faults.back() != cell.fault) faults.emplace_back(cell.fault);
  }
  return faults;
}

std::string choosing_overview(const std::vector<Choice>& all) {
  std::string out = "| fault |";
  for (const char* family : kFamilies) out += fmt::format(" {} |", family);
  out += "\n|---|" + [] {
    std::string rule;
    for (std::size_t i = 0; i < std::size(kFamilies); ++i) rule += "---|";
    return rule;
  }() + "\n";
  for (const std::string& fault : choosing_faults()) {
    out += fmt::format("| {} |", fault);
    for (const char* family : kFamilies) {
      const auto found =
          std::ranges::find_if(all, [&](const Choice& c) { return c.fault == fault && c.family == family; });
      out += fmt::format(" {} |", found == all.end() ? "–" : verdict(*found));
    }
    out += "\n";
  }
  return out;
}

std::string choosing_table(const std::vector<Choice>& all, std::string_view fault) {
  std::string out = "| lock | two at once | an update lost | not free again | depends on |\n|---|---|---|---|---|\n";
  std::string commands;
  for (const Choice& c : all) {
    if (c.fault != fault) continue;
    out += fmt::format("| {} | {} | {} | {} | {} |\n", c.family, share(c.two_at_once, c.tested),
                       share(c.updates_lost, c.updates_tested), share(c.never_free, c.free_tested), c.depends);
    commands += fmt::format("    {}\n", c.command);
  }
  return out + "\n" + commands;
}

}  // namespace picklock::live
