// Jepsen's test of etcd's locks, many times: which share of acknowledged updates is lost?
//
//   jepsen_etcd [tests [first seed [part of a name]]]     prints the tables of docs/jepsen-etcd.md, or some rows
//
// A test is scenarios/library/etcd_jepsen_lock_set for 120 s, and a nemesis as jepsen 0.1.16 has it: five seconds
// after the members have begun to go on it pauses the leader, or the leader or all of them by the toss of a coin, and
// five seconds later all go on.  Who leads is known once the run has come so far; a run is a pure function of its
// scenario, so it is made again with one pause more.
//
// Lost is what was acknowledged and is not in the set at the end.  The interval is that of a ratio estimator over
// tests (W. G. Cochran, Sampling Techniques, 3rd ed., section 6.4): updates of one test are not independent.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>

#include "algorithms/etcd/etcd_lock_rpc.hpp"
#include "base/hash.hpp"
#include "checker/properties/statistics.hpp"
#include "faults/pause.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/services/etcd/etcd_spec.hpp"
#include "scenarios/workloads/etcd_set.hpp"
#include "sim/core/world.hpp"
#include "sim/etcd/inspect.hpp"

namespace picklock {
namespace {

constexpr Duration kInterval = seconds(5), kTest = seconds(120);

enum class Release { v3_4, v3_5, v3_6 };
enum class Paused { leader, leader_or_all, all, nobody };

struct Variant {
  const char* name;
  Release release = Release::v3_4;
  EtcdGuard guard = EtcdGuard::none;
  bool in_etcd = false;  // the set; else in memory
  Paused paused = Paused::leader;
  Duration pause = kInterval;                  // how long
  void (*edit)(Scenario&) = [](Scenario&) {};  // what else is not as it was there
};

// The queue is kept by the client, as Go's library keeps it, and not by the member.
void by_the_client(Scenario& s) {
  EtcdMutexOptions lock;
  lock.ttl = seconds(2);
  lock.session_per_lock = true;
  lock.recheck = s.services.of<EtcdSpec>().server.rechecks_locks;
  s.lock.name = "etcd-mutex";
  s.lock.options = AnyOptions::of(lock);
}

Scenario scenario_of(const Variant& variant) {
  Scenario s = load_scenario(PICKLOCK_SOURCE_DIR "/scenarios/library/etcd_jepsen_lock_set.toml").scenario;
  s.faults.clear();
  s.overrides.clear();
  s.phases.load = kTest;
  s.event_budget = 100'000'000;
  s.services.of<EtcdSpec>().server = variant.release == Release::v3_4   ? etcd_3_4()
                                     : variant.release == Release::v3_5 ? etcd_3_5()
                                                                        : etcd_3_6();
  if (variant.in_etcd) {
    s.workload.kind = "etcd-set";
    s.workload.options = AnyOptions::of(EtcdSet::Options{variant.guard});
    auto lock = s.lock.options.as<EtcdLockRpcOptions>();
    if (variant.guard == EtcdGuard::owner) lock.token = EtcdToken::create_revision;  // it compares that
    s.lock.options = AnyOptions::of(lock);
  }
  variant.edit(s);
  return s;
}

std::unique_ptr<Runner> compiled(const Scenario& s) {
  auto made = Runner::compile(s);
  if (auto* runner = std::get_if<std::unique_ptr<Runner>>(&made)) return std::move(*runner);
  for (const ScenarioProblem& p : std::get<1>(made)) {
    fmt::print(stderr, "{}: {}, expected {}\n", p.where, p.found, p.expected);
  }
  std::exit(2);
}

// Of the highest term, as Jepsen picks its primary; none: an empty name.
std::string leader_at_end_of_load(Runner& runner, Duration load) {
  std::uint64_t term = 0;
  std::string leader;
  for (const TraceRecord& r : runner.record().journal()) {
    if (r.time > load.ns) break;
    if (r.kind == trace::etcd_role && r.a == 1 && r.b >= term) term = r.b, leader = runner.cast().machines[r.node];
  }
  return leader;
}

void add_pauses(Scenario& s, const Variant& variant, std::uint64_t seed) {
  if (variant.paused == Paused::nobody) return;
  for (Duration at = kInterval; at < kTest; at = at + kInterval + variant.pause) {
    const bool heads = mix(seed, static_cast<std::uint64_t>(at.ns)) % 2 == 0;
    const bool all = variant.paused == Paused::all || (variant.paused == Paused::leader_or_all && heads);
    std::vector<std::string> targets;
    for (std::int64_t i = 1; i <= s.services.of<EtcdSpec>().members && all; ++i)
      targets.push_back(fmt::format("etcd{}", i));
    if (!all) {
      Scenario so_far = s;
      so_far.phases.load = at;
      so_far.phases.settle = so_far.phases.probe_patience.emplace();
      const auto runner = compiled(so_far);
      (void)runner->run(seed);
      targets.push_back(leader_at_end_of_load(*runner, at));
    }
    for (const std::string& target : targets) {
      if (target.empty()) continue;
      Fault pause{.kind = "pause", .options = AnyOptions::of(PauseOptions{.node = target, .lasts = variant.pause})};
      pause.trigger.at = at;
      s.faults.push_back(std::move(pause));
    }
  }
}

struct Counted {
  std::uint64_t acknowledged = 0, lost = 0;
};

Counted count(const History& h) {
  std::vector<const EffectEvent*> writes;
  for (const EffectEvent& e : h.effects) {
    if (e.kind == EffectKind::write) writes.push_back(&e);
  }
  // Whose item is in the set: the last writer's, that of whose write it had read, and so on.
  std::set<std::uint64_t> there;
  if (!writes.empty()) {
    std::uint64_t version = writes.back()->version;
    for (auto w = writes.rbegin(); w != writes.rend(); ++w) {
      if ((*w)->version == version) there.insert(version), version = (*w)->read_version;
    }
  }
  Counted c;
  for (const EffectEvent* w : writes) {
    if (!w->acknowledged) continue;
    ++c.acknowledged;
    c.lost += there.count(w->version) == 0;
  }
  return c;
}

void report(const Variant& variant, std::uint64_t tests, std::uint64_t first_seed) {
  std::vector<Counted> all;
  double acknowledged = 0, lost = 0;
  std::uint64_t with_loss = 0;
  std::vector<double> single;  // each test's share
  for (std::uint64_t seed = first_seed; seed < first_seed + tests; ++seed) {
    Scenario s = scenario_of(variant);
    add_pauses(s, variant, seed);
    const auto runner = compiled(s);
    const RunResult& result = runner->run(seed);
    if (!result.error.empty() || result.cut_off) fmt::print(stderr, "seed {}: {}\n", seed, result.error);
    all.push_back(count(*result.history));
    acknowledged += static_cast<double>(all.back().acknowledged);
    lost += static_cast<double>(all.back().lost);
    with_loss += all.back().lost != 0;
    const Counted& one = all.back();
    single.push_back(100 * static_cast<double>(one.lost) / std::max(1.0, static_cast<double>(one.acknowledged)));
  }
  std::sort(single.begin(), single.end());
  const double share = acknowledged == 0 ? 0 : lost / acknowledged, n = static_cast<double>(tests);
  double squares = 0;
  for (const Counted& c : all) {
    squares += std::pow(static_cast<double>(c.lost) - share * static_cast<double>(c.acknowledged), 2);
  }
  const double error = n > 1 && acknowledged > 0 ? kNormal975 * std::sqrt(squares * n / (n - 1)) / acknowledged : 0;
  const std::string interval =
      with_loss == 0 ? fmt::format("none (95 %: in < {:.1f} % of tests)", 100 * upper_bound_after_none(tests))
                     : fmt::format("{:.2f} % (95 %: {:.2f} to {:.2f})", 100 * share, 100 * std::max(0.0, share - error),
                                   100 * (share + error));
  const auto at = [&](std::uint64_t percent) { return single[(single.size() - 1) * percent / 100]; };
  fmt::print("{:40} {:5} {:8.0f} {:6.0f}  {:36} {:5.1f} to {:5.1f} {:9}\n", variant.name, tests, acknowledged, lost,
             interval, at(5), at(95), with_loss);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  const std::uint64_t tests = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const std::uint64_t first_seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string_view only = argc > 3 ? argv[3] : "";
  using enum Release;
  const auto slowly = [](Scenario& s) { s.latency = Law::uniform(milliseconds(1), milliseconds(3)); };
  const Variant variants[] = {
      // The test as it stood when it was written (jepsen-io/etcd, 25 November 2019): the leader is paused.
      {.name = "3.4, set in memory"},
      {.name = "3.5, set in memory", .release = v3_5},
      {.name = "3.6, set in memory", .release = v3_6},
      {.name = "3.4, in etcd, if the lock's key exists", .guard = EtcdGuard::key_exists, .in_etcd = true},
      {.name = "3.5, in etcd, if the lock's key exists",
       .release = v3_5,
       .guard = EtcdGuard::key_exists,
       .in_etcd = true},
      {.name = "3.4, in etcd, if the lock's key is mine", .guard = EtcdGuard::owner, .in_etcd = true},
      {.name = "3.4, in etcd, unguarded", .in_etcd = true},
      // As it stood from 27 November 2019 on, and when the report appeared: the leader or all of them.
      {.name = "3.4, set in memory, leader or all", .paused = Paused::leader_or_all},
      {.name = "3.5, set in memory, leader or all", .release = v3_5, .paused = Paused::leader_or_all},
      // Beside the test: one thing changed in each.
      {.name = "3.4, nobody paused", .paused = Paused::nobody},
      {.name = "3.4, all paused", .paused = Paused::all},
      {.name = "3.4, pauses of 5.5 s", .pause = milliseconds(5500)},
      {.name = "3.4, pauses of 7 s", .pause = seconds(7)},
      {.name = "3.4, 1 to 3 ms one way", .edit = slowly},
      {.name = "3.4, queue kept by the client", .edit = by_the_client},
      {.name = "3.5, queue kept by the client", .release = v3_5, .edit = by_the_client},
  };
  fmt::print("{:40} {:>5} {:>8} {:>6}  {:36} {:>13} {:>9}\n", "", "tests", "acknowl.", "lost", "share lost",
             "single tests", "with loss");
  for (const Variant& v : variants) {
    if (std::string_view(v.name).find(only) != std::string_view::npos) report(v, tests, first_seed);
  }
  return 0;
}

}  // namespace
}  // namespace picklock

int main(int argc, char** argv) { return picklock::run(argc, argv); }
