#include "reports/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "faults/armed_fault.hpp"
#include "faults/journal.hpp"
#include "reports/idle_faults.hpp"
#include "reports/lanes.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

BarKind bar_of(ClientState state) {
  switch (state) {
    case ClientState::waiting:
      return BarKind::waits;
    case ClientState::believing:
      return BarKind::believes;
    case ClientState::stopped:
      return BarKind::stopped;
    case ClientState::stopped_believing:
      return BarKind::stopped_believing;
    default:
      return BarKind::dead;
  }
}

void add_clients(const History& h, const Lanes& lanes, Scene& scene) {
  for (const ClientLane& l : lanes.clients) {
    SceneRow row{std::string(h.names.view(l.client)), RowKind::client, {}, {}};
    for (const Stretch& s : l.stretches) {
      if (s.state != ClientState::idle && s.from < scene.end) row.bars.push_back({s.from, s.until, bar_of(s.state)});
    }
    if (!row.bars.empty()) scene.rows.push_back(std::move(row));  // else the probe, which comes later
  }
}

// A row for each owner that a lock has at a time: readers and permits stand below each other.
void add_locks(const History& h, const Lanes& lanes, Scene& scene) {
  std::vector<std::pair<std::string, std::vector<SceneRow>>> locks;
  for (const OwnerStretch& o : lanes.owners) {
    if (o.from >= scene.end) continue;
    const std::string name(h.names.view(h.holds[o.hold].lock));
    auto lock = std::find_if(locks.begin(), locks.end(), [&](const auto& l) { return l.first == name; });
    if (lock == locks.end()) lock = locks.insert(lock, {name, {}});
    auto free = std::find_if(lock->second.begin(), lock->second.end(),
                             [&](const SceneRow& row) { return row.bars.back().until <= o.from; });
    if (free == lock->second.end()) {
      const std::string label = lock->second.empty() ? name : fmt::format("{} ({})", name, lock->second.size() + 1);
      free = lock->second.insert(free, SceneRow{label, RowKind::lock, {}, {}});
    }
    free->bars.push_back({o.from, o.until, BarKind::owned, std::string(h.names.view(h.holds[o.hold].client))});
  }
  for (auto& [name, rows] : locks) {
    for (SceneRow& row : rows) scene.rows.push_back(std::move(row));
  }
}

void add_resources(const History& h, Scene& scene) {
  const std::size_t first = scene.rows.size();
  for (const EffectEvent& e : h.effects) {
    const std::string name(h.names.view(e.resource));
    auto row = std::find_if(scene.rows.begin() + static_cast<std::ptrdiff_t>(first), scene.rows.end(),
                            [&](const SceneRow& r) { return r.label == name; });
    if (row == scene.rows.end()) row = scene.rows.insert(row, SceneRow{name, RowKind::resource, {}, {}});
    constexpr SceneMarkKind kKinds[] = {SceneMarkKind::read, SceneMarkKind::write, SceneMarkKind::refused_read,
                                        SceneMarkKind::refused_write};
    if (e.time < scene.end) row->marks.push_back({e.time, kKinds[static_cast<int>(e.kind)]});
  }
}

// Faults of the same words share a row.
void add_faults(const std::vector<FaultSpan>& faults, Scene& scene) {
  const std::size_t first = scene.rows.size();
  for (const FaultSpan& f : faults) {
    if (f.from >= scene.end) continue;
    const std::string label = f.words.starts_with("the ") ? f.words.substr(4) : f.words;
    auto row = std::find_if(scene.rows.begin() + static_cast<std::ptrdiff_t>(first), scene.rows.end(),
                            [&](const SceneRow& r) { return r.label == label && r.bars.back().until <= f.from; });
    if (row == scene.rows.end()) row = scene.rows.insert(row, SceneRow{label, RowKind::fault, {}, {}});
    row->bars.push_back({f.from, f.until, BarKind::fault});
    if (f.until == f.from) row->marks.push_back({f.from, SceneMarkKind::strike});
  }
}

}  // namespace

std::vector<FaultSpan> faults_struck(Runner& runner) {
  const Scenario& scenario = runner.scenario();
  World& world = runner.world();
  const std::int64_t now = (world.now() - TrueTime{}).ns;
  std::vector<FaultSpan> all;
  const auto is_client = [&](std::string_view words) {
    return std::any_of(scenario.clients.begin(), scenario.clients.end(),
                       [&](const ClientSpec& c) { return words.ends_with(" of " + c.machine_name()); });
  };
  for (const TraceRecord& r : world.trace.journal()) {
    if (r.kind == trace::fault_began && r.a < scenario.faults.size()) {
      const auto injection = static_cast<Injection>(r.c);
      if (injection == Injection::missed) continue;
      const Fault& fault = scenario.faults[r.a];
      const std::string words = words_of_fault(fault);
      const bool process = fault.kind == "pause" || fault.kind == "freeze" || fault.kind == "kill" ||
                           fault.kind == "power-loss" || fault.kind == "restart";
      all.push_back({r.a, words, r.time, injection == Injection::lasting ? now : r.time, process && is_client(words)});
    } else if (r.kind == trace::fault_ended) {
      const auto began = std::find_if(all.rbegin(), all.rend(), [&](const FaultSpan& f) { return f.fault == r.a; });
      if (began != all.rend()) began->until = r.time;
    }
  }
  return all;
}

Scene scene_of(const Scenario& scenario, const RunResult& result, const std::vector<FaultSpan>& faults) {
  const History& h = *result.history;
  const Lanes lanes = lanes_of(h, result.judged_with.permits);
  Scene scene;
  scene.title = fmt::format("{}, seed {}: {} on {}", scenario.name, result.seed, scenario.lock.name, scenario.lock.key);
  scene.end = std::max(lanes.load_end, std::int64_t{1});
  add_clients(h, lanes, scene);
  add_locks(h, lanes, scene);
  add_resources(h, scene);
  add_faults(faults, scene);
  SceneRow both{"both in", RowKind::conflict, {}, {}};
  for (const Overlap& o : lanes.overlaps) both.bars.push_back({o.from, o.until, BarKind::conflict});
  if (!both.bars.empty()) scene.rows.push_back(std::move(both));
  return scene;
}

}  // namespace picklock
