#include "generators/scenario.hpp"

#include <algorithm>
#include <ostream>
#include <set>

#include "faults/names.hpp"
#include "generators/options.hpp"
#include "generators/plan.hpp"
#include "scenarios/file/write.hpp"
#include "scenarios/run/run.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

using draw::number;
using draw::one_in;

constexpr std::int64_t kMostClients = 4;
constexpr std::size_t kMostDeadlines = 8;

// --- the space ----------------------------------------------------------------------------------

// Puts these clients in the place of those that are there.
void set_clients(FaultSpace& space, const std::vector<ClientSpec>& clients) {
  std::erase_if(space.nodes, [](const auto& n) { return n.role == NodeRole::client; });
  space.links.clear();
  const std::vector<FaultSpace::Node> servers = space.nodes;
  for (const ClientSpec& c : clients) {
    space.nodes.push_back({c.name, NodeRole::client});
    for (const FaultSpace::Node& server : servers) space.links.push_back({c.name, server.name});
  }
}

void add_deadline(FaultSpace& space, DeadlineKind kind, Duration length) {
  const FaultSpace::Deadline deadline{kind, length};
  const bool known =
      std::find(space.deadlines.begin(), space.deadlines.end(), deadline) != space.deadlines.end();
  if (length.ns > 0 && !known && space.deadlines.size() < kMostDeadlines) {
    space.deadlines.push_back(deadline);
  }
}

void set_lease(FaultSpace& space, const LockSpec& lock) {
  std::erase_if(space.deadlines, [](const auto& d) { return d.kind == DeadlineKind::lease; });
  const LockKind* const kind = find_lock_kind(lock.kind);
  if (kind == nullptr) return;
  const AnyOptions options = lock.options ? lock.options : AnyOptions(kind->default_options());
  if (const auto lease = kind->lease(*options)) add_deadline(space, DeadlineKind::lease, *lease);
  space.tasks.clear();
  if (kind->claims.renewing) space.tasks.emplace_back("renewal");
}

// --- the scenario -------------------------------------------------------------------------------

class ClientFields final : public ArbitraryFields {
 public:
  using ArbitraryFields::ArbitraryFields;
  using ArbitraryFields::field;
  void field(const FieldInfo&, std::int64_t& v) override { v = one_in(8) ? 0 : number(1, 3); }
  void field(const FieldInfo& f, std::optional<Duration>& v) override {
    v.reset();
    if (one_in(4)) v = draw::duration(space_, f.least, f.most);
  }
};

std::vector<ClientSpec> any_clients(const FaultSpace& space) {
  std::vector<ClientSpec> clients(static_cast<std::size_t>(number(1, kMostClients)));
  for (std::size_t i = 0; i < clients.size(); ++i) {
    ClientFields fields(space);
    clients[i].fields(fields);
    clients[i].name = std::string(1, static_cast<char>('a' + i));
    clients[i].role = ClientRole::holder;  // an operator's force would void what locks claim
  }
  return clients;
}

Scenario any_scenario_around(const Scenario& base, FaultSpace space) {
  Scenario s = base;
  s.expect.clear();
  s.sometimes.clear();
  s.overrides.clear();
  s.reseed.reset();
  s.links.clear();
  s.clocks.clear();
  ArbitraryFields fields(space);
  if (const LockKind* const kind = find_lock_kind(s.lock.kind)) {
    if (!s.lock.options) s.lock.options = AnyOptions(kind->default_options());
    if (one_in(2)) s.lock.options.fields(fields);
  }
  set_lease(space, s.lock);
  if (one_in(2)) s.redis.fields(fields);
  if (one_in(2)) s.storage.fields(fields);
  if (one_in(2)) s.latency = draw::law(space, 0, milliseconds(20).ns);
  if (!one_in(4)) s.clients = any_clients(space);
  set_clients(space, s.clients);
  s.faults = *arbitrary_plan(space);
  return s;
}

// --- shrinking ----------------------------------------------------------------------------------

// Do the options of this fault, or its trigger, name this client?
bool names(const Fault& fault, std::string_view client) {
  class Texts final : public ArbitraryFields {
   public:
    Texts(const FaultSpace& space, std::string_view name) : ArbitraryFields(space), name_(name) {}
    void field(const FieldInfo&, bool&) override {}
    void field(const FieldInfo&, std::int64_t&) override {}
    void field(const FieldInfo&, Duration&) override {}
    void field(const FieldInfo&, std::optional<Duration>&) override {}
    void field(const FieldInfo&, Law&) override {}
    void choice(const FieldInfo&, std::span<const std::string_view>, std::size_t&) override {}
    void field(const FieldInfo&, std::string& v) override {
      std::string text = v;
      std::replace(text.begin(), text.end(), '|', ' ');
      const auto words = words_of(text);
      found = found || std::find(words.begin(), words.end(), name_) != words.end();
    }
    bool found = false;

   private:
    std::string_view name_;
  };
  const FaultSpace nothing;
  Texts texts(nothing, client);
  Fault copy = fault;
  copy.fields(texts);
  return texts.found;
}

Scenario without_client(const Scenario& scenario, std::size_t index) {
  Scenario s = scenario;
  const std::string name = s.clients[index].name;
  s.clients.erase(s.clients.begin() + static_cast<std::ptrdiff_t>(index));
  std::erase_if(s.faults, [&](const Fault& f) { return names(f, name); });
  std::erase_if(s.links, [&](const LinkSpec& l) { return l.from == name || l.to == name; });
  std::erase_if(s.clocks, [&](const ClockSpec& c) { return c.node == name; });
  return s;
}

void add(const Complexity& c, Complexity& sum) {
  sum.said += c.said;
  sum.turns += c.turns;
  sum.size += c.size;
}

// Of structs that are not held as options, against what they are by default.
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
  const LockKind* const kind = find_lock_kind(lock.kind);
  return kind != nullptr ? AnyOptions(kind->default_options()) : AnyOptions();
}

struct LatencyPart {
  Law latency = Scenario().latency;
  void fields(FieldVisitor& v) { v.field({.name = "latency", .help = "", .least = 0}, latency); }
};

}  // namespace

FaultSpace fault_space_of(const Scenario& scenario) {
  FaultSpace space;
  space.run_length = scenario.phases.load;
  set_lease(space, scenario.lock);
  Scenario calm = scenario;
  calm.faults.clear();
  auto compiled = Runner::compile(calm);
  if (auto* const runner = std::get_if<std::unique_ptr<Runner>>(&compiled)) {
    const std::vector<std::string>& all = (*runner)->node_names();
    for (std::size_t i = 1; i + 1 < all.size(); ++i) {  // neither the world nor the probe
      const bool storage = all[i] == "storage";
      space.nodes.push_back({all[i], storage ? NodeRole::storage : NodeRole::server});
    }
    std::erase_if(space.nodes, [&](const FaultSpace::Node& n) {
      return std::any_of(scenario.clients.begin(), scenario.clients.end(),
                         [&](const ClientSpec& c) { return c.name == n.name; });
    });
    (*runner)->run(1, {.full_trace = true});
    std::set<Mark> marks;
    for (const TraceRecord& r : (*runner)->world().trace.full()) {
      if (r.kind == trace::mark_passed) marks.insert(Mark{static_cast<std::uint16_t>(r.a)});
      if (r.kind == trace::deadline_announced) {
        const auto kind = static_cast<DeadlineKind>(r.a);
        const Duration length{static_cast<std::int64_t>(r.b) - r.time};
        if (kind != DeadlineKind::lease) add_deadline(space, kind, length);
      }
    }
    for (const Mark m : marks) {
      if (!name_of(m).empty()) space.marks.emplace_back(name_of(m));
    }
  }
  set_clients(space, scenario.clients);
  return space;
}

rc::Gen<std::vector<ClientSpec>> arbitrary_clients(const FaultSpace& space) {
  const auto any = rc::gen::exec([space] { return any_clients(space); });
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

rc::Gen<Scenario> arbitrary_scenario(const Scenario& base) {
  const FaultSpace space = fault_space_of(base);
  const auto any = rc::gen::exec([base, space] { return any_scenario_around(base, space); });
  return shrunk_by(any, [](const Scenario& scenario) { return simplify(scenario); });
}

ScenarioComplexity complexity(const Scenario& scenario) {
  ScenarioComplexity c;
  c.clients = std::ssize(scenario.clients);
  c.plan = complexity(scenario.faults);
  for (const ClientSpec& client : scenario.clients) add(weight(client), c.rest);
  add(weight(scenario.redis), c.rest);
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
  simplify_part(scenario.redis, [&](const RedisOptions& o) { with(&Scenario::redis, o); });
  simplify_part(scenario.storage, [&](const StorageOptions& o) { with(&Scenario::storage, o); });
  simplify_part(LatencyPart{scenario.latency},
                [&](const LatencyPart& part) { with(&Scenario::latency, part.latency); });
  return found;
}

void showValue(const Scenario& scenario, std::ostream& out) {
  out << '\n' << write_scenario(scenario);
}

}  // namespace picklock
