#include "generators/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "faults/fault_kinds.hpp"
#include "faults/text.hpp"
#include "faults/trigger.hpp"
#include "generators/options.hpp"
#include "generators/simplify.hpp"

namespace picklock {
namespace {

using draw::element;
using draw::number;
using draw::one_in;

// Knows from its name what a field means: faults call the same thing by the same name.
class FaultFields final : public ArbitraryFields {
 public:
  using ArbitraryFields::ArbitraryFields;
  using ArbitraryFields::field;

  void field(const FieldInfo&, bool& v) override { v = one_in(5); }
  void field(const FieldInfo& f, std::int64_t& v) override {
    static constexpr std::int64_t kShares[] = {1'000, 10'000, 100'000, 300'000, 500'000, 1'000'000};
    if (f.name == "share-ppm") {
      v = one_in(3) ? number(f.least, f.most) : element(kShares);
      return;
    }
    // Of clocks: from a quartz in the heat to one that runs at half or at double speed.
    v = std::clamp(draw::spread_number(-1'000'000, 1'000'000), f.least, f.most);
  }
  void field(const FieldInfo& f, std::string& v) override {
    if (f.name == "node") {
      const FaultSpace::Node& node = element(space_.nodes);
      v = node.name;
      role_ = node.role;
    } else if (f.name == "task") {
      const bool alone = role_ == NodeRole::client && !space_.tasks.empty() && one_in(3);
      v = alone ? element(space_.tasks) : "";
    } else if (f.name == "from") {
      choose_link();
      v = from_;
    } else if (f.name == "to") {
      v = to_;
    } else if (f.name == "between") {
      v = groups();
    }
  }
  void choice(const FieldInfo& f, std::span<const std::string_view> names, std::size_t& index) override {
    ArbitraryFields::choice(f, names, index);
    if (f.name != "shape") return;
    if (space_.nodes.size() < 2) index = 0;
    shape_ = names[index];
  }

 private:
  void choose_link() {
    from_.clear();
    to_.clear();
    if (one_in(6)) return;  // everything
    if (!space_.links.empty() && !one_in(4)) {
      const FaultSpace::Link& link = element(space_.links);
      from_ = link.from;
      to_ = link.to;
      if (one_in(2)) std::swap(from_, to_);
      return;
    }
    (one_in(2) ? from_ : to_) = element(space_.nodes).name;
  }

  std::string groups() {
    std::vector<std::string> names;
    for (const FaultSpace::Node& n : space_.nodes) names.push_back(n.name);
    for (std::size_t i = names.size(); i > 1; --i) {
      std::swap(names[i - 1], names[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(i) - 1))]);
    }
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

  NodeRole role_ = NodeRole::client;
  std::string from_, to_, shape_;
};

Trigger any_trigger(const FaultSpace& space) {
  Trigger t;
  if (space.marks.empty() || one_in(2)) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::int64_t end = std::max<std::int64_t>(space.run_length.ns, 1);
    if (one_in(8)) return t;
    t.at = one_in(2) ? Duration{number(0, end - 1)} : draw::duration(space, 0, kMost);
    return t;
  }
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
  if (one_in(3)) t.offset = draw::duration(space, 0, space.run_length.ns);
  return t;
}

}  // namespace

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
  for (std::int64_t i = shape.most == 0 ? element(kSizes) : number(shape.least, shape.most); i > 0; --i) {
    const FaultKind& kind = *element(kinds);
    Fault fault{.kind = std::string(kind.name), .trigger = {}, .options = AnyOptions(kind.default_options())};
    FaultFields fields(space);
    fault.options.fields(fields);
    fault.trigger = any_trigger(space);
    plan.push_back(std::move(fault));
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
