#include "scenarios/generators/scenario.hpp"

#include <algorithm>
#include <ostream>

#include "faults/names.hpp"
#include "scenarios/file/write.hpp"
#include "scenarios/generators/clients.hpp"
#include "scenarios/generators/options.hpp"
#include "scenarios/generators/plan.hpp"
#include "scenarios/generators/tame.hpp"
#include "scenarios/run/measure.hpp"
#include "scenarios/services/service.hpp"

namespace picklock {
namespace {

using draw::number;
using draw::one_in;

// --- the scenario -------------------------------------------------------------------------------

// Numbers that would make a scenario large, or mute, are kept small.
class ServiceFields final : public ArbitraryFields {
 public:
  using ArbitraryFields::ArbitraryFields;
  using ArbitraryFields::operator();
  void operator()(const FieldInfo& f, std::int64_t& v) {
    if (f.name == "servers" || f.name == "quorum") {
      v = number(1, 5);
    } else if (f.name == "slaves" || f.name == "wait-replicas" || f.name == "min-replicas-to-write" ||
               f.name == "replica-priority") {
      v = one_in(4) ? number(0, 2) : v;
    } else {
      ArbitraryFields::operator()(f, v);
    }
  }
};

class SpaceDice final : public ServiceDice {
 public:
  explicit SpaceDice(const FaultSpace& space) : space_(space) {}
  std::int64_t number(std::int64_t least, std::int64_t most) override { return draw::number(least, most); }
  bool one_in(std::int64_t n) override { return draw::one_in(static_cast<int>(n)); }
  Duration duration(Duration least, Duration most) override { return draw::duration(space_, least.ns, most.ns); }

 private:
  const FaultSpace& space_;
};

const std::optional<ServiceVariety>& variety_of(const LockKind& lock) {
  static const std::optional<ServiceVariety> kNone;
  const ServiceKind* const service = find_service(lock.service);
  return service == nullptr ? kNone : service->variety;
}

constexpr Duration kShortestTimeout = milliseconds(10), kSlowMessage = milliseconds(20);

// Gives single machines clocks and links of their own, beside what faults do to them.
void draw_clocks_and_links(Scenario& s, const FaultSpace& space) {
  while (one_in(4) && s.clocks.size() < space.nodes.size()) {
    const FaultSpace::Node& node = space.nodes[s.clocks.size()];
    constexpr std::int64_t kMostDrift = 500'000;
    s.clocks.push_back(
        {.node = node.name,
         .offset = draw::duration(space, -kForever.ns, kForever.ns),
         .drift_ppm = std::clamp(draw::spread_number(-kMostDrift, kMostDrift), -kMostDrift, kMostDrift)});
  }
  while (one_in(4) && s.links.size() < space.links.size()) {
    const FaultSpace::Link& link = space.links[s.links.size()];
    s.links.push_back({link.from, link.to, draw::law(space, 0, milliseconds(20).ns)});
  }
}

// The longest section that these assumptions are drawn for.
Duration longest_section(const LockKind& kind, const Options& options, const ScenarioBounds& bounds,
                         std::span<const Assumption> assumed) {
  constexpr std::int64_t kHoldsInABound = 3, kLeasesInASection = 3;
  const auto lease = kind.lease(options);
  if (bounds.long_sections && lease && (bounds.heeds_deadlines || renews(kind, options)))
    return *lease * kLeasesInASection;
  const auto most = limit_of(assumed, AssumptionKind::holds_shorter_than);
  return Duration{most ? *most / kHoldsInABound : milliseconds(100).ns};
}

// A clock that is wrong by the same amount for the whole run has not stepped.
void draw_constant_offsets(Scenario& s, const FaultSpace& space, std::span<const Assumption> assumed) {
  const auto limit = limit_of(assumed, AssumptionKind::clock_offsets_below);
  const std::int64_t most = limit ? *limit - 1 : kForever.ns;
  if (most <= 0) return;
  for (const FaultSpace::Node& node : space.nodes) {
    if (one_in(4)) s.clocks.push_back({.node = node.name, .offset = draw::duration(space, -most, most)});
  }
}

}  // namespace

Scenario scenario_around(const Scenario& base, FaultSpace space, const ScenarioBounds& bounds) {
  Scenario s = base;
  s.expect.clear();
  s.sometimes.clear();
  s.overrides.clear();
  s.reseeds.clear();
  if (bounds.network) s.links.clear();
  s.clocks.clear();
  s.faults.clear();
  const LockKind* const kind = find_lock_kind(s.lock.name);
  if (kind == nullptr) return s;
  const std::optional<ServiceVariety>& variety = variety_of(*kind);
  ServiceFields fields(space);
  if (!s.lock.options) s.lock.options = AnyOptions(kind->default_options());
  if (bounds.options) {
    if (one_in(2)) visit_fields(s.lock.options, fields);
    FunctionVisitor visitor(fields);
    if (one_in(2) && variety) variety->options(s.services, visitor);
    if (one_in(2)) visit_fields(s.storage, fields);
  }
  if (bounds.topology && variety) {
    SpaceDice dice(space);
    variety->machines(s.services, *kind, *s.lock.options, dice);
  }
  adapt(space, s);
  std::vector<Assumption> assumed = assumptions_of(*kind, s.lock.options, s.services, s.request_timeout);
  std::erase_if(assumed,
                [&](const Assumption& a) { return a.kind == bounds.beyond || !a.needed_by.has(bounds.claim); });
  const bool calm = bounds.mishaps == Mishaps::none || bounds.mishaps == Mishaps::within;
  const std::int64_t slowest = calm ? milliseconds(2).ns : milliseconds(20).ns;
  if (bounds.network && one_in(2)) s.latency = draw::law(space, 0, slowest);
  if (bounds.network && bounds.slow_network) {
    const auto lease = kind->lease(*s.lock.options);
    s.latency = Law::uniform(0, std::min(lease.value_or(kSlowMessage) / 10, kSlowMessage).ns);
  }
  if (s.clients.empty() || (bounds.clients && !one_in(4))) {
    ClientBounds clients{.operators = bounds.operators,
                         .abandons = bounds.abandons,
                         .mistake = bounds.beyond,
                         .longest_hold = {},
                         .heeds_deadlines = bounds.heeds_deadlines};
    if (bounds.short_holds) {
      clients.longest_hold = bounds.longest_hold.value_or(longest_section(*kind, *s.lock.options, bounds, assumed));
    }
    s.clients = draw::clients(space, *kind, s.lock.key, clients);
  }
  adapt(space, s);
  if (bounds.mishaps == Mishaps::any && bounds.network) draw_clocks_and_links(s, space);
  if (bounds.mishaps != Mishaps::none) s.faults = plan_over(space, bounds.plan);
  if (bounds.mishaps == Mishaps::within)
    s.faults = within(std::move(s.faults), assumed, bounds.beyond ? 1 : bounds.parts);
  if (bounds.short_timeouts && bounds.network) {  // ordinary answers keep the timeouts, also through a sentinel
    constexpr std::int64_t kWaysOfARequest = 10;
    const Duration ordinary{kWaysOfARequest * s.latency.high()};
    const Duration least = std::min(kShortestTimeout + ordinary, s.request_timeout);
    s.request_timeout = milliseconds(number(least.ms(), s.request_timeout.ms()));
  }
  if (bounds.mishaps == Mishaps::within && bounds.network) draw_constant_offsets(s, space, assumed);
  return s;
}

namespace {

// --- shrinking ----------------------------------------------------------------------------------

// Do the options of this fault, or its trigger, name this client or machine?
bool names(const Fault& fault, std::string_view client) {
  bool found = false;
  Fault copy = fault;
  visit_fields(copy, [&](const FieldInfo&, std::string& v) {
    std::string text = v;
    std::replace(text.begin(), text.end(), '|', ' ');
    const auto words = words_of(text);
    found = found || std::find(words.begin(), words.end(), client) != words.end();
  });
  return found;
}

void forget(Scenario& s, std::string_view machine) {
  std::erase_if(s.faults, [&](const Fault& f) { return names(f, machine); });
  std::erase_if(s.links, [&](const LinkSpec& l) { return l.from == machine || l.to == machine; });
  std::erase_if(s.clocks, [&](const ClockSpec& c) { return c.node == machine; });
}

// Forgets all machines that were there before and are no more.
Scenario settled(const Scenario& before, Scenario after) {
  FaultSpace was, is;
  adapt(was, before);
  adapt(is, after);
  for (const FaultSpace::Node& n : was.nodes) {
    if (std::find(is.nodes.begin(), is.nodes.end(), n) == is.nodes.end()) forget(after, n.name);
  }
  return after;
}

Scenario without_client(const Scenario& scenario, std::size_t index) {
  Scenario s = scenario;
  const std::string name = s.clients[index].name;
  s.clients.erase(s.clients.begin() + static_cast<std::ptrdiff_t>(index));
  forget(s, name);
  return settled(scenario, std::move(s));
}

// A lock entry that is simpler: for writing, of one name.
std::string simpler_entry(const std::string& text) {
  auto entry = parse_lock_entry(text);
  if (!entry) return text;
  entry->sharing = Sharing::exclusive;
  entry->names.resize(1);
  return to_text(*entry);
}

AnyOptions defaults_of(const ServiceTable& table, const AnyOptions& said) {
  return defaults_beside(AnyOptions(table.default_options()), said);
}

// Simplifies: fewer servers, on machines of their own, fewer and simpler locks, no force.
std::vector<Scenario> with_fewer_parts(const Scenario& scenario) {
  std::vector<Scenario> found;
  const auto with = [&](auto change) {
    Scenario candidate = scenario;
    change(candidate);
    found.push_back(settled(scenario, std::move(candidate)));
  };
  for_each_service_table([&](const ServiceTable& table) {
    Scenario s = scenario;
    const AnyOptions said = s.services.table(table);
    for (const AnyOptions& simpler : simplify(said, defaults_of(table, said))) {
      with([&](Scenario& candidate) { candidate.services.table(table) = simpler; });
    }
  });
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    const ClientSpec& c = scenario.clients[i];
    if (!c.machine.empty()) with([i](Scenario& s) { s.clients[i].machine.clear(); });
    if (c.role != ClientRole::holder) with([i](Scenario& s) { s.clients[i].role = ClientRole::holder; });
    if (!c.locks.empty()) with([i](Scenario& s) { s.clients[i].locks.clear(); });
    for (std::size_t l = 0; l < c.locks.size(); ++l) {
      if (c.locks.size() > 1) {
        with([i, l](Scenario& s) {
          s.clients[i].locks.erase(s.clients[i].locks.begin() + static_cast<std::ptrdiff_t>(l));
        });
      }
      if (simpler_entry(c.locks[l]) != c.locks[l]) {
        with([i, l](Scenario& s) { s.clients[i].locks[l] = simpler_entry(s.clients[i].locks[l]); });
      }
    }
  }
  if (!scenario.clocks.empty()) with([](Scenario& s) { s.clocks.pop_back(); });
  if (!scenario.links.empty()) with([](Scenario& s) { s.links.pop_back(); });
  return found;
}

void add(const Complexity& c, Complexity& sum) {
  sum.said += c.said;
  sum.turns += c.turns;
  sum.size += c.size;
}

// Compares structs that are not held as options with their defaults.
template <class T>
Complexity weight(const T& part) {
  return complexity(AnyOptions::of(part), AnyOptions::of(T{}));
}
template <class T, class Put>
void simplify_part(const T& part, Put put) {
  for (const AnyOptions& simpler : simplify(AnyOptions::of(part), AnyOptions::of(T{}))) {
    put(simpler.as<T>());
  }
}

AnyOptions defaults_of(const LockSpec& lock) {
  const LockKind* const kind = find_lock_kind(lock.name);
  return kind != nullptr ? defaults_beside(AnyOptions(kind->default_options()), lock.options) : AnyOptions();
}

struct LatencyPart {
  Law latency = Scenario().latency;
  void fields(FieldVisitor& v) { v.field({.name = "latency", .help = "", .least = 0}, latency); }
};

}  // namespace

rc::Gen<std::vector<ClientSpec>> arbitrary_clients(const FaultSpace& space) {
  const auto any = rc::gen::exec([space] {
    const LockKind plain;
    const ClientBounds bounds{.threads = false, .several_locks = false, .operators = false};
    return draw::clients(space, plain, LockSpec().key, bounds);
  });
  return shrunk_by(any, [](const std::vector<ClientSpec>& clients) {
    Scenario s;
    s.clients = clients;
    std::vector<std::vector<ClientSpec>> simpler;
    for (Scenario& candidate : simplify(s)) {
      if (candidate.clients != clients) simpler.push_back(std::move(candidate.clients));
    }
    return simpler;
  });
}

rc::Gen<Scenario> arbitrary_scenario(const Scenario& base, const ScenarioBounds& bounds) {
  const auto of_any_lock = [base, bounds] {
    Scenario chosen = base;
    const std::span<const LockKind> kinds = lock_kinds();
    chosen.lock.name = draw::element(kinds).name;
    chosen.lock.options = {};
    return scenario_around(chosen, fault_space_of(chosen), bounds);
  };
  const auto shrunk = [](const rc::Gen<Scenario>& any) {
    return shrunk_by(any, [](const Scenario& scenario) { return simplify(scenario); });
  };
  if (bounds.any_lock) return shrunk(rc::gen::exec(of_any_lock));
  const FaultSpace space = fault_space_of(base);
  return shrunk(rc::gen::exec([base, space, bounds] { return scenario_around(base, space, bounds); }));
}

ScenarioComplexity complexity(const Scenario& scenario) {
  ScenarioComplexity c;
  c.clients = std::ssize(scenario.clients);
  c.parts = std::ssize(scenario.clocks) + std::ssize(scenario.links);
  for (const ClientSpec& client : scenario.clients) {
    c.machines += !client.machine.empty();
    c.parts += client.role != ClientRole::holder;
    for (const std::string& entry : client.locks) {
      c.parts += 1 + (simpler_entry(entry) != entry) + std::count(entry.begin(), entry.end(), '+');
    }
  }
  c.plan = complexity(scenario.faults);
  for (const ClientSpec& client : scenario.clients) add(weight(client), c.rest);
  ServiceSettings services = scenario.services;
  for_each_service_table([&](const ServiceTable& table) {
    const AnyOptions& said = services.table(table);
    add(complexity(said, defaults_of(table, said)), c.rest);
  });
  add(weight(scenario.storage), c.rest);
  add(weight(LatencyPart{scenario.latency}), c.rest);
  add(complexity(scenario.lock.options, defaults_of(scenario.lock)), c.rest);
  return c;
}

std::vector<Scenario> simplify(const Scenario& scenario) {
  std::vector<Scenario> found;
  const ScenarioComplexity limit = complexity(scenario);
  const auto keep = [&](Scenario candidate) {
    if (complexity(candidate) < limit) found.push_back(std::move(candidate));
  };
  if (scenario.clients.size() > 1) {
    for (std::size_t i = scenario.clients.size(); i-- > 0;) keep(without_client(scenario, i));
  }
  for (Scenario& candidate : with_fewer_parts(scenario)) keep(std::move(candidate));
  const auto with = [&](auto member, auto value) {
    Scenario candidate = scenario;
    candidate.*member = std::move(value);
    keep(std::move(candidate));
  };
  for (FaultPlan& plan : simplify(scenario.faults)) with(&Scenario::faults, std::move(plan));
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    simplify_part(scenario.clients[i], [&](const ClientSpec& simpler) {
      Scenario candidate = scenario;
      candidate.clients[i] = simpler;
      keep(std::move(candidate));
    });
  }
  for (AnyOptions& options : simplify(scenario.lock.options, defaults_of(scenario.lock))) {
    Scenario candidate = scenario;
    candidate.lock.options = std::move(options);
    keep(std::move(candidate));
  }
  simplify_part(scenario.storage, [&](const StorageOptions& o) { with(&Scenario::storage, o); });
  simplify_part(LatencyPart{scenario.latency},
                [&](const LatencyPart& part) { with(&Scenario::latency, part.latency); });
  return found;
}

void showValue(const Scenario& scenario, std::ostream& out) { out << '\n' << write_scenario(scenario); }

}  // namespace picklock
