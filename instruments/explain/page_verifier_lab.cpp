#include "instruments/explain/page_verifier_lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "checker/properties/properties.hpp"
#include "faults/armed_fault.hpp"
#include "faults/journal.hpp"
#include "instruments/explain/replay_lab.hpp"
#include "reports/html.hpp"
#include "reports/run/idle_faults.hpp"

namespace picklock {
namespace {

using nlohmann::json;

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  if (at == text.npos) return {};
  const std::size_t from = at + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

struct Link {
  std::int64_t from = 0, until = 0, row = 0;
};

// The link of one sentence; nothing if it is not linked.
std::optional<Link> link_of(const std::string& item) {
  const auto number = [&](const char* name) {
    return std::strtoll(between(item, fmt::format("{}=\"", name), "\"").c_str(), nullptr, 10);
  };
  if (item.find("data-from=") == item.npos) return std::nullopt;
  return Link{number("data-from"), number("data-until"), number("data-row")};
}

std::map<std::uint32_t, std::int64_t> times_of(const History& history) {
  std::map<std::uint32_t, std::int64_t> times;
  const auto add = [&](const auto& events) {
    for (const auto& e : events) times[e.index] = e.time;
  };
  add(history.operations);
  add(history.beliefs);
  add(history.grants);
  add(history.effects);
  add(history.processes);
  add(history.phases);
  return times;
}

class PageVerifier {
 public:
  PageVerifier(const json& document, const std::string& page)
      : doc_(document),
        sentences_(between(page, "<ol class=\"sentences\">", "</ol>")),
        data_(json::parse(between(page, "<script id=\"data\" type=\"application/json\">", "</script>"), nullptr,
                          false)) {}

  std::vector<std::string> verify() {
    for (const json& r : doc_["runs"]) {
      if (r["run"] != doc_["run"]) continue;
      const Line line = parsed(r["command"]);
      runner_ = runner_of(line);
      if (runner_) result_ = &runner_->run(line.seed, {.full_trace = true});
    }
    if (result_ == nullptr || data_.is_discarded()) return {"places: no run, or no page"};
    std::size_t at = 0;
    for (const json& s : doc_["paragraph"]) {
      const std::size_t begin = sentences_.find("<li>", at);
      at = std::min(sentences_.find("</li>", begin), sentences_.size());
      const std::string item = begin < at ? sentences_.substr(begin, at - begin) : "", text = s["text"];
      check(item.find(html_text(text)) != item.npos, "not on the page: " + text);
      const auto link = link_of(item);
      if (!link) {
        check(false, "no link: " + text);
      } else {
        verify(*link, s["about"]);
      }
    }
    check(sentences_.find("<li>", at) == sentences_.npos, "more sentences than there are");
    return wrong_;
  }

 private:
  void check(bool so, const std::string& what) {
    if (!so) wrong_.push_back("places: " + what);
  }

  void verify(const Link& link, const std::string& about) {
    const bool inside = link.row < static_cast<std::int64_t>(data_["rows"].size());
    check(inside && link.from <= link.until, about + ": leads out of the picture");
    if (!inside) return;
    if (about.starts_with("fault[")) return fault(link, std::strtoull(about.c_str() + 6, nullptr, 10));
    if (about.starts_with("clients.")) {
      check(label(link) == about.substr(8), about + ": leads to the row of " + label(link));
      return;
    }
    violation(link, about);
  }
  std::string label(const Link& link) const {
    return link.row < 0 ? "none" : std::string(data_["rows"][static_cast<std::size_t>(link.row)]["label"]);
  }

  // The place where the fault begins to strike, in a row of its words in which it is drawn.
  void fault(const Link& link, std::size_t fault) {
    std::optional<std::int64_t> first;
    for (const TraceRecord& r : runner_->record().journal()) {
      const bool struck = r.kind == trace::fault_began && static_cast<Injection>(r.c) != Injection::missed;
      if (struck && r.a == fault && !first) first = r.time;
    }
    if (!first) return violation(link, doc_["properties"][0]["property"]);
    const std::string words = words_of_fault(runner_->scenario().faults[fault]);
    check(link.from == *first, fmt::format("fault[{}] begins at {}, not at {}", fault, *first, link.from));
    check(words.ends_with(label(link)), fmt::format("{}: leads to the row of {}", words, label(link)));
    if (link.row < 0) return;
    const json& bars = data_["rows"][static_cast<std::size_t>(link.row)]["bars"];
    check(std::any_of(bars.begin(), bars.end(), [&](const json& bar) { return bar[0] == link.from; }),
          fmt::format("{}: leads to a row without it", words));
  }

  // The stretch from the first to the last event that shows the violation; two stretches share their overlap.
  void violation(const Link& link, const std::string& name) {
    const auto info =
        std::find_if(properties().begin(), properties().end(), [&](const auto& p) { return p.name == name; });
    if (info == properties().end()) return check(false, "no property " + name);
    const std::map<std::uint32_t, std::int64_t> times = times_of(*result_->history);
    std::vector<std::int64_t> shown;
    for (const std::uint32_t index : of(result_->findings, info->property).witness.all_events())
      shown.push_back(times.at(index));
    std::sort(shown.begin(), shown.end());
    if (shown.size() == 4) shown = {shown[1], shown[2]};
    if (shown.empty()) return check(false, name + " has no place");
    const std::int64_t end = data_["end"];  // end of the picture
    check(link.row < 0 && link.from == std::min(shown.front(), end) && link.until == std::min(shown.back(), end),
          fmt::format("{} is shown elsewhere than at {}", name, link.from));
  }

  const json& doc_;
  const std::string sentences_;
  const json data_;
  std::unique_ptr<Runner> runner_;
  const RunResult* result_ = nullptr;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> wrong_places(const std::string& explanation_json, const std::string& page) {
  const json document = json::parse(explanation_json, nullptr, false);
  if (document.is_discarded()) return {"places: no JSON"};
  return PageVerifier(document, page).verify();
}

}  // namespace picklock
