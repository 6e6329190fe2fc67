#include "reports/run/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "reports/html.hpp"
#include "reports/page_assets.hpp"
#include "reports/run/run_data.hpp"
#include "reports/words.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRunView =
    R"html(<canvas id="timeline" data-part="timeline" tabindex="0" role="img" aria-label="Space-time diagram of the run"></canvas>
<p id="status" data-part="status" role="status">Hover over or tap a bar or an arrow: what it is, what a message carried, what each party believed. Press n to step through the story.</p>
<ul id="legend" data-part="legend" class="legend"></ul>
<dl class="keys">
<dt><kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd></dt><dd>zoom in, out, whole run; the mouse wheel zooms as well</dd>
<dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>earlier, later; dragging moves as well</dd>
<dt><kbd>n</kbd> <kbd>p</kbd></dt><dd>next, previous step of the story</dd>
<dt><kbd>b</kbd></dt><dd>the time for which conflicting holds meet</dd>
<dt><kbd>m</kbd></dt><dd>messages among servers, shown or not</dd>
<dt><kbd>/</kbd></dt><dd>search the story, and what messages carry</dd>
</dl>
</section>
<section class="words" aria-label="Story">
)html";

constexpr std::string_view kRunStory = R"html(<h2>What happened</h2>
<input id="find" data-part="find" type="search" placeholder="Search (Enter: next)" aria-label="Search the story and the messages: Enter for the next, Shift and Enter for the previous">
<div id="story" class="story" tabindex="0"><ol data-part="story"></ol></div>
)html";

}  // namespace

PageWords verdicts_for_page(const RunRecord& record, bool raw) {
  PageWords words;
  const RunResult& result = record.result;
  for (const Finding& f : result.findings) {
    if (f.verdict != Verdict::violated) continue;
    words.sentences.push_back(
        {fmt::format("{}: {}.", info(f.property).name, explain(f, record.history(), result.judged_with)),
         {},
         {},
         f.property});
  }
  words.rest = verdicts_in_words(record.scenario(), result, raw);
  return words;
}

namespace {

// Parts of one run's page.
class PageRun {
 public:
  explicit PageRun(const RunRecord& record) : record_(record), data_(record) {}

  const RunData& data() const { return data_; }

  // A link to the place of a sentence, or its text alone.
  std::string linked(const PageSentence& sentence) const {
    const std::string text = html_text(sentence.text);
    const auto link = [&](std::int64_t from, std::int64_t until, std::ptrdiff_t row) {
      return fmt::format("<a href=\"#timeline\" data-from=\"{}\" data-until=\"{}\" data-row=\"{}\">{}</a>", from, until,
                         row, text);
    };
    if (sentence.fault) {
      const auto span = std::find_if(data_.faults().begin(), data_.faults().end(),
                                     [&](const FaultSpan& f) { return f.fault == *sentence.fault; });
      if (span != data_.faults().end())
        return link(span->from, std::min(std::max(span->until, span->from), data_.scene().end),
                    row_of(RowKind::fault, span->words.starts_with("the ") ? span->words.substr(4) : span->words));
    }
    if (const std::ptrdiff_t row = row_of(RowKind::client, sentence.client); row >= 0)
      return link(0, data_.scene().end, row);
    if (sentence.violation) {
      const auto [from, until] = stretch_of(*sentence.violation);
      if (from <= until) return link(from, until, -1);
    }
    return text;
  }

 private:
  std::ptrdiff_t row_of(RowKind kind, const std::string& label) const {
    const auto row = std::find_if(data_.scene().rows.begin(), data_.scene().rows.end(),
                                  [&](const SceneRow& r) { return r.kind == kind && r.label == label; });
    return row == data_.scene().rows.end() ? -1 : row - data_.scene().rows.begin();
  }

  // The stretch from the first to the last event of the witness; two stretches (four events) share their overlap.
  // A part behind the picture, such as a probe's answer, stands at the picture's end.
  std::pair<std::int64_t, std::int64_t> stretch_of(Property property) const {
    const std::span<const TraceRecord> journal = record_.journal();
    const std::vector<std::uint32_t>& sources = record_.recording->sources;
    std::vector<std::int64_t> times;
    for (const std::uint32_t index : of(record_.result.findings, property).witness.all_events()) {
      if (index < sources.size() && sources[index] < journal.size()) times.push_back(journal[sources[index]].time);
    }
    if (times.empty()) return {0, -1};
    std::sort(times.begin(), times.end());
    const std::size_t inner = times.size() == 4 ? 1 : 0;
    const std::int64_t end = data_.scene().end;
    return {std::min(times[inner], end), std::min(times[times.size() - 1 - inner], end)};
  }

  const RunRecord& record_;
  const RunData data_;
};

// A whole file: `body` and `data` in the one frame that all pages of runs have.
struct PageFrame {
  std::string title, kind, head, body;
};
std::string framed(const PageFrame& frame, const std::string& data, std::string_view script) {
  return fmt::format(
      "{}<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body class=\"{}\">\n<header><h1>{}</h1>"
      "<p class=\"count\">{}</p></header>\n<main>\n{}</main>\n<div id=\"tip\" data-part=\"tip\" hidden></div>\n<script "
      "id=\"data\" "
      "type=\"application/json\">{}</script>\n<script>\n{}{}{}{}</script>\n</body>\n</html>\n",
      kPageHead, html_text(frame.title), kPageStyle, kRunStyle, frame.kind, html_text(frame.title),
      html_text(frame.head), frame.body, json_for_script(data), kPageParts, kRunScript, kStepsScript, script);
}

std::string buttons(const std::vector<std::pair<std::string_view, std::string_view>>& all) {
  std::string out = "<div class=\"tools\" role=\"toolbar\" aria-label=\"View\">\n";
  for (const auto& [action, words] : all)
    out += fmt::format("<button type=\"button\" data-do=\"{}\">{}</button>\n", action, words);
  return out + "</div>\n";
}

}  // namespace

std::string run_page(const RunRecord& record, const PageWords& words, const std::string& replay) {
  PageRun run(record);
  const std::string data = run.data().json();
  std::string sentences;
  for (const PageSentence& s : words.sentences) sentences += "<li>" + run.linked(s) + "</li>\n";
  if (!sentences.empty()) sentences = "<h2>Why</h2>\n<ol class=\"sentences\">\n" + sentences + "</ol>\n";
  const std::string body =
      "<section class=\"view\" aria-label=\"Picture\">\n" +
      buttons({{"in", "Zoom in"},
               {"out", "Zoom out"},
               {"all", "Whole run"},
               {"conflict", "Both in"},
               {"servers", "Messages among servers"},
               {"previous", "Previous step"},
               {"next", "Next step"}}) +
      std::string(kRunView) + sentences + std::string(kRunStory) +
      fmt::format("<h2>{}</h2>\n<pre>{}</pre>\n</section>\n", html_text(words.rest_title), html_text(words.rest));
  return framed({run.data().title(), "run", replay, body}, data,
                std::string(kViewScript) + std::string(kRunPageScript));
}

std::string against_page(const PlayedRun& left, const PlayedRun& right) {
  PageRun one(left.record), two(right.record);
  const std::vector<AlignedStep> steps = align(left.told.story, right.told.story);
  const auto place = [](const std::optional<std::size_t>& at) { return at ? Json(*at) : Json(); };
  Json data;
  data["runs"] = {Json::parse(one.data().json(left.told.story)), Json::parse(two.data().json(right.told.story))};
  data["names"] = {left.told.name, right.told.name};
  data["aligned"] = Json::array();
  for (const AlignedStep& s : steps) data["aligned"].push_back({place(s.left), place(s.right), s.tokens ? 1 : 0});
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
      "<p id=\"status\" role=\"status\"></p>\n<ul id=\"legend\" class=\"legend\"></ul>\n</section>\n<section "
      "class=\"words\" aria-label=\"Steps\">\n"
      "<h2>Steps of both</h2>\n<div id=\"story\" class=\"story\" tabindex=\"0\"><ol></ol></div>\n" +
      fmt::format("<h2>Verdicts</h2>\n<pre>{}\n\n{}\n</pre>\n</section>\n",
                  html_text(left.told.name + "\n  " + fmt::format("{}", fmt::join(left.told.verdicts, "\n  "))),
                  html_text(right.told.name + "\n  " + fmt::format("{}", fmt::join(right.told.verdicts, "\n  "))));
  return framed(
      {left.told.name + " | " + right.told.name, "against", left.told.replay + "   |   " + right.told.replay, body},
      data.dump(-1, ' ', false, Json::error_handler_t::replace), kAgainstScript);
}

}  // namespace picklock
