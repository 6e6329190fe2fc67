#include "reports/run/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "faults/armed_fault.hpp"
#include "faults/journal.hpp"
#include "reports/run/idle_faults.hpp"
#include "reports/run/lanes.hpp"
#include "scenarios/recording/history_builder.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr std::string_view kProbeName = "probe";

BarKind bar_of(ClientState state) {
  switch (state) {
    case ClientState::waiting:
      return BarKind::waits;
    case ClientState::believing:
      return BarKind::believes;
    case ClientState::believing_waiting:
      return BarKind::believes_and_waits;
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
    SceneRow row{std::string(h.names.view(l.client)), RowKind::client};
    for (const Stretch& s : l.stretches) {
      if (s.state != ClientState::idle && s.from < scene.end)
        row.bars.push_back({s.from, s.until, bar_of(s.state), {}});
    }
    if (!row.bars.empty()) scene.rows.push_back(std::move(row));  // the probe's row follows later
  }
}

bool meet(const Bar& a, const Bar& b) { return a.from < b.until && b.from < a.until; }

void insert(SceneRow& row, Bar bar) {
  const auto after = std::find_if(row.bars.begin(), row.bars.end(), [&](const Bar& b) { return b.from > bar.from; });
  row.bars.insert(after, std::move(bar));
}

// Into the first of the rows from `first` on in which it hides none; otherwise into a new one, named by `label` if it is
// not the first.
void put(std::vector<SceneRow>& rows, std::size_t first, Bar bar, SceneRow fresh, const std::string& label) {
  auto row = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(), [&](const SceneRow& r) {
    return std::none_of(r.bars.begin(), r.bars.end(), [&](const Bar& b) { return meet(b, bar); });
  });
  if (row == rows.end()) {
    const std::size_t place = rows.size() - first + 1;
    if (place > 1) fresh.label = label.empty() ? fmt::format("{} ({})", fresh.label, place) : label;
    row = rows.insert(row, std::move(fresh));
  }
  insert(*row, std::move(bar));
}

std::string owner_name(const History& h, HoldId hold) {
  return hold < h.holds.size() ? std::string(h.names.view(h.holds[hold].client)) : "somebody";
}

// A row for each owner that a lock has at a time: readers and permits stand below each other.
void add_locks(const History& h, const Lanes& lanes, Scene& scene) {
  std::vector<std::string> locks;
  for (const OwnerStretch& o : lanes.owners) {
    const std::string name(h.names.view(h.holds[o.hold].lock));
    if (o.from < scene.end && std::find(locks.begin(), locks.end(), name) == locks.end()) locks.push_back(name);
  }
  for (const std::string& lock : locks) {
    const std::size_t first = scene.rows.size();
    const auto add = [&](const OwnerStretch& o, BarKind kind) {
      if (o.from >= scene.end || h.names.view(h.holds[o.hold].lock) != lock) return;
      put(scene.rows, first, {o.from, o.until, kind, owner_name(h, o.hold)}, {lock, RowKind::lock},
          kind == BarKind::promised ? lock + " (lease)" : "");
    };
    for (const OwnerStretch& o : lanes.owners) {
      if (o.what != Ownership::promised) add(o, o.what == Ownership::owns ? BarKind::owned : BarKind::overdue);
    }
    for (const OwnerStretch& o : lanes.owners) {
      if (o.what == Ownership::promised) add(o, BarKind::promised);
    }
  }
}

// Times at which the machine of a server was stopped or dead.
std::vector<Bar> interruptions(std::span<const TraceRecord> journal, NodeId node, std::int64_t end) {
  std::vector<Bar> bars;
  bool open = false;
  for (const TraceRecord& r : journal) {
    if (r.node != node) continue;
    const bool stops = r.kind == trace::process_paused || r.kind == trace::host_frozen;
    const bool dies =
        r.kind == trace::process_killed || r.kind == trace::process_panicked || r.kind == trace::power_lost;
    const bool goes_on =
        r.kind == trace::process_continued || r.kind == trace::host_thawed || r.kind == trace::process_started;
    if (open && (goes_on || dies)) {
      bars.back().until = r.time;
      open = false;
    }
    if (stops || dies) {
      if (open) continue;
      bars.push_back({r.time, end, stops ? BarKind::stopped : BarKind::dead, {}});
      open = true;
    }
  }
  std::erase_if(bars, [&](const Bar& b) { return b.from >= end || b.from == b.until; });
  return bars;
}

// A row for each server that may name an owner, if there are several; one that was stopped or dead in any case.
class ServerRows {
 public:
  ServerRows(const RunRecord& record, Scene& scene)
      : record_(record), h_(record.history()), scene_(scene), seen_(record.around().servers) {}

  void add() {
    const std::span<const TraceRecord> journal = record_.journal();
    for (std::size_t node = 1; node < record_.machines().size(); ++node) {
      const auto id = static_cast<NodeId>(node);
      if (is_client(id)) continue;
      const bool names = std::find(seen_.servers.begin(), seen_.servers.end(), id) != seen_.servers.end();
      const std::vector<Bar> gone = interruptions(journal, id, scene_.end);
      if (!gone.empty() || (names && seen_.servers.size() > 1)) add(id, gone);
    }
    add_leaders();
  }

 private:
  bool is_client(NodeId node) const {
    const std::string& name = record_.machines()[node];
    const auto& clients = record_.scenario().clients;
    return name == kProbeName ||
           std::any_of(clients.begin(), clients.end(), [&](const ClientSpec& c) { return c.machine_name() == name; });
  }

  // One row; one for each lock that it names an owner of, if there are several.
  void add(NodeId node, const std::vector<Bar>& gone) {
    const std::string& name = record_.machines()[node];
    scene_.rows.push_back({name, RowKind::server, gone, {}, node});
    std::vector<std::uint32_t> locks;
    for (const OwnersSeen& o : seen_.owners) {
      if (o.node == node && o.time < scene_.end && std::find(locks.begin(), locks.end(), o.lock) == locks.end())
        locks.push_back(o.lock);
    }
    for (std::size_t i = 0; i < locks.size(); ++i) {
      if (i > 0) scene_.rows.push_back({fmt::format("{}: {}", name, lock_name(node, locks[i])), RowKind::server});
      // A stopped server still has its data.
      for (Bar& bar : named(node, locks[i])) insert(scene_.rows.back(), std::move(bar));
    }
  }

  std::string lock_name(NodeId node, std::uint32_t lock) const {
    for (const OwnersSeen& o : seen_.owners) {
      if (o.node == node && o.lock == lock && !o.owners.empty() && o.owners.front() < h_.holds.size())
        return std::string(h_.names.view(h_.holds[o.owners.front()].lock));
    }
    return "";
  }

  std::vector<Bar> named(NodeId node, std::uint32_t lock) const {
    std::vector<Bar> bars;
    for (const OwnersSeen& o : seen_.owners) {
      if (o.node != node || o.lock != lock) continue;
      if (!bars.empty() && bars.back().until > o.time) bars.back().until = o.time;
      if (o.owners.empty() || o.time >= scene_.end) continue;
      std::vector<std::string> names;
      for (const HoldId hold : o.owners) names.push_back(owner_name(h_, hold));
      bars.push_back({o.time, scene_.end, BarKind::names, fmt::format("{}", fmt::join(names, ", "))});
    }
    std::erase_if(bars, [](const Bar& b) { return b.from == b.until; });
    // A lock that changes from one hold to another of the same client is named without a gap.
    std::vector<Bar> joined;
    for (Bar& b : bars) {
      if (!joined.empty() && joined.back().until == b.from && joined.back().text == b.text) {
        joined.back().until = b.until;
      } else {
        joined.push_back(std::move(b));
      }
    }
    return joined;
  }

  // A server leads until its next role, or its death.
  void add_leaders() {
    const std::size_t first = scene_.rows.size();
    for (std::size_t i = 0; i < seen_.roles.size(); ++i) {
      const ServerRole& role = seen_.roles[i];
      if (!role.leads || role.time >= scene_.end) continue;
      Bar bar{role.time, scene_.end, BarKind::leads, record_.machines()[role.node]};
      for (std::size_t next = i + 1; next < seen_.roles.size(); ++next) {
        if (seen_.roles[next].node != role.node) continue;
        bar.until = std::min(bar.until, seen_.roles[next].time);
        break;
      }
      for (const Bar& gone : interruptions(record_.journal(), role.node, scene_.end)) {
        if (gone.kind == BarKind::dead && gone.from >= bar.from) bar.until = std::min(bar.until, gone.from);
      }
      if (bar.from < bar.until) put(scene_.rows, first, std::move(bar), {std::string(role.name), RowKind::leader}, "");
    }
  }

  const RunRecord& record_;
  const History& h_;
  Scene& scene_;
  const ServersSeen& seen_;
};

std::string offset_words(std::int64_t ns) {
  constexpr std::int64_t kMinute = 60'000'000'000;
  if (ns % (60 * kMinute) == 0) return fmt::format("{} h", ns / (60 * kMinute));
  return ns % kMinute == 0 ? fmt::format("{} min", ns / kMinute) : to_readable(Duration{ns});
}

// "+12 s", "20 % fast", "+12 s, 20 % fast": what the wall clock shows beside the true time, and how fast it runs.
std::string clock_words(const Clock& clock, std::int64_t now) {
  const std::int64_t offset = clock.wall({now}).ns - Clock::kEpoch.ns - now;
  std::string words;
  if (offset != 0) words = (offset > 0 ? "+" : "-") + offset_words(std::abs(offset));
  if (clock.frozen()) return words + (words.empty() ? "stands" : ", stands");
  if (clock.ppm() == 0) return words;
  const double percent = std::abs(clock.ppm()) / 1e4;
  const std::string rate =
      percent >= 0.1 ? fmt::format("{:g} %", percent) : fmt::format("{} ppm", std::abs(clock.ppm()));
  return fmt::format("{}{}{} {}", words, words.empty() ? "" : ", ", rate, clock.ppm() > 0 ? "fast" : "slow");
}

// A row for each machine whose clock differs from the true time by its offset or rate.
void add_clocks(const RunRecord& record, Scene& scene) {
  const std::span<const TraceRecord> journal = record.journal();
  for (std::size_t node = 1; node < record.machines().size(); ++node) {
    Clock clock = record.clocks[node];
    SceneRow row{"clock of " + record.machines()[node], RowKind::clock, {}, {}};
    std::int64_t since = 0;
    const auto upto = [&](std::int64_t time) {
      const std::string words = clock_words(clock, since);
      if (words.empty() || time <= since) return;
      if (!row.bars.empty() && row.bars.back().until == since && row.bars.back().text == words) {
        row.bars.back().until = time;
      } else {
        row.bars.push_back({since, time, BarKind::clock, words});
      }
    };
    for (const TraceRecord& r : journal) {
      if (r.node != node || r.time >= scene.end) continue;
      Clock changed = clock;
      follow_clock(r, changed);
      if (clock_words(changed, r.time) == clock_words(clock, r.time)) continue;
      upto(r.time);
      since = r.time;
      clock = changed;
    }
    upto(scene.end);
    if (!row.bars.empty()) scene.rows.push_back(std::move(row));
  }
}

void add_resources(const History& h, Scene& scene) {
  const std::size_t first = scene.rows.size();
  for (const EffectEvent& e : h.effects) {
    if (e.time >= scene.end) continue;
    const std::string name(h.names.view(e.resource));
    auto row = std::find_if(scene.rows.begin() + static_cast<std::ptrdiff_t>(first), scene.rows.end(),
                            [&](const SceneRow& r) { return r.label == name; });
    if (row == scene.rows.end()) row = scene.rows.insert(row, SceneRow{name, RowKind::resource, {}, {}});
    constexpr SceneMarkKind kKinds[] = {SceneMarkKind::read, SceneMarkKind::write, SceneMarkKind::refused_read,
                                        SceneMarkKind::refused_write};
    row->marks.push_back({e.time, kKinds[static_cast<int>(e.kind)]});
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

// Servers that elect a leader before the first client asks would take half of some pictures.
std::int64_t begin_of(const Scene& scene) {
  std::int64_t first = scene.end;
  for (const SceneRow& row : scene.rows) {
    // Leaders, and clocks that differ from the beginning, stand there all along.
    const bool stands = row.kind == RowKind::leader || row.kind == RowKind::clock;
    for (const Bar& b : row.bars) {
      if (!stands || (row.kind == RowKind::clock && b.from > 0)) first = std::min(first, b.from);
    }
    for (const SceneMark& m : row.marks) first = std::min(first, m.time);
  }
  const std::int64_t before = (scene.end - first) / 8;
  return first > scene.end / 10 ? first - before : 0;
}

}  // namespace

std::vector<FaultSpan> faults_struck(const RunRecord& record) {
  const Scenario& scenario = record.scenario();
  const std::int64_t now = record.result.length.ns;
  std::vector<FaultSpan> all;
  const auto is_client = [&](std::string_view words) {
    return std::any_of(scenario.clients.begin(), scenario.clients.end(),
                       [&](const ClientSpec& c) { return words.ends_with(" of " + c.machine_name()); });
  };
  for (const TraceRecord& r : record.journal()) {
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

std::vector<std::int64_t> ticks_of(std::int64_t begin, std::int64_t end, std::int64_t most) {
  std::int64_t step = 1;
  for (std::int64_t power = 1; (end - begin) / step >= most; power *= 10) {
    for (const std::int64_t times : {1, 2, 5}) {
      step = power * times;
      if ((end - begin) / step < most) break;
    }
  }
  std::vector<std::int64_t> ticks;
  for (std::int64_t time = (begin + step - 1) / step * step; time <= end; time += step) ticks.push_back(time);
  return ticks;
}

std::string tick_words(const std::vector<std::int64_t>& ticks, std::int64_t tick) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const bool whole = std::all_of(ticks.begin(), ticks.end(), [](std::int64_t t) { return t % kSecond == 0; });
  if (whole && !ticks.empty() && ticks.back() >= 10 * kSecond) return fmt::format("{} s", tick / kSecond);
  return to_readable(Duration{tick});
}

Scene scene_of(const RunRecord& record, const std::vector<FaultSpan>& faults) {
  const Scenario& scenario = record.scenario();
  const History& h = record.history();
  const RunResult& result = record.result;
  const Lanes lanes = lanes_of(h, result.judged_with.permits);
  Scene scene;
  scene.title = fmt::format("{}, seed {}: {} on {}", scenario.name, result.seed, scenario.lock.name, scenario.lock.key);
  scene.end = std::max(lanes.load_end, std::int64_t{1});
  add_clients(h, lanes, scene);
  ServerRows(record, scene).add();
  add_clocks(record, scene);
  add_locks(h, lanes, scene);
  add_resources(h, scene);
  add_faults(faults, scene);
  SceneRow both{"both in", RowKind::conflict, {}, {}};
  for (const Overlap& o : lanes.overlaps) both.bars.push_back({o.from, o.until, BarKind::conflict, {}});
  if (!both.bars.empty()) scene.rows.push_back(std::move(both));
  scene.begin = begin_of(scene);
  return scene;
}

}  // namespace picklock
