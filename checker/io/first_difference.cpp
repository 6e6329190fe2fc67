#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "checker/io/history_reader.hpp"

namespace picklock {
namespace {

// The meaning of an event, with every id replaced by the text behind it.
struct Meaning {
  const History& history;

  std::string name(NameId id) const { return id == kNoName ? "-" : "'" + std::string(history.names.view(id)) + "'"; }
  std::string process(std::int32_t process) const {
    return process >= 0 ? fmt::to_string(process) : name(static_cast<NameId>(~process));
  }
  std::string operator()(const OperationEvent& e) const {
    return fmt::format("{} {} f={} process={} time={} local={} token={} hold={} object={} value={}", e.index,
                       static_cast<int>(e.type), name(history.functions.at(e.f)), process(e.process), e.time,
                       e.local_time, e.token, e.hold, name(e.object), history.values.edn(e.value));
  }
  std::string operator()(const ExtraField& e) const {
    return fmt::format("{} {}={}", e.index, name(e.key), history.values.edn(e.value));
  }
  std::string operator()(const HoldInfo& e) const {
    return fmt::format("lock={} client={} process={} token={} mode={}", name(e.lock), name(e.client),
                       process(e.process), e.token, static_cast<int>(e.mode));
  }
  std::string operator()(const BeliefEvent& e) const {
    return fmt::format("{} time={} hold={} end={}", e.index, e.time, e.hold, static_cast<int>(e.end));
  }
  std::string operator()(const GrantEvent& e) const {
    return fmt::format("{} time={} until={} hold={} by={} change={} cause={} server={}", e.index, e.time, e.until,
                       e.hold, e.by, static_cast<int>(e.change), static_cast<int>(e.cause), name(e.server));
  }
  std::string operator()(const EffectEvent& e) const {
    return fmt::format("{} time={} token={} version={} from={} hold={} resource={} kind={} {}{}", e.index, e.time,
                       e.token, e.version, e.read_version, e.hold, name(e.resource), static_cast<int>(e.kind),
                       e.acknowledged, e.depends_on_read);
  }
  std::string operator()(const ProcessEvent& e) const {
    return fmt::format("{} time={} client={} change={}", e.index, e.time, name(e.client), static_cast<int>(e.change));
  }
  std::string operator()(const PhaseEvent& e) const {
    return fmt::format("{} time={} phase={}", e.index, e.time, static_cast<int>(e.phase));
  }
};

template <typename T>
std::string difference(const char* what, const std::vector<T>& a, const Meaning& in_a, const std::vector<T>& b,
                       const Meaning& in_b, std::size_t from = 0) {
  const std::size_t size_a = std::max(a.size(), from);
  const std::size_t size_b = std::max(b.size(), from);
  for (std::size_t i = from; i < std::min(size_a, size_b); ++i) {
    const std::string left = in_a(a[i]);
    const std::string right = in_b(b[i]);
    if (left != right) return fmt::format("{} {}: {} against {}", what, i, left, right);
  }
  if (size_a == size_b) return {};
  return fmt::format("{} {} against {}", size_a, what, size_b);
}

std::vector<ExtraField> in_order(const History& history) {
  std::vector<ExtraField> fields = history.extras;
  const auto key = [&](const ExtraField& f) {
    return std::make_tuple(f.index, history.names.view(f.key), history.values.edn(f.value));
  };
  std::sort(fields.begin(), fields.end(), [&](const ExtraField& x, const ExtraField& y) { return key(x) < key(y); });
  return fields;
}

}  // namespace

std::string first_difference(const History& a, const History& b) {
  const Meaning x{a};
  const Meaning y{b};
  if (a.omniscient != b.omniscient) return "one is omniscient";
  for (const std::string& found :
       {difference("operations", a.operations, x, b.operations, y),
        difference("extras", in_order(a), x, in_order(b), y), difference("holds", a.holds, x, b.holds, y, 1),
        difference("beliefs", a.beliefs, x, b.beliefs, y), difference("grants", a.grants, x, b.grants, y),
        difference("effects", a.effects, x, b.effects, y), difference("processes", a.processes, x, b.processes, y),
        difference("phases", a.phases, x, b.phases, y)}) {
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace picklock
