#include "scenarios/run/compiled_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/hash.hpp"
#include "base/nearest.hpp"
#include "checker/properties/properties.hpp"
#include "checker/properties/sometimes.hpp"
#include "faults/names.hpp"
#include "scenarios/file/lease.hpp"
#include "scenarios/file/server_deaths.hpp"
#include "scenarios/run/measure.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr std::string_view kProbe = "probe", kStorage = "storage";
// A grant without end promises nothing that one could wait for; the probe waits this long.
constexpr Duration kPatienceWithoutLease = seconds(10);
// Margin for requests, retries and elections on top of what the definition asks of a probe.
constexpr Duration kProbeMargin = seconds(2);

// Options that say how long a waiter pauses between two attempts, and a client before it sends a command again.
constexpr std::array<std::string_view, 5> kPauses = {"retry", "sleep", "idle", "poll", "spin-most"};
constexpr std::array<std::string_view, 2> kResends = {"retry-delay", "retry-interval"};

Duration longest_option(std::span<const std::string_view> names, const AnyOptions& options) {
  std::int64_t longest = 0;
  for (const std::string_view name : names) longest = std::max(longest, option_named(name, options).value_or(0));
  return {longest};
}

std::string_view name_of(const std::string& name) { return name; }
std::string_view name_of(std::string_view name) { return name; }
template <class Kind>
std::string_view name_of(const Kind& kind) {
  return kind.name;
}

// `known`: names, or what has one.
template <class Known>
ScenarioProblem unknown(std::string where, std::string_view what, const std::string& found, const Known& known) {
  std::vector<std::string_view> names;
  for (const auto& one : known) names.push_back(name_of(one));
  const bool vowel = std::string_view("aeiou").find(what.front()) != std::string_view::npos;
  return {std::move(where), fmt::format("'{}'", found), fmt::format("the name of {} {}", vowel ? "an" : "a", what),
          std::string(nearest_name(found, names).value_or(""))};
}

}  // namespace

void CompiledScenario::compile(std::vector<ScenarioProblem>& problems) {
  lock.kind = find_lock_kind(scenario.lock.name);
  if (lock.kind == nullptr) {
    problems.push_back(unknown("lock.name", "lock", scenario.lock.name, lock_kinds()));
    return;
  }
  compile_ownership(problems);
  if (!problems.empty()) return;
  if (!scenario.lock.options) scenario.lock.options = AnyOptions(lock.kind->default_options());
  apply_on_loss(scenario);
  lock.lease = lock.kind->lease(*scenario.lock.options);
  if (lock.ownership->of_data) lock.data_lease = data_lease_of(*lock.kind, *scenario.lock.options).text;
  compile_workload(problems);
  if (!problems.empty()) return;

  compile_service(problems);
  cast->machines.emplace_back("world");
  cast->machines.insert(cast->machines.end(), deployment->machines().begin(), deployment->machines().end());
  cast->machines.emplace_back(kStorage);
  compile_clients(problems);
  cast->machines.emplace_back(kProbe);
  if (cast->machines.size() > kMostNodes) {
    problems.push_back(
        {"clients", fmt::format("{} machines", cast->machines.size()), fmt::format("at most {}", kMostNodes), ""});
  }
  if (!problems.empty()) return;
  compile_locks(problems);
  if (!problems.empty()) return;
  longest.retry = longest_option(kPauses, scenario.lock.options);
  longest.probe_patience = scenario.phases.probe_patience.value_or(
      (lock.lease ? *lock.lease : kPatienceWithoutLease) + longest.hold + kProbeMargin + deployment->failover_bound());
  check_clocks_and_links(problems);
  compile_expectations(problems);
  if (const auto error = plan.compile(scenario.faults, std::span(cast->machines).subspan(1), clients.shared)) {
    problems.push_back(
        {fmt::format("fault[{}].{}", error->fault, error->field), error->found, error->expected, error->nearest});
  }
  if (const auto bad = Draws().set_overrides(scenario.overrides)) {
    problems.push_back({"draw", fmt::format("'{}'", *bad), "the name of a draw, as in a>redis/latency@a#1.1", ""});
  }
  assumptions = assumptions_of(*lock.kind, scenario.lock.options, scenario.services, scenario.request_timeout);
  assume_of_clients();
}

// Assumes things of clients.  Some every lock takes for granted; of the ways to give up an acquire, which most
// locks survive, a lock names those that it does not, and they matter only where a client goes so far.
void CompiledScenario::assume_of_clients() {
  const auto any = [&](auto does) { return std::any_of(scenario.clients.begin(), scenario.clients.end(), does); };
  const auto drop_unless = [&](AssumptionKind kind, bool happens) {
    if (!happens) std::erase_if(assumptions, [kind](const Assumption& a) { return a.kind == kind; });
  };
  const auto add_if = [&](AssumptionKind kind, bool happens) {
    if (happens) assumptions.push_back(assumption(kind));
  };
  using Kind = AssumptionKind;
  drop_unless(Kind::no_abandoned_acquires, any([](const ClientSpec& c) { return c.abandon_after.has_value(); }));
  drop_unless(Kind::no_interrupts, any([](const ClientSpec& c) { return c.interrupt_after.has_value(); }));
  add_if(Kind::no_forced_releases, any([](const ClientSpec& c) { return c.role == ClientRole::operator_; }));
  add_if(Kind::enough_servers, servers_that_stay_dead(scenario) > 0);
  add_if(Kind::no_uncaught_exceptions, any([](const ClientSpec& c) { return c.throws_after.has_value(); }));
  add_if(Kind::no_forgotten_releases, any([](const ClientSpec& c) { return c.forgets_release; }));
  add_if(Kind::no_fail_open, any([](const ClientSpec& c) { return c.on_refusal == OnRefusal::go_on; }));
}

namespace {

// A mistake of a lock that is kept in a file names the line there.
ScenarioProblem at_place(ScenarioProblem problem, std::string_view place) {
  if (!place.empty()) problem.found = fmt::format("{} at {}", problem.found, place);
  return problem;
}

}  // namespace

// A lock kind, also one that a program has added, must name a service and one of its ownership rules.
void CompiledScenario::compile_ownership(std::vector<ScenarioProblem>& problems) {
  const std::string where = fmt::format("lock.name: {}", lock.kind->name);
  cast->service = find_service(lock.kind->service);
  if (cast->service == nullptr) {
    std::vector<std::string> names;
    for (const ServiceKind* const kind : services()) names.emplace_back(kind->name);
    problems.push_back(
        at_place(unknown(where, "service", std::string(lock.kind->service), names), lock.kind->service_place));
    return;
  }
  lock.ownership = find_rule(cast->service->ownership_rules, lock.kind->ownership);
  if (lock.ownership == nullptr) {
    problems.push_back(at_place(unknown(where, fmt::format("rule of ownership of {}", cast->service->title),
                                        std::string(lock.kind->ownership), cast->service->ownership_rules),
                                lock.kind->ownership_place));
  }
  if (lock.kind->key.find(kLockName) == lock.kind->key.npos) {
    problems.push_back(
        {where, fmt::format("'{}'", lock.kind->key), fmt::format("a key that has {} in it", kLockName), ""});
  }
  if (lock.ownership != nullptr && lock.ownership->of_data != (lock.kind->data_lease != nullptr)) {
    problems.push_back(
        {where, lock.ownership->of_data ? "no lease in data" : "a lease in data",
         fmt::format("{}, as {} {} from it", lock.ownership->of_data ? "one" : "none", lock.ownership->name,
                     lock.ownership->of_data ? "reads the owner" : "reads nothing"),
         ""});
  }
  for (const AssumptionOf& a : lock.kind->assumptions) {
    if (!find_assumption(a.name)) {
      problems.push_back(at_place(unknown(where, "assumption", std::string(a.name), picklock::assumptions()), a.place));
    }
    for (const std::string_view word : words_of(a.needed_by)) {
      if (!find_claims(word, {}))
        problems.push_back(
            at_place(unknown(where, "claim that needs an assumption", std::string(word), claim_words()), a.place));
    }
  }
}

void CompiledScenario::compile_workload(std::vector<ScenarioProblem>& problems) {
  workload.kind = find_workload_kind(scenario.workload.kind);
  if (workload.kind == nullptr) {
    problems.push_back(unknown("workload.kind", "workload", scenario.workload.kind, workload_kinds()));
    return;
  }
  if (workload.kind->kept_in && workload.kind->kept_in->service != lock.kind->service) {
    problems.push_back({"workload", fmt::format("'{}'", workload.kind->name),
                        fmt::format("a workload that needs no {}, as {} asks none",
                                    find_service(workload.kind->kept_in->service)->title, lock.kind->name),
                        ""});
    return;
  }
  if (workload.kind->kept_in && lock.kind->several_names) {
    problems.push_back({"workload", fmt::format("'{}'", workload.kind->name),
                        fmt::format("one that asks for no node of the lock, as {} has several", lock.kind->name), ""});
    return;
  }
  if (!scenario.workload.options) scenario.workload.options = AnyOptions(workload.kind->default_options());
  workload.body = workload.kind->make(*scenario.workload.options);
  workload.resources = static_cast<ResourceId>(option_named("seats", scenario.workload.options).value_or(1));
}

void CompiledScenario::compile_service(std::vector<ScenarioProblem>& problems) {
  const std::string key = service_key(*lock.kind, scenario.lock.key);
  deployment = cast->service->make({scenario.services, *lock.kind, *scenario.lock.options, key, lock.lease});
  cast->servers = deployment->machines().size();
  std::vector<Deployment::NamedLock> asked;
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    for (const std::string& entry : scenario.clients[i].locks) {
      const auto parsed = parse_lock_entry(entry);
      for (const std::string& name : parsed ? parsed->names : std::vector<std::string>()) {
        asked.push_back({fmt::format("clients[{}].locks", i), name, service_key(*lock.kind, name)});
      }
    }
  }
  deployment->check(asked, problems);
}

void CompiledScenario::compile_clients(std::vector<ScenarioProblem>& problems) {
  const std::vector<std::string> services = cast->machines;
  const auto contains = [](const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  const auto check = [&](std::string where, const std::string& name, bool taken) {
    if (name.empty() || name.find_first_of(" >/@#.|") != std::string::npos) {
      problems.push_back(
          {std::move(where), fmt::format("'{}'", name), "a name without spaces and without any of > / @ # . |", ""});
    } else if (taken || name == kProbe || contains(services, name)) {
      problems.push_back({std::move(where), fmt::format("'{}'", name), "a name that no other machine has", ""});
    }
  };
  std::vector<std::string> names;  // names of all clients
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    const ClientSpec& c = scenario.clients[i];
    check(fmt::format("clients[{}].name", i), c.name, contains(names, c.name));
    names.push_back(c.name);
    longest.hold = std::max(longest.hold, Duration{c.hold.high()});
  }
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    const ClientSpec& c = scenario.clients[i];
    // A machine of threads must not have the name of a client.
    if (!c.machine.empty()) check(fmt::format("clients[{}].machine", i), c.machine, contains(names, c.machine));
    const auto known = std::find(clients.names.begin(), clients.names.end(), c.machine_name());
    clients.of_client.push_back(static_cast<std::size_t>(known - clients.names.begin()));
    if (known == clients.names.end()) clients.names.push_back(c.machine_name());
    clients.thread.push_back(static_cast<std::uint32_t>(
        std::count(clients.of_client.begin(), clients.of_client.end(), clients.of_client.back())));
    if (!c.machine.empty()) clients.shared.push_back({c.name, c.machine});
  }
  cast->machines.insert(cast->machines.end(), clients.names.begin(), clients.names.end());
  if (scenario.clients.empty()) problems.push_back({"clients", "none", "at least one client", ""});
}

void CompiledScenario::compile_locks(std::vector<ScenarioProblem>& problems) {
  std::vector<std::vector<LockEntry>> entries;  // index: client
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    const ClientSpec& c = scenario.clients[i];
    std::vector<LockEntry>& own = entries.emplace_back();
    for (const std::string& text : c.locks) {
      const auto entry = parse_lock_entry(text);
      std::string expected;
      if (!entry) {
        expected = "a lock such as x, x:read or x+y";
      } else if (entry->sharing == Sharing::shared && !lock.kind->claims.shared) {
        expected = fmt::format("an entry without :read, as {} has no read holds", lock.kind->name);
      } else if (entry->names.size() > 1 && !lock.kind->several_names) {
        expected = fmt::format("an entry without +, as {} takes one name at a time", lock.kind->name);
      } else {
        own.push_back(*entry);
        continue;
      }
      problems.push_back({fmt::format("clients[{}].locks", i), fmt::format("'{}'", text), std::move(expected), ""});
    }
    if (c.locks.empty()) own.push_back({{scenario.lock.key}, Sharing::exclusive});
    add_locks(own, lock.table);
  }
  for (const std::string& name : lock.table.names) lock.keys.push_back(service_key(*lock.kind, name));
  for (const auto& own : entries) lock.plans.push_back(make_lock_plan(own, lock.table));
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    // If a count at the service has an owner, the judge cannot tell which hold it belongs to.
    const bool downgrades = scenario.clients[i].releases == ReleaseOrder::oldest_first &&
                            reads_within_writer(lock.plans[i], lock.kind->claims);
    if (!downgrades || lock.ownership->separates_nested_readers) continue;
    problems.push_back({fmt::format("clients[{}].releases", i), "oldest-first, and a reader within a writer",
                        fmt::format("newest-first, as {} does not queue", lock.kind->name), ""});
  }
}

void CompiledScenario::check_clocks_and_links(std::vector<ScenarioProblem>& problems) const {
  const auto check = [&](const std::string& name, std::string where) {
    if (std::find(cast->machines.begin() + 1, cast->machines.end(), name) == cast->machines.end()) {
      problems.push_back(unknown(std::move(where), "machine", name, cast->machines));
    }
  };
  for (std::size_t i = 0; i < scenario.clocks.size(); ++i)
    check(scenario.clocks[i].node, fmt::format("clock[{}].node", i));
  for (std::size_t i = 0; i < scenario.links.size(); ++i) {
    check(scenario.links[i].from, fmt::format("link[{}].from", i));
    check(scenario.links[i].to, fmt::format("link[{}].to", i));
  }
}

void CompiledScenario::compile_expectations(std::vector<ScenarioProblem>& problems) {
  JudgeOptions& o = judged_with;
  o.seats = workload.kind->sells_seats;
  o.patience_limited = std::all_of(scenario.clients.begin(), scenario.clients.end(), [](const ClientSpec& c) {
    return c.patience || c.abandon_after || c.interrupt_after;
  });
  o.honours_deadlines = std::any_of(scenario.clients.begin(), scenario.clients.end(),
                                    [](const ClientSpec& c) { return c.honours_deadline; });
  for (const ClientSpec& c : scenario.clients) cast->patience.push_back(c.patience ? c.patience->ns : kNoTime);
  o.patience = cast->patience;
  o.probe_process = static_cast<std::int32_t>(scenario.clients.size());
  o.reentrant = lock.kind->claims.reentrant;
  o.permits = static_cast<std::uint32_t>(permits_of(*lock.kind, *scenario.lock.options));
  // A lock that promises no order is judged by it where the scenario says how that ends.
  if (lock.kind->claims.fair || scenario.expect.contains("overtaking")) o.overtaking_limit = 0;
  compile_bounds();
  for (const auto& [name, expectation] : scenario.expect) {
    if (find_property(name)) continue;
    problems.push_back(unknown(fmt::format("expect.{}", name), "property", name, properties()));
  }
  for (std::size_t i = 0; i < scenario.sometimes.size(); ++i) {
    const auto condition = find_sometimes(scenario.sometimes[i]);
    if (condition) {
      for (SometimesMask& mask : o.also_requires) mask |= bit(*condition);
      continue;
    }
    problems.push_back(
        unknown(fmt::format("sometimes[{}]", i), "condition", scenario.sometimes[i], sometimes_conditions()));
  }
}

// The longest that those who wait have to wait.
void CompiledScenario::compile_bounds() {
  JudgeOptions& o = judged_with;
  const bool calm = scenario.faults.empty();
  const Duration failover = deployment->failover_bound(), under_way = scenario.request_timeout * 2;
  // A client that pauses before it sends a command again stands still as long as one that polls.
  const Duration longest_pause = std::max(longest.retry, longest_option(kResends, scenario.lock.options));
  const Duration idle = longest_pause + under_way + deployment->idle_bound();
  // Healing gives back what faults took from the service, and then it elects.
  o.wake_up_bound = (calm ? idle : idle + failover).ns;
  if (lock.lease) {
    const auto waiters = static_cast<std::int64_t>(scenario.clients.size());
    const Duration pause = calm ? longest.retry : longest_pause;  // only faults make a message be sent again
    // A client may still wait, when healing begins, for an answer that does not come.
    const Duration unanswered = may_leave_unanswered(scenario) ? under_way + deployment->idle_bound() : Duration{};
    o.starvation_bound = ((*lock.lease + longest.hold + pause + failover) * (waiters + 1) + unanswered).ns;
  }
  const Duration granted = lock.lease ? granted_lease(*lock.kind, scenario.services, *lock.lease) : Duration{};
  o.orphan_bound = (granted + failover + under_way).ns;
  o.ends_by = lock.kind->terms.what.empty() && lock.lease ? "lease" : lock.kind->terms.what;
  o.ends_untold = lock.ownership->ends_untold;
  o.splits_votes = deployment->independent_machines() > 1;
  // Votes for a client that is gone stand for a lease, and so does a place in a queue for as long as that waits for it.
  const auto dead =
      lock.kind->waits_for_dead != nullptr ? lock.kind->waits_for_dead(*scenario.lock.options) : std::nullopt;
  const bool leaves = !calm || std::any_of(scenario.clients.begin(), scenario.clients.end(),
                                           [](const ClientSpec& c) { return c.patience || c.abandon_after; });
  const Duration gone = dead && leaves ? *dead * static_cast<std::int64_t>(scenario.clients.size()) : Duration{};
  // A client may first have to give up one connection after a fault, and to be sent on to another server.
  const Duration moved = calm ? Duration{} : under_way;
  o.unserved_bound = o.wake_up_bound + moved.ns + (o.splits_votes ? granted : Duration{}).ns + gone.ns;
  o.counts_from_healing = may_disturb_service(scenario);
}

// --- what a run is judged by ------------------------------------------------------------------------

Roster CompiledScenario::roster() const {
  Roster roster;
  for (const ClientSpec& c : scenario.clients) roster.clients.push_back(c.name);
  roster.clients.emplace_back(kProbe);
  roster.clients_of_node.resize(cast->machines.size());
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    roster.clients_of_node[first_machine() + clients.of_client[i]].push_back(static_cast<std::uint32_t>(i));
  }
  roster.clients_of_node[probe_node()].push_back(static_cast<std::uint32_t>(scenario.clients.size()));
  roster.locks = lock.table;
  roster.machines = cast->machines;
  for (const std::string& name : lock.table.names) {
    const std::string of = lock.table.names.size() == 1 ? "" : name + ":";
    for (ResourceId r = 0; r < workload.resources; ++r) {
      roster.resources.push_back(of +
                                 (workload.resources == 1 ? scenario.workload.kind : fmt::format("seat-{}", r + 1)));
    }
  }
  for (ResourceId r = 0; workload.kind->kept_in && r < roster.resources.size(); ++r) {
    roster.kept_at.push_back(hash_of(workload.kind->kept_in->key_of(r)));
  }
  return roster;
}

}  // namespace picklock
