// Jepsen's test of etcd's locks, many times: which share of acknowledged updates is lost?
//
//   jepsen_etcd [tests [first seed]]          prints the table of docs/jepsen-etcd.md
//
// A test is scenarios/library/etcd_jepsen_lock_set for 120 s, and a nemesis as jepsen 0.1.16 has it: five seconds
// after the members have begun to go on it pauses, by the toss of a coin, the leader or all of them, and five
// seconds later all go on.  Who leads is known once the run has come so far; a run is a pure function of its
// scenario, so it is made again with one pause more.
//
// Lost is what was acknowledged and is not in the set at the end.  The interval is that of a ratio estimator over
// tests (W. G. Cochran, Sampling Techniques, 3rd ed., section 6.4): updates of one test are not independent.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "algorithms/etcd/etcd_mutex.hpp"
#include "checker/properties/statistics.hpp"
#include "faults/pause.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/workloads/etcd_set.hpp"
#include "sim/core/mix.hpp"
#include "sim/core/world.hpp"
#include "sim/etcd/inspect.hpp"

namespace picklock {
namespace {

constexpr Duration kInterval = seconds(5), kTest = seconds(120);

struct Variant {
  const char* name;
  bool recheck, pre_vote, fixes;  // Lock looks for its key; PreVote; leaders ask before they end or renew leases
  bool in_etcd = false;
  EtcdGuard guard = EtcdGuard::none;
  bool pauses = true;
};

Scenario scenario_of(const Variant& variant) {
  Scenario s = load_scenario(PICKLOCK_SOURCE_DIR "/scenarios/library/etcd_jepsen_lock_set.toml").scenario;
  s.faults.clear();
  s.overrides.clear();
  s.phases.load = kTest;
  s.event_budget = 100'000'000;
  auto lock = s.lock.options.as<EtcdMutexOptions>();
  lock.recheck = variant.recheck;
  s.lock.options = AnyOptions::of(lock);
  s.etcd.server.pre_vote = variant.pre_vote;
  s.etcd.server.confirms_leadership = s.etcd.server.renews_after_applying = variant.fixes;
  if (variant.in_etcd) {
    s.workload.kind = "etcd-set";
    s.workload.options = AnyOptions::of(EtcdSet::Options{variant.guard});
  }
  return s;
}

std::unique_ptr<Runner> compiled(const Scenario& s) {
  auto made = Runner::compile(s);
  if (auto* runner = std::get_if<std::unique_ptr<Runner>>(&made)) return std::move(*runner);
  for (const ScenarioProblem& p : std::get<1>(made)) fmt::print(stderr, "{}: {}, expected {}\n", p.where, p.found, p.expected);
  std::exit(2);
}

// Of the highest term, as Jepsen picks its primary; nobody: an empty name.
std::string leader_at_end_of_load(Runner& runner, Duration load) {
  std::uint64_t term = 0;
  std::string leader;
  for (const TraceRecord& r : runner.world().trace.journal()) {
    if (r.time > load.ns) break;
    if (r.kind == trace::etcd_role && r.a == 1 && r.b >= term) term = r.b, leader = runner.node_names()[r.node];
  }
  return leader;
}

void add_pauses(Scenario& s, std::uint64_t seed) {
  for (Duration at = kInterval; at < kTest; at = at + kInterval * 2) {
    const bool all = mix(seed, static_cast<std::uint64_t>(at.ns)) % 2 == 0;
    std::vector<std::string> targets;
    for (std::int64_t i = 1; i <= s.etcd.members && all; ++i) targets.push_back(fmt::format("etcd{}", i));
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
      Fault pause{.kind = "pause", .options = AnyOptions::of(PauseOptions{.node = target, .lasts = kInterval})};
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
  std::uint64_t with_loss = 0, events = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + tests; ++seed) {
    Scenario s = scenario_of(variant);
    if (variant.pauses) add_pauses(s, seed);
    const auto runner = compiled(s);
    const RunResult& result = runner->run(seed);
    if (!result.error.empty() || result.cut_off) fmt::print(stderr, "seed {}: {}\n", seed, result.error);
    all.push_back(count(*result.history));
    events += result.events;
    acknowledged += static_cast<double>(all.back().acknowledged);
    lost += static_cast<double>(all.back().lost);
    with_loss += all.back().lost != 0;
  }
  const double share = acknowledged == 0 ? 0 : lost / acknowledged, n = static_cast<double>(tests);
  double squares = 0;
  for (const Counted& c : all) squares += std::pow(static_cast<double>(c.lost) - share * static_cast<double>(c.acknowledged), 2);
  const double error = n > 1 && acknowledged > 0 ? 1.96 * std::sqrt(squares * n / (n - 1)) / acknowledged : 0;
  const std::string interval =
      with_loss == 0 ? fmt::format("none (95 %: in less than {:.1f} % of tests)", 100 * upper_bound_after_none(tests))
                     : fmt::format("{:.2f} % (95 %: {:.2f} to {:.2f})", 100 * share, 100 * std::max(0.0, share - error),
                                   100 * (share + error));
  fmt::print("{:44} {:5} {:9.0f} {:7.0f}   {:39}   {:4}   {:9}\n", variant.name, tests, acknowledged, lost, interval, with_loss,
             events / tests);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  const std::uint64_t tests = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const std::uint64_t first_seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const Variant variants[] = {
      {"3.4, set in memory", false, false, false},
      {"3.5, set in memory", true, true, false},
      {"3.6, set in memory", true, true, true},
      {"3.4, in etcd, if the lock's key exists", false, false, false, true, EtcdGuard::key_exists},
      {"3.5, in etcd, if the lock's key exists", true, true, false, true, EtcdGuard::key_exists},
      {"3.4, in etcd, if the lock's key is mine", false, false, false, true, EtcdGuard::owner},
      {"3.4, in etcd, unguarded", false, false, false, true, EtcdGuard::none},
      {"3.4, set in memory, nobody paused", false, false, false, false, EtcdGuard::none, false},
  };
  fmt::print("{:44} {:>5} {:>9} {:>7}   {:39}   {:>4}   {:>9}\n", "", "tests", "acknowl.", "lost", "share lost", "with", "events");
  for (const Variant& v : variants) report(v, tests, first_seed);
  return 0;
}

}  // namespace
}  // namespace picklock

int main(int argc, char** argv) { return picklock::run(argc, argv); }
