#include "reports/run/run_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "reports/run/messages.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

// Rows of the machines that messages name; of those that have none yet behind the clients.
std::map<NodeId, std::size_t> place_machines(const RunRecord& record, const std::vector<MessageArrow>& messages,
                                             Scene& scene) {
  std::vector<bool> named(record.machines().size());
  for (const MessageArrow& m : messages) {
    if (m.sent < scene.end) named[m.from] = named[m.to] = true;
  }
  const auto row_of = [&](std::size_t node) {
    return std::find_if(scene.rows.begin(), scene.rows.end(), [&](const SceneRow& r) {
      return r.label == record.machines()[node] && (r.kind == RowKind::client || r.kind == RowKind::server);
    });
  };
  const auto behind_servers = [&] {
    return std::find_if(scene.rows.begin(), scene.rows.end(),
                        [](const SceneRow& r) { return r.kind != RowKind::client && r.kind != RowKind::server; });
  };
  for (std::size_t node = 1; node < named.size(); ++node) {
    if (named[node] && row_of(node) == scene.rows.end())
      scene.rows.insert(behind_servers(), {record.machines()[node], RowKind::server});
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

RunData::RunData(const RunRecord& record)
    : faults_(faults_struck(record)),
      scene_(scene_of(record, faults_)),
      story_(story_lines(record.history(), faults_, {.all = true}, context_of(record))) {
  const std::vector<MessageArrow> messages = messages_of(record, faults_);
  const std::map<NodeId, std::size_t> places = place_machines(record, messages, scene_);
  Texts texts;
  Json rows = Json::array(), arrows = Json::array();
  for (const SceneRow& row : scene_.rows) rows.push_back(json_of(row));
  for (const MessageArrow& m : messages) {
    if (m.sent >= scene_.end) continue;
    arrows.push_back(
        {places.at(m.from), places.at(m.to), m.sent, m.arrived, static_cast<int>(m.fate), texts.number_of(m.carries)});
  }
  picture_ = text_of(
      {{"begin", scene_.begin}, {"end", scene_.end}, {"rows", rows}, {"messages", arrows}, {"texts", texts.all()}});
}

std::string RunData::json(const std::vector<StoryLine>& lines) const {
  Json story = Json::array();
  for (const StoryLine& s : lines) story.push_back({s.time, s.text});
  return picture_.substr(0, picture_.size() - 1) + ",\"story\":" + text_of(story) + "}";
}

}  // namespace picklock
