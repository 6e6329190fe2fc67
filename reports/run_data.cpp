#include "reports/run_data.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "reports/scene.hpp"
#include "reports/timeline.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

struct Arrow {
  NodeId from = 0, to = 0;
  std::int64_t sent = 0, arrived = 0;
  bool lost = false;  // what was sent again arrives as a message of its own
};

// Of the full trace: what one end of a connection sends arrives at the other in order.
std::vector<Arrow> messages_of(World& world) {
  std::map<std::pair<std::uint32_t, NodeId>, std::deque<Arrow>> under_way;  // by connection and sender
  std::map<std::uint32_t, std::pair<NodeId, NodeId>> ends;                  // of a connection
  std::vector<Arrow> all;
  const auto note_end = [&](std::uint32_t connection, NodeId node) {
    auto& [first, second] = ends[connection];
    if (first == 0 || first == node) {
      first = node;
    } else {
      second = node;
    }
  };
  for (const TraceRecord& r : world.trace.full()) {
    if (r.kind == trace::segment_sent) {
      note_end(r.a, r.node);
      under_way[{r.a, r.node}].push_back({r.node, 0, r.time, r.time, false});
    } else if (r.kind == trace::segment_arrived) {
      note_end(r.a, r.node);
      const auto& [first, second] = ends[r.a];
      auto& sent = under_way[{r.a, first == r.node ? second : first}];
      if (sent.empty()) continue;
      Arrow m = sent.front();
      sent.pop_front();
      m.to = r.node;
      m.arrived = r.time;
      all.push_back(m);
    } else if (r.kind == trace::segment_lost) {
      all.push_back({r.node, 0, r.time, r.time, true});
      all.back().to = static_cast<NodeId>(r.a);  // the connection, until its ends are known
    }
  }
  for (Arrow& m : all) {
    if (!m.lost) continue;
    const auto& [first, second] = ends[m.to];
    m.to = first == m.from ? second : first;
  }
  std::stable_sort(all.begin(), all.end(), [](const Arrow& a, const Arrow& b) { return a.arrived < b.arrived; });
  return all;
}

// Rows of the machines that messages name, behind those of the clients.
std::map<NodeId, std::size_t> place_machines(const Runner& runner, const std::vector<Arrow>& messages, Scene& scene) {
  std::vector<bool> named(runner.node_names().size());
  for (const Arrow& m : messages) {
    if (m.sent < scene.end) named[m.from] = named[m.to] = true;
  }
  std::size_t clients = 0;
  while (clients < scene.rows.size() && scene.rows[clients].kind == RowKind::client) ++clients;
  std::vector<SceneRow> machines;
  std::map<NodeId, std::size_t> places;
  for (std::size_t node = 1; node < named.size(); ++node) {
    if (!named[node]) continue;
    const std::string& name = runner.node_names()[node];
    const auto client = std::find_if(scene.rows.begin(), scene.rows.begin() + static_cast<std::ptrdiff_t>(clients),
                                     [&](const SceneRow& r) { return r.label == name; });
    if (client != scene.rows.begin() + static_cast<std::ptrdiff_t>(clients)) {
      places[static_cast<NodeId>(node)] = static_cast<std::size_t>(client - scene.rows.begin());
    } else {
      places[static_cast<NodeId>(node)] = clients + machines.size();
      machines.push_back({name, RowKind::client, {}, {}});
    }
  }
  scene.rows.insert(scene.rows.begin() + static_cast<std::ptrdiff_t>(clients), machines.begin(), machines.end());
  return places;
}

Json json_of(const SceneRow& row) {
  Json bars = Json::array(), marks = Json::array();
  for (const Bar& b : row.bars) bars.push_back({b.from, b.until, static_cast<int>(b.kind), b.text});
  for (const SceneMark& m : row.marks) marks.push_back({m.time, static_cast<int>(m.kind)});
  return {{"label", row.label}, {"kind", static_cast<int>(row.kind)}, {"bars", bars}, {"marks", marks}};
}

}  // namespace

RunData run_data(Runner& runner, const RunResult& result) {
  const std::vector<FaultSpan> faults = faults_struck(runner);
  Scene scene = scene_of(runner.scenario(), result, faults);
  const std::vector<Arrow> messages = messages_of(runner.world());
  const std::map<NodeId, std::size_t> places = place_machines(runner, messages, scene);
  Json rows = Json::array(), arrows = Json::array(), story = Json::array();
  for (const SceneRow& row : scene.rows) rows.push_back(json_of(row));
  for (const Arrow& m : messages) {
    if (m.sent >= scene.end || m.from == 0 || m.to == 0) continue;
    arrows.push_back({places.at(m.from), places.at(m.to), m.sent, m.arrived, m.lost ? 1 : 0});
  }
  for (const StoryLine& s : story_lines(*result.history, faults, {.all = true}, healing_of(result)))
    story.push_back({s.time, s.text});
  const Json data = {{"end", scene.end}, {"rows", rows}, {"messages", arrows}, {"story", story}};
  return {scene.title, data.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

}  // namespace picklock
