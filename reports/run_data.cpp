#include "reports/run_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/core/world.hpp"
#include "sim/task/mark.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

struct Arrow {
  NodeId from = 0, to = 0;
  std::int64_t sent = 0, arrived = 0;
  bool lost = false;  // what was sent again arrives as a message of its own
  std::string carries{};
};

// What messages carry, as far as the trace tells: the verb that the sender had begun, which request an answer belongs
// to, and what followed where it arrived.
class Contents {
 public:
  Contents(Runner& runner, const History& history) {
    const std::vector<TraceRecord>& journal = runner.world().trace.journal();
    const std::vector<std::uint32_t>& sources = runner.sources_of_history();
    for (const StoryLine& l : story_of(history)) {
      if (l.index >= sources.size() || sources[l.index] >= journal.size()) continue;
      const TraceRecord& r = journal[sources[l.index]];
      followed_[{r.node, r.time}].push_back(l.text);
    }
  }

  void see(const TraceRecord& r) {
    if (r.kind == trace::mark_passed && r.b == static_cast<std::uint64_t>(MarkSide::before))
      doing_[r.node] = {r.time, Mark{static_cast<std::uint16_t>(r.a)}};
  }
  std::string sent(const TraceRecord& r) {
    if (r.b == 0) return "";
    const auto known = verbs_.find(r.b);
    if (known != verbs_.end() && known->second.first != r.node) return "answer to " + known->second.second;
    const auto doing = doing_.find(r.node);
    if (doing == doing_.end() || doing->second.first != r.time) return "";
    const std::string verb(name_of(doing->second.second));
    verbs_[r.b] = {r.node, verb};
    return verb;
  }
  // Complete when the whole run has been seen.
  std::string followed(const Arrow& m) const {
    const auto found = followed_.find({m.to, m.arrived});
    if (m.lost || found == followed_.end()) return "";
    return fmt::format("then {}", fmt::join(found->second, "; "));
  }

 private:
  std::map<std::pair<NodeId, std::int64_t>, std::vector<std::string>> followed_;
  std::map<NodeId, std::pair<std::int64_t, Mark>> doing_;
  std::map<std::uint64_t, std::pair<NodeId, std::string>> verbs_;  // by call: who asked what
};

// Of the full trace: what one end of a connection sends arrives at the other in order.
std::vector<Arrow> messages_of(Runner& runner, const History& history) {
  World& world = runner.world();
  Contents contents(runner, history);
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
    contents.see(r);
    if (r.kind == trace::segment_sent) {
      note_end(r.a, r.node);
      under_way[{r.a, r.node}].push_back({r.node, 0, r.time, r.time, false, contents.sent(r)});
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
      all.push_back({r.node, 0, r.time, r.time, true, {}});
      all.back().to = static_cast<NodeId>(r.a);  // the connection, until its ends are known
    }
  }
  for (Arrow& m : all) {
    if (!m.lost) continue;
    const auto& [first, second] = ends[m.to];
    m.to = first == m.from ? second : first;
  }
  for (Arrow& m : all) {
    const std::string then = contents.followed(m);
    m.carries += (m.carries.empty() || then.empty() ? "" : "; ") + then;
  }
  std::stable_sort(all.begin(), all.end(), [](const Arrow& a, const Arrow& b) { return a.arrived < b.arrived; });
  return all;
}

// Rows of the machines that messages name; of those that have none yet behind the clients.
std::map<NodeId, std::size_t> place_machines(const Runner& runner, const std::vector<Arrow>& messages, Scene& scene) {
  std::vector<bool> named(runner.node_names().size());
  for (const Arrow& m : messages) {
    if (m.sent < scene.end) named[m.from] = named[m.to] = true;
  }
  const auto row_of = [&](std::size_t node) {
    return std::find_if(scene.rows.begin(), scene.rows.end(), [&](const SceneRow& r) {
      return r.label == runner.node_names()[node] && (r.kind == RowKind::client || r.kind == RowKind::server);
    });
  };
  const auto behind_servers = [&] {
    return std::find_if(scene.rows.begin(), scene.rows.end(),
                        [](const SceneRow& r) { return r.kind != RowKind::client && r.kind != RowKind::server; });
  };
  for (std::size_t node = 1; node < named.size(); ++node) {
    if (named[node] && row_of(node) == scene.rows.end())
      scene.rows.insert(behind_servers(), {runner.node_names()[node], RowKind::server});
  }
  std::map<NodeId, std::size_t> places;
  for (std::size_t node = 1; node < named.size(); ++node) {
    if (named[node]) places[static_cast<NodeId>(node)] = static_cast<std::size_t>(row_of(node) - scene.rows.begin());
  }
  return places;
}

Json json_of(const SceneRow& row) {
  Json bars = Json::array(), marks = Json::array();
  for (const Bar& b : row.bars) bars.push_back({b.from, b.until, static_cast<int>(b.kind), b.text});
  for (const SceneMark& m : row.marks) marks.push_back({m.time, static_cast<int>(m.kind)});
  return {{"label", row.label}, {"kind", static_cast<int>(row.kind)}, {"bars", bars}, {"marks", marks}};
}

// Texts by number: many messages carry the same.
class Texts {
 public:
  std::size_t number_of(const std::string& words) {
    const auto [found, fresh] = places_.emplace(words, all_.size());
    if (fresh) all_.push_back(words);
    return found->second;
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
  std::map<std::string, std::size_t> places_;
};

std::string text_of(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

RunData::RunData(Runner& runner, const RunResult& result)
    : faults_(faults_struck(runner)),
      scene_(scene_of(runner, result, faults_)),
      story_(story_lines(*result.history, faults_, {.all = true}, context_of(runner, result))) {
  const std::vector<Arrow> messages = messages_of(runner, *result.history);
  const std::map<NodeId, std::size_t> places = place_machines(runner, messages, scene_);
  Texts texts;
  Json rows = Json::array(), arrows = Json::array();
  for (const SceneRow& row : scene_.rows) rows.push_back(json_of(row));
  for (const Arrow& m : messages) {
    if (m.sent >= scene_.end || m.from == 0 || m.to == 0) continue;
    arrows.push_back(
        {places.at(m.from), places.at(m.to), m.sent, m.arrived, m.lost ? 1 : 0, texts.number_of(m.carries)});
  }
  picture_ = text_of({{"end", scene_.end}, {"rows", rows}, {"messages", arrows}, {"texts", texts.all()}});
}

std::string RunData::json(const std::vector<StoryLine>& lines) const {
  Json story = Json::array();
  for (const StoryLine& s : lines) story.push_back({s.time, s.text});
  return picture_.substr(0, picture_.size() - 1) + ",\"story\":" + text_of(story) + "}";
}

}  // namespace picklock
