#include "scenarios/generators/clients.hpp"

#include <algorithm>

#include "scenarios/generators/options.hpp"

namespace picklock {
namespace {

using draw::element;
using draw::number;
using draw::one_in;

class ClientFields final : public ArbitraryFields {
 public:
  using ArbitraryFields::ArbitraryFields;
  using ArbitraryFields::operator();
  void operator()(const FieldInfo&, std::int64_t& v) { v = one_in(8) ? 0 : number(1, 3); }
  void operator()(const FieldInfo& f, bool& v) {
    if (!is_mistake(f)) ArbitraryFields::operator()(f, v);
  }
  void operator()(const FieldInfo& f, FieldChoice& choice) {
    if (!is_mistake(f)) ArbitraryFields::operator()(f, choice);
  }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) {
    v.reset();
    if (is_mistake(f)) return;
    if (one_in(4)) v = draw::duration(space_, f.least, f.most);
  }

 private:
  // True if only a hunt for this mistake draws it.
  static bool is_mistake(const FieldInfo& f) {
    return f.name == "interrupt-after" || f.name == "throws-after" || f.name == "forgets-release" ||
           f.name == "on-refusal";
  }
};

bool is_made_by_callers(AssumptionKind kind) {
  using enum AssumptionKind;
  constexpr AssumptionKind kMistakes[] = {no_abandoned_acquires, no_interrupts, no_uncaught_exceptions,
                                          no_forgotten_releases, no_fail_open};
  return std::find(std::begin(kMistakes), std::end(kMistakes), kind) != std::end(kMistakes);
}

// Makes the mistake that breaks this assumption.
void make_mistake(AssumptionKind kind, const FaultSpace& space, ClientSpec& c) {
  const auto some_time = [&] { return draw::duration(space, 0, std::max<std::int64_t>(space.run_length.ns, 1)); };
  switch (kind) {
    case AssumptionKind::no_abandoned_acquires:
      c.abandon_after = some_time();
      break;
    case AssumptionKind::no_interrupts:
      c.interrupt_after = some_time();
      break;
    case AssumptionKind::no_uncaught_exceptions:
      c.throws_after = some_time();
      break;
    case AssumptionKind::no_forgotten_releases:
      c.forgets_release = true;
      break;
    case AssumptionKind::no_fail_open:
      c.on_refusal = OnRefusal::go_on;
      c.patience = some_time();
      break;
    default:
      break;
  }
}

// Names that one client takes in a round.
std::vector<std::string> entries(const LockKind& kind, const std::vector<std::string>& names) {
  std::vector<std::string> taken;
  std::vector<std::string> order = names;
  if (order.size() > 1 && one_in(2)) std::swap(order[0], order[1]);
  if (kind.several_names && order.size() > 1 && one_in(2)) {
    taken.push_back(order[0] + "+" + order[1]);
  } else {
    if (!one_in(3)) order.resize(1);
    for (const std::string& name : order) {
      taken.push_back(kind.claims.shared && one_in(2) ? name + ":read" : name);
    }
  }
  if (kind.claims.reentrant && one_in(3)) taken.push_back(taken.front());
  return taken;
}

}  // namespace

namespace draw {

std::vector<ClientSpec> clients(const FaultSpace& space, const LockKind& kind, const std::string& name,
                                const ClientBounds& bounds) {
  std::vector<ClientSpec> clients(static_cast<std::size_t>(number(1, bounds.most)));
  std::vector<std::string> names = {name};
  if (bounds.several_locks && one_in(3)) names.emplace_back(name == "other" ? "another" : "other");
  const bool choosy = names.size() > 1 || kind.claims.shared || (kind.claims.reentrant && one_in(3));
  const bool sharing = bounds.threads && one_in(3);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    ClientSpec& c = clients[i];
    ClientFields fields(space);
    visit_fields(c, fields);
    c.name = std::string(1, static_cast<char>('a' + i));
    c.role = bounds.operators && i > 0 && one_in(10) ? ClientRole::operator_ : ClientRole::holder;
    if (!bounds.abandons) c.abandon_after.reset();
    if (bounds.heeds_deadlines) c.honours_deadline = true;
    if (bounds.mistake && is_made_by_callers(*bounds.mistake) && one_in(2)) make_mistake(*bounds.mistake, space, c);
    if (sharing && one_in(2)) c.machine = "jvm";
    if (choosy) c.locks = entries(kind, names);
    if (!bounds.longest_hold) continue;
    const Duration least = *bounds.longest_hold / 10;
    const auto work = number(least.ns, bounds.longest_hold->ns);
    c.hold = one_in(2) ? Law::constant(work) : Law::uniform(least.ns, std::max(work, least.ns + 1));
    c.between = {};
    c.start = Law::uniform(0, 10 * least.ns);
  }
  return clients;
}

}  // namespace draw

}  // namespace picklock
