#include "instruments/hunt/calm.hpp"

#include <array>
#include <string_view>

#include "algorithms/lock.hpp"
#include "sim/task/fields.hpp"

namespace picklock {
namespace {

class Medians {
 public:
  void operator()(const FieldInfo&, Law& v) {
    if (v.kind() != Law::Kind::constant) v = Law::constant(median_of(v));
  }
};

constexpr std::array<std::string_view, std::size(kDrawnParts)> kNames = {"latency", "clients", "lock"};

}  // namespace

std::int64_t median_of(const Law& law) {
  return law.kind() == Law::Kind::table ? law.calm() : law.sample(std::uint64_t{1} << 63);
}

Scenario calmed(Scenario s, DrawnPart part) {
  Medians medians;
  switch (part) {
    case DrawnPart::latency:
      medians({}, s.latency);
      for (LinkSpec& l : s.links) medians({}, l.latency);
      break;
    case DrawnPart::clients:
      for (ClientSpec& c : s.clients) visit_fields(c, medians);
      break;
    case DrawnPart::lock:
      if (!s.lock.options) {
        const LockKind* const kind = find_lock_kind(s.lock.name);
        if (kind == nullptr) break;
        AnyOptions usual(kind->default_options());
        AnyOptions calm = usual;
        visit_fields(calm, medians);
        if (!(calm == usual)) s.lock.options = std::move(calm);
        break;
      }
      visit_fields(s.lock.options, medians);
      break;
  }
  return s;
}

std::vector<std::string> drawn_parts(const Scenario& scenario) {
  std::vector<std::string> found;
  for (const DrawnPart part : kDrawnParts) {
    if (!(calmed(scenario, part) == scenario)) found.emplace_back(kNames[static_cast<std::size_t>(part)]);
  }
  return found;
}

}  // namespace picklock
