#include "reports/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "reports/html.hpp"
#include "reports/page_assets.hpp"
#include "reports/scene.hpp"
#include "reports/timeline.hpp"
#include "reports/words.hpp"
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

constexpr std::string_view kRunHead = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
)html";

constexpr std::string_view kRunView =
    R"html(<canvas id="timeline" tabindex="0" role="img" aria-label="Space-time diagram of the run"></canvas>
<p id="status" role="status"></p>
<dl class="keys">
<dt><kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd></dt><dd>zoom in, out, whole run; the mouse wheel zooms as well</dd>
<dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>earlier, later; dragging moves as well</dd>
<dt><kbd>n</kbd> <kbd>p</kbd></dt><dd>next, previous step of the story</dd>
<dt><kbd>b</kbd></dt><dd>the time for which conflicting holds meet</dd>
<dt><kbd>/</kbd></dt><dd>search the story</dd>
</dl>
<p>The mouse over an arrow shows what the message carried and what each party believed.</p>
</section>
<section class="words" aria-label="Story">
)html";

constexpr std::string_view kRunStory = R"html(<h2>What happened</h2>
<input id="find" type="search" placeholder="Search the story: Enter for the next, Shift and Enter for the previous" aria-label="Search the story">
<div id="story" tabindex="0"><ol></ol></div>
)html";

}  // namespace

PageWords verdicts_for_page(Runner& runner, const RunResult& result, bool raw) {
  PageWords words;
  for (const Finding& f : result.findings) {
    if (f.verdict != Verdict::violated) continue;
    words.sentences.push_back(
        {fmt::format("{}: {}.", info(f.property).name, explain(f, *result.history, result.judged_with)),
         {},
         {},
         f.property});
  }
  words.rest = verdicts_in_words(runner.scenario(), result, raw);
  return words;
}

namespace {

// What one run's picture is drawn of.
class PageRun {
 public:
  PageRun(Runner& runner, const RunResult& result)
      : runner_(runner),
        result_(result),
        faults_(faults_struck(runner)),
        scene_(scene_of(runner, result, faults_)),
        messages_(messages_of(runner, *result.history)),
        places_(place_machines(runner, messages_, scene_)) {}

  const std::string& title() const { return scene_.title; }

  Json data(const std::vector<StoryLine>& lines) {
    Json rows = Json::array(), arrows = Json::array(), story = Json::array();
    for (const SceneRow& row : scene_.rows) rows.push_back(json_of(row));
    for (const Arrow& m : messages_) {
      if (m.sent >= scene_.end || m.from == 0 || m.to == 0) continue;
      arrows.push_back({places_.at(m.from), places_.at(m.to), m.sent, m.arrived, m.lost ? 1 : 0, text(m.carries)});
    }
    for (const StoryLine& s : lines) story.push_back({s.time, s.text});
    return {{"end", scene_.end}, {"rows", rows}, {"messages", arrows}, {"texts", texts_}, {"story", story}};
  }
  std::vector<StoryLine> story() {
    return story_lines(*result_.history, faults_, {.all = true}, context_of(runner_, result_));
  }

  // A link to the place of a sentence, or its text alone.
  std::string linked(const PageSentence& sentence) const {
    const std::string text = html_text(sentence.text);
    const auto link = [&](std::int64_t from, std::int64_t until, std::ptrdiff_t row) {
      return fmt::format("<a href=\"#timeline\" data-from=\"{}\" data-until=\"{}\" data-row=\"{}\">{}</a>", from, until,
                         row, text);
    };
    if (sentence.fault) {
      const auto span =
          std::find_if(faults_.begin(), faults_.end(), [&](const FaultSpan& f) { return f.fault == *sentence.fault; });
      if (span != faults_.end())
        return link(span->from, std::min(std::max(span->until, span->from), scene_.end),
                    row_of(RowKind::fault, span->words.starts_with("the ") ? span->words.substr(4) : span->words));
    }
    if (const std::ptrdiff_t row = row_of(RowKind::client, sentence.client); row >= 0) return link(0, scene_.end, row);
    if (sentence.violation) {
      const auto [from, until] = stretch_of(*sentence.violation);
      if (from <= until) return link(from, until, -1);
    }
    return text;
  }

 private:
  std::ptrdiff_t row_of(RowKind kind, const std::string& label) const {
    const auto row = std::find_if(scene_.rows.begin(), scene_.rows.end(),
                                  [&](const SceneRow& r) { return r.kind == kind && r.label == label; });
    return row == scene_.rows.end() ? -1 : row - scene_.rows.begin();
  }

  // From the first to the last event of the violation's witness.
  std::pair<std::int64_t, std::int64_t> stretch_of(Property property) const {
    const std::vector<TraceRecord>& journal = runner_.world().trace.journal();
    const std::vector<std::uint32_t>& sources = runner_.sources_of_history();
    std::int64_t from = std::numeric_limits<std::int64_t>::max(), until = 0;
    for (const std::uint32_t index : of(result_.findings, property).witness.all_events()) {
      if (index >= sources.size() || sources[index] >= journal.size()) continue;
      from = std::min(from, journal[sources[index]].time);
      until = std::max(until, journal[sources[index]].time);
    }
    return {from, std::min(until, scene_.end)};
  }

  std::size_t text(const std::string& words) {
    const auto [found, fresh] = text_places_.emplace(words, texts_.size());
    if (fresh) texts_.push_back(words);
    return found->second;
  }

  Runner& runner_;
  const RunResult& result_;
  const std::vector<FaultSpan> faults_;
  Scene scene_;
  const std::vector<Arrow> messages_;
  const std::map<NodeId, std::size_t> places_;
  std::vector<std::string> texts_;
  std::map<std::string, std::size_t> text_places_;
};

// A whole file: `body` and `data` in the one frame that all pages of runs have.
struct PageFrame {
  std::string title, kind, head, body;
};
std::string framed(const PageFrame& frame, const Json& data, std::string_view script) {
  const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  return fmt::format(
      "{}<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body class=\"{}\">\n<header><h1>{}</h1>"
      "<p class=\"count\">{}</p></header>\n<main>\n{}</main>\n<div id=\"tip\" hidden></div>\n<script id=\"data\" "
      "type=\"application/json\">{}</script>\n<script>\n{}{}{}</script>\n</body>\n</html>\n",
      kRunHead, html_text(frame.title), kPageStyle, kRunStyle, frame.kind, html_text(frame.title),
      html_text(frame.head), frame.body, json_for_script(text), kPageParts, kRunScript, script);
}

std::string buttons(const std::vector<std::pair<std::string_view, std::string_view>>& all) {
  std::string out = "<div class=\"tools\" role=\"toolbar\" aria-label=\"View\">\n";
  for (const auto& [action, words] : all)
    out += fmt::format("<button type=\"button\" data-do=\"{}\">{}</button>\n", action, words);
  return out + "</div>\n";
}

}  // namespace

std::string run_page(Runner& runner, const RunResult& result, const PageWords& words, const std::string& replay) {
  PageRun run(runner, result);
  const Json data = run.data(run.story());
  std::string sentences;
  for (const PageSentence& s : words.sentences) sentences += "<li>" + run.linked(s) + "</li>\n";
  if (!sentences.empty()) sentences = "<h2>Why</h2>\n<ol class=\"sentences\">\n" + sentences + "</ol>\n";
  const std::string body = "<section class=\"view\" aria-label=\"Picture\">\n" +
                           buttons({{"in", "Zoom in"},
                                    {"out", "Zoom out"},
                                    {"all", "Whole run"},
                                    {"conflict", "Both in"},
                                    {"previous", "Previous step"},
                                    {"next", "Next step"}}) +
                           std::string(kRunView) + sentences + std::string(kRunStory) +
                           fmt::format("<h2>Verdicts</h2>\n<pre>{}</pre>\n</section>\n", html_text(words.rest));
  return framed({run.title(), "run", replay, body}, data, kRunPageScript);
}

std::string against_page(const PlayedRun& left, const PlayedRun& right) {
  PageRun one(left.runner, left.result), two(right.runner, right.result);
  const std::vector<AlignedStep> steps = align(left.told.story, right.told.story);
  const auto place = [](const std::optional<std::size_t>& at) { return at ? Json(*at) : Json(); };
  Json data;
  data["runs"] = {one.data(left.told.story), two.data(right.told.story)};
  data["names"] = {left.told.name, right.told.name};
  data["aligned"] = Json::array();
  for (const AlignedStep& s : steps) data["aligned"].push_back({place(s.left), place(s.right)});
  data["first"] = place(first_difference(steps));
  const auto picture = [](std::string_view id, const std::string& name) {
    return fmt::format(
        "<p class=\"picture-name\">{0}</p>\n<canvas id=\"{1}\" tabindex=\"0\" role=\"img\" aria-label=\"Space-time "
        "diagram of {0}\"></canvas>\n",
        html_text(name), id);
  };
  const std::string body =
      "<section class=\"view\" aria-label=\"Pictures\">\n" +
      buttons({{"in", "Zoom in"},
               {"out", "Zoom out"},
               {"all", "Whole runs"},
               {"conflict", "Both in"},
               {"difference", "First difference"},
               {"previous", "Previous step"},
               {"next", "Next step"}}) +
      picture("timeline", left.told.name) + picture("timeline2", right.told.name) +
      "<p id=\"status\" role=\"status\"></p>\n</section>\n<section class=\"words\" aria-label=\"Steps\">\n"
      "<h2>Steps of both</h2>\n<div id=\"story\" tabindex=\"0\"><ol></ol></div>\n" +
      fmt::format("<h2>Verdicts</h2>\n<pre>{}\n\n{}\n</pre>\n</section>\n",
                  html_text(left.told.name + "\n  " + fmt::format("{}", fmt::join(left.told.verdicts, "\n  "))),
                  html_text(right.told.name + "\n  " + fmt::format("{}", fmt::join(right.told.verdicts, "\n  "))));
  return framed(
      {left.told.name + " | " + right.told.name, "against", left.told.replay + "   |   " + right.told.replay, body},
      data, kAgainstScript);
}

}  // namespace picklock
