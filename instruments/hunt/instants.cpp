#include "instruments/hunt/instants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "faults/trigger.hpp"
#include "scenarios/run/run.hpp"
#include "sim/core/world.hpp"

namespace picklock {

std::vector<Trigger> events_near(const Scenario& scenario, std::uint64_t seed, Duration instant, std::size_t most) {
  auto compiled = Runner::compile(scenario);
  auto* const runner = std::get_if<0>(&compiled);
  if (runner == nullptr) return {};
  (*runner)->run(seed, {.full_trace = true});
  struct Passing {
    std::int64_t distance;
    std::string on;
    std::int64_t count;
  };
  std::vector<Passing> events;
  std::map<std::string, std::int64_t> passed;
  for (const TraceRecord& r : (*runner)->record().full_trace()) {
    if (r.kind != trace::mark_passed) continue;
    const Mark m{static_cast<std::uint16_t>(r.a)};
    const auto side = static_cast<MarkSide>(r.b);
    if (name_of(m).empty() || is_event(m) != (side == MarkSide::at)) continue;
    const char* const word = side == MarkSide::before ? "before " : side == MarkSide::after ? "after " : "";
    std::string on = fmt::format("{}{} {}", word, (*runner)->cast().machines[r.node], name_of(m));
    const std::int64_t count = ++passed[on];
    events.push_back({std::abs(r.time - instant.ns), std::move(on), count});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Passing& a, const Passing& b) { return a.distance < b.distance; });
  std::vector<Trigger> found;
  for (const Passing& e : events) {
    const bool known = std::any_of(found.begin(), found.end(), [&](const Trigger& t) { return t.on == e.on; });
    if (known) continue;
    found.push_back({.at = {}, .on = e.on, .count = e.count, .offset = {}});
    if (found.size() == most) break;
  }
  return found;
}

}  // namespace picklock
