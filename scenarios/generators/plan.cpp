#include "scenarios/generators/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "faults/fault_kinds.hpp"
#include "faults/text.hpp"
#include "faults/trigger.hpp"
#include "scenarios/generators/fault_targets.hpp"
#include "scenarios/generators/options.hpp"
#include "scenarios/generators/simplify.hpp"

namespace picklock {
namespace {

using draw::element;
using draw::number;
using draw::one_in;

// Knows from its name what a field means: faults call the same thing by the same name.
class FaultFields final : public ArbitraryFields, public FaultTargets<FaultFields> {
 public:
  using ArbitraryFields::ArbitraryFields;
  using ArbitraryFields::operator();
  using FaultTargets::operator();

  void operator()(const FieldInfo&, bool& v) { v = one_in(5); }
  void operator()(const FieldInfo& f, std::int64_t& v) {
    static constexpr std::int64_t kShares[] = {1'000, 10'000, 100'000, 300'000, 500'000, 1'000'000};
    if (f.name == "share-ppm") {
      v = one_in(3) ? number(f.least, f.most) : element(kShares);
      return;
    }
    // Rates of clocks: from a quartz in the heat to one that runs at half or at double speed.
    v = std::clamp(draw::spread_number(-1'000'000, 1'000'000), f.least, f.most);
  }
  // Steps of clocks, which people and time servers set by any amount.
  void operator()(const FieldInfo& f, Duration& v) {
    static constexpr std::int64_t kMinutes[] = {1, 10, 60, 24 * 60};
    ArbitraryFields::operator()(f, v);
    if (f.name != "by" || f.least >= 0 || !one_in(5)) return;
    const std::int64_t step = element(kMinutes) * seconds(60).ns;
    v.ns = std::clamp(one_in(2) ? step : -step, f.least, f.most);
  }
  void operator()(const FieldInfo& f, FieldChoice& choice) {
    ArbitraryFields::operator()(f, choice);
    if (f.name != "shape") return;
    if (space_.nodes.size() < 2) choice.index = 0;
    shape_ = choice.name();
  }

  const FaultSpace::Node& choose_node() { return element(space_.nodes); }
  std::string choose_task(const FaultSpace::Node& node) {
    const bool alone = node.role == NodeRole::client && !space_.tasks.empty() && one_in(3);
    return alone ? element(space_.tasks) : "";
  }
  void choose_link(std::string& from, std::string& to) {
    if (one_in(6)) return;  // everything
    if (!space_.links.empty() && !one_in(4)) {
      const FaultSpace::Link& link = element(space_.links);
      from = link.from;
      to = link.to;
      if (one_in(2)) std::swap(from, to);
      return;
    }
    (one_in(2) ? from : to) = element(space_.nodes).name;
  }
  std::string choose_groups() {
    const auto several = [&](NodeRole role) {
      return std::count_if(space_.nodes.begin(), space_.nodes.end(),
                           [&](const FaultSpace::Node& n) { return n.role == role; });
    };
    if (several(NodeRole::server) > 1 && several(NodeRole::client) > 0 && one_in(3)) return client_and_servers();
    const std::vector<std::string> names = shuffled(std::nullopt);
    const bool two = names.size() >= 2 && (shape_ == "partial" || one_in(2));
    const auto size = static_cast<std::int64_t>(names.size());
    const auto first = number(1, two ? size - 1 : size);
    const auto last = two ? number(first + 1, size) : first;
    std::string text;
    for (std::int64_t i = 0; i < last; ++i) {
      if (i != 0) text += i == first ? " | " : " ";
      text += names[static_cast<std::size_t>(i)];
    }
    return text;
  }

 private:
  // The names of all machines, or of one role, in any order.
  std::vector<std::string> shuffled(std::optional<NodeRole> role) const {
    std::vector<std::string> names;
    for (const FaultSpace::Node& n : space_.nodes) {
      if (!role || n.role == *role) names.push_back(n.name);
    }
    for (std::size_t i = names.size(); i > 1; --i) {
      std::swap(names[i - 1], names[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(i) - 1))]);
    }
    return names;
  }

  // A client on one side, one server or several on the other: a minority keeps others going.
  std::string client_and_servers() {
    const std::string client = shuffled(NodeRole::client).front();
    std::vector<std::string> servers = shuffled(NodeRole::server);
    servers.resize(static_cast<std::size_t>(number(1, std::ssize(servers))));
    const std::string others = fmt::format("{}", fmt::join(servers, " "));
    return one_in(2) ? client + " | " + others : others + " | " + client;
  }

  std::string shape_;
};

// Aims a fault at another machine.
class Aimed {
 public:
  explicit Aimed(const std::string& node) : node_(node) {}
  void operator()(const FieldInfo& f, std::string& v) {
    if (f.name != "node") return;
    before = v;
    if (!node_.empty()) v = node_;
  }
  std::string before;

 private:
  const std::string& node_;
};

// The fault strikes other servers too, if it strikes one: a rack loses its power, a time server lies to all.
void strike_other_servers(const FaultSpace& space, std::int64_t most, FaultPlan& plan) {
  static const std::string kNone;
  Aimed first(kNone);
  Fault fault = plan.back();
  visit_fields(fault.options, first);
  const auto is_hit = [&](const FaultSpace::Node& n) { return n.role == NodeRole::server && n.name == first.before; };
  if (std::none_of(space.nodes.begin(), space.nodes.end(), is_hit)) return;
  for (const FaultSpace::Node& n : space.nodes) {
    if (n.role != NodeRole::server || n.name == first.before || std::ssize(plan) >= most) continue;
    Aimed aimed(n.name);
    visit_fields(fault.options, aimed);
    plan.push_back(fault);
  }
}

Trigger any_trigger(const FaultSpace& space) {
  Trigger t;
  if (space.marks.empty() || one_in(2)) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::int64_t end = std::max<std::int64_t>(space.run_length.ns, 1);
    if (one_in(8)) return t;
    t.at = one_in(2) ? Duration{number(0, end - 1)} : draw::duration(space, 0, kMost);
    return t;
  }
  t = event_trigger(space);
  if (one_in(3)) t.offset = draw::duration(space, 0, space.run_length.ns);
  return t;
}

}  // namespace

Trigger event_trigger(const FaultSpace& space) {
  Trigger t;
  if (space.marks.empty()) return t;
  std::vector<std::string> clients = space.threads;
  for (const FaultSpace::Node& n : space.nodes) {
    if (n.role == NodeRole::client) clients.push_back(n.name);
  }
  const std::string& who = clients.empty() ? element(space.nodes).name : element(clients);
  const std::string& what = element(space.marks);
  const auto found = find_mark(what);
  const bool event = !found || is_event(*found);
  t.on = fmt::format("{}{} {}", event ? "" : one_in(2) ? "before " : "after ", who, what);
  if (one_in(3)) t.count = number(1, 5);
  return t;
}

FaultPlan plan_over(const FaultSpace& space, const PlanShape& shape) {
  std::vector<const FaultKind*> kinds;
  for (const FaultKind& kind : fault_kinds()) {
    const auto& named = shape.kinds;
    const bool allowed = named.empty() || std::find(named.begin(), named.end(), kind.name) != named.end();
    if (allowed && (!shape.swarm || one_in(2))) kinds.push_back(&kind);
  }
  if (kinds.empty()) return {};
  static constexpr int kSizes[] = {0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 6};
  FaultPlan plan;
  const std::int64_t size = shape.most == 0 ? element(kSizes) : number(shape.least, shape.most);
  while (std::ssize(plan) < size) {
    const FaultKind& kind = *element(kinds);
    Fault fault{.kind = std::string(kind.name), .trigger = {}, .options = AnyOptions(kind.default_options())};
    FaultFields fields(space);
    visit_fields(fault.options, fields);
    fault.trigger = any_trigger(space);
    plan.push_back(std::move(fault));
    if (one_in(8)) strike_other_servers(space, size, plan);
  }
  return plan;
}

rc::Gen<FaultPlan> arbitrary_plan(const FaultSpace& space) {
  const auto any = rc::gen::exec([space] { return plan_over(space, {}); });
  return shrunk_by(any, [](const FaultPlan& plan) { return simplify(plan); });
}

void showValue(const Fault& fault, std::ostream& out) { out << to_text(fault); }
void showValue(const FaultPlan& plan, std::ostream& out) { out << '\n' << to_text(plan); }

}  // namespace picklock
