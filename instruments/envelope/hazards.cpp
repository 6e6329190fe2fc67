#include "instruments/envelope/hazards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text.hpp"
#include "faults/text.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/generators/space.hpp"
#include "scenarios/generators/tame.hpp"
#include "scenarios/run/measure.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

using Kind = AssumptionKind;

constexpr std::array<Hazard, 8> kHazards = {{
    {"pause", "a process, of the holder or of a server, stops", Kind::pauses_shorter_than, Magnitude::time, false},
    {"delay", "messages of the holder take longer, to the servers or back", Kind::delays_shorter_than, Magnitude::time,
     false},
    {"section", "the holder works long", Kind::holds_shorter_than, Magnitude::time, false},
    {"clock-rate", "clocks of the servers run fast, or the holder's runs slow", Kind::clock_rates_within,
     Magnitude::rate, true},
    {"clock-step", "wall clocks of the servers jump forward", Kind::clock_steps_below, Magnitude::time, true},
    {"power-loss", "hosts of servers lose power while a client holds, and come back", Kind::no_power_losses,
     Magnitude::none, true},
    {"data-loss", "processes of servers die while a client holds, and are started again at once", Kind::no_data_loss,
     Magnitude::none, true},
    {"failover", "one server dies for good while a client holds", Kind::no_failovers, Magnitude::none, true},
}};

constexpr std::int64_t kLeases = 20;  // length of a contest in leases, with room for late messages

// One hazard takes as many servers together as this: one, or a majority.
std::vector<std::vector<std::string>> server_sets(const std::vector<std::string>& servers) {
  std::vector<std::vector<std::string>> sets;
  for (const std::string& s : servers) sets.push_back({s});
  const std::size_t majority = servers.size() / 2 + 1;
  if (majority > 1) sets.emplace_back(servers.begin(), servers.begin() + static_cast<std::ptrdiff_t>(majority));
  if (majority > 1) sets.emplace_back(servers.end() - static_cast<std::ptrdiff_t>(majority), servers.end());
  if (servers.size() > majority) sets.push_back(servers);
  return sets;
}

Fault fault_of(const std::string& line) {
  Fault fault;
  if (const auto error = parse_fault(line, fault)) fault.kind.clear();
  return fault;
}

std::vector<FaultPlan> plans_of(const Contest& contest, const Hazard& hazard, std::int64_t magnitude) {
  std::vector<FaultPlan> plans;
  const std::string length = to_text(Duration{magnitude});
  const auto on_servers = [&](auto line_of) {
    for (const std::vector<std::string>& set : server_sets(contest.servers)) {
      FaultPlan plan;
      for (const std::string& s : set) plan.push_back(fault_of(line_of(s)));
      plans.push_back(std::move(plan));
    }
  };
  if (hazard.name == "pause") {
    for (const char* const event : {"a acquired", "a enters", "before a reads", "before a writes"}) {
      plans.push_back({fault_of(fmt::format("pause on=\"{}\" node=a lasts={}", event, length))});
    }
    on_servers([&](const std::string& s) { return fmt::format("pause on=\"a enters\" node={} lasts={}", s, length); });
  } else if (hazard.name == "delay") {
    for (const char* const way : {"from=a", "to=a"}) {
      for (const char* const event : {"a acquires", "a enters"}) {
        plans.push_back({fault_of(fmt::format("delay on=\"{}\" {} by={}", event, way, length))});
      }
    }
  } else if (hazard.name == "clock-rate") {
    on_servers([&](const std::string& s) { return fmt::format("clock-drift node={} ppm={}", s, magnitude); });
    // The clock is as slow against true time as a clock of 1 + magnitude is fast.
    constexpr std::int64_t kOne = 1'000'000;
    plans.push_back({fault_of(fmt::format("clock-drift node=a ppm={}", -magnitude * kOne / (kOne + magnitude)))});
  } else if (hazard.name == "clock-step") {
    on_servers(
        [&](const std::string& s) { return fmt::format("clock-step on=\"a enters\" node={} by={}", s, length); });
    plans.push_back({fault_of(fmt::format("clock-step on=\"a enters\" node=a by=-{}", length))});
  } else if (hazard.name == "power-loss") {
    on_servers(
        [](const std::string& s) { return fmt::format("power-loss on=\"a enters\" node={} restart-after=1ms", s); });
  } else if (hazard.name == "data-loss") {
    on_servers([](const std::string& s) { return fmt::format("kill on=\"a enters\" node={} restart-after=1ms", s); });
  } else if (hazard.name == "failover") {
    for (const std::string& s : contest.servers) {
      plans.push_back({fault_of(fmt::format("kill on=\"a enters\" node={} stays=true", s))});
    }
  } else {
    plans.emplace_back();  // the section itself is the hazard
  }
  return plans;
}

}  // namespace

std::span<const Hazard> hazards() { return kHazards; }

const Hazard* find_hazard(std::string_view name) {
  const auto found = std::find_if(kHazards.begin(), kHazards.end(), [&](const Hazard& h) { return h.name == name; });
  return found == kHazards.end() ? nullptr : &*found;
}

std::optional<Contest> contest_of(std::string_view lock) {
  const LockKind* const kind = find_lock_kind(lock);
  if (kind == nullptr) return std::nullopt;
  Contest contest;
  Scenario& s = contest.scenario;
  s.name = std::string(lock);
  s.lock.name = std::string(lock);
  s.lock.options = AnyOptions(kind->default_options());
  s.workload.kind = "counter";
  s.clients.resize(2);
  s.clients[0].name = "a";
  s.clients[1].name = "b";
  fill_in_options(s);
  const auto lease = kind->lease(*s.lock.options);
  contest.has_lease = lease.has_value();
  contest.lease = lease.value_or(seconds(1));
  contest.assumed = assumptions_of(*kind, s.lock.options, s.services, s.request_timeout);
  std::erase_if(contest.assumed, [](const Assumption& a) { return !a.needed_by.has(ClaimGroup::exclusion); });
  const Duration brief{contest.lease.ns / 1'000};
  for (ClientSpec& c : s.clients) c.hold = Law::constant(brief.ns);
  s.clients[1].start = Law::constant(contest.lease.ns / 20);
  s.phases.load = std::max(contest.lease * kLeases, seconds(5));
  FaultSpace space;
  adapt(space, s);
  for (const FaultSpace::Node& n : space.nodes) {
    if (n.role == NodeRole::server) contest.servers.push_back(n.name);
  }
  if (std::holds_alternative<std::vector<ScenarioProblem>>(Runner::compile(s))) return std::nullopt;
  return contest;
}

std::vector<Scenario> struck_by(const Contest& contest, const Hazard& hazard, std::int64_t magnitude) {
  Scenario base = contest.scenario;
  const auto bound = [&](Kind k) { return limit_of(contest.assumed, k).value_or(contest.lease.ns); };
  const std::int64_t allowed = std::min(bound(Kind::holds_shorter_than), bound(Kind::beliefs_shorter_than));
  if (hazard.long_section) base.clients[0].hold = Law::constant(allowed / 10 * 9);
  // A client that gives up its request is safe from the late answer.
  if (hazard.name == "delay") base.request_timeout = contest.lease * kLeases;
  if (hazard.name == "section") base.clients[0].hold = Law::constant(magnitude);
  std::vector<Scenario> all;
  for (FaultPlan& plan : plans_of(contest, hazard, magnitude)) {
    all.push_back(base);
    all.back().faults = std::move(plan);
  }
  return all;
}

}  // namespace picklock
