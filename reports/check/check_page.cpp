#include "reports/check/check_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/models/words.hpp"
#include "reports/check/drawing.hpp"
#include "reports/check/explanation.hpp"
#include "reports/check/page_data.hpp"
#include "reports/html.hpp"
#include "reports/page_assets.hpp"

namespace picklock {
namespace {

constexpr std::string_view kTools = R"html(<div class="tools" role="toolbar" aria-label="View">
<button type="button" data-do="in">Zoom in</button>
<button type="button" data-do="out">Zoom out</button>
<button type="button" data-do="all">Whole history</button>
)html";

constexpr std::string_view kMoreTools = R"html(<button type="button" data-do="previous">Previous operation</button>
<button type="button" data-do="next">Next operation</button>
</div>
)html";

constexpr std::string_view kLegend = R"html(<h2>What the drawing shows</h2>
<ul class="legend">
<li><i style="background:var(--ok)"></i>operation, from invoke to ok</li>
<li><i style="background:var(--fail)"></i>failed</li>
<li><i style="background:var(--open)"></i>outcome unknown: open to the right</li>
<li><i style="background:var(--held)"></i>surely holds</li>
<li><i style="background:var(--witness)"></i>witness</li>
</ul>
<h2>Keys</h2>
<dl class="keys" id="keys">
<dt><kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd></dt><dd>zoom in, out, whole history</dd>
<dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>earlier, later; <kbd>Home</kbd> <kbd>End</kbd></dd>
<dt><kbd>↑</kbd> <kbd>↓</kbd></dt><dd>scroll the lanes; <kbd>Page ↑</kbd> <kbd>Page ↓</kbd></dd>
<dt><kbd>n</kbd> <kbd>p</kbd></dt><dd>next, previous operation</dd>
<dt><kbd>w</kbd></dt><dd>the witness</dd>
<dt><kbd>[</kbd> <kbd>]</kbd></dt><dd>a step of the linearization back, forth</dd>
</dl>
<p>The mouse: wheel zooms, with Shift it scrolls the lanes; dragging pans; a click tells more.</p>
)html";

std::string jump(const OperationEvent& event, const std::string& words) {
  return fmt::format("<a class=\"jump\" href=\"#timeline\" data-index=\"{}\">{}</a>", event.index, html_text(words));
}

// Names the part of the history that is drawn, if that is not all.
std::string drawn_part(const CheckResult& r) {
  if (!r.partial || r.members.empty()) return "";
  return fmt::format("; drawn: the {} of {}", r.members.size(), html_text(r.partial->part));
}

std::string holds_part(const CheckResult& r) {
  if (r.holds.empty() && r.events.empty()) return "";
  std::string out = "<h2>The witness</h2>\n<ul>\n";
  for (const WitnessHold& h : r.holds) {
    std::string words = fmt::format("{} holds from {}", subject(r.naming, h.acquired), when(r.naming, h.acquired));
    if (h.acquired.token != kNoToken) words += fmt::format(" with token {}", h.acquired.token);
    if (r.model != "fencing-tokens")
      words += h.release ? ", release asked at " + when(r.naming, *h.release) : ", never released";
    out += "<li>" + jump(h.acquire, words) + "</li>\n";
  }
  const auto told = [&](const OperationEvent& e) {
    return std::any_of(r.holds.begin(), r.holds.end(), [&](const WitnessHold& h) {
      return e.index == h.acquire.index || e.index == h.acquired.index || (h.release && e.index == h.release->index);
    });
  };
  if (!r.partial) {
    for (const OperationEvent& e : r.events) {
      if (told(e)) continue;
      constexpr std::string_view kTypes[] = {"asked", "ok", "failed", "unknown outcome"};
      const std::string f(r.tables.names.view(r.tables.functions[e.f]));
      out += "<li>" +
             jump(e, fmt::format("{}: {}, {} at {}", subject(r.naming, e), f, kTypes[static_cast<int>(e.type)],
                                 when(r.naming, e))) +
             "</li>\n";
    }
  }
  return out + "</ul>\n";
}

std::string contradiction_part(const CheckResult& r) {
  const Contradiction c = contradiction_of(r);
  if (c.steps.empty()) return "";
  std::string out = "<h2>Why no order will do</h2>\n<ol>\n";
  for (const PrecedenceStep& s : c.steps) {
    out += "<li>" + jump(c.graph.operations[s.from].invoke, in_words(c.graph, s, r.naming)) + ".</li>\n";
  }
  return out + fmt::format("</ol>\n<p>So {} would have to come before itself.</p>\n",
                           html_text(describe(c.graph.operations[c.steps[0].from], r.naming)));
}

std::string drawing_part(const CheckResult& r) {
  const std::vector<DrawnOperation> operations = drawn_operations(r);
  if (operations.empty() || operations.size() > 24) return "";
  return "<h2>The witness in text</h2>\n<pre tabindex=\"0\" role=\"img\" aria-label=\"The witness drawn in text\">" +
         html_text(draw_operations(operations, r.naming)) + "</pre>\n";
}

std::string minimal_part(const CheckResult& r) {
  if (!r.minimal) return "";
  std::string out = fmt::format("<h2>A minimal witness</h2>\n<p>{}</p>\n", html_text(claim_of(*r.minimal)));
  if (!r.minimal->operations.empty()) out += "<ul>\n";
  for (const PlacedOperation& o : r.minimal->operations) {
    const bool answered = o.end && o.end->type != OperationType::info;
    const std::string words = fmt::format("{}: {}, {} to {}", subject(r.naming, o.invoke), o.operation,
                                          when(r.naming, o.invoke), answered ? when(r.naming, *o.end) : "no answer");
    out += "<li>" + jump(o.invoke, words) + "</li>\n";
  }
  if (!r.minimal->operations.empty()) out += "</ul>\n";
  for (const std::string& reason : r.minimal->reasons) out += "<p>" + html_text(reason) + "</p>\n";
  return out;
}

std::string linearization_part(const CheckResult& r) {
  if (!r.partial) return "";
  const PartialLinearization& p = *r.partial;
  const std::size_t all = p.placed.size();
  std::string out =
      fmt::format("<h2>The longest partial linearization{}</h2>\n", p.part.empty() ? "" : ", " + html_text(p.part));
  if (p.omitted > 0) out += fmt::format("<p>{} operations are placed before those listed.</p>\n", p.omitted);
  if (all > 0) {
    out += fmt::format(
        "<div class=\"steps\"><button type=\"button\" id=\"back\" aria-label=\"One step back\">◀</button>"
        "<input type=\"range\" id=\"step\" min=\"0\" max=\"{0}\" value=\"{0}\" aria-label=\"Steps of the "
        "linearization\">"
        "<button type=\"button\" id=\"forth\" aria-label=\"One step forth\">▶</button></div>\n"
        "<p id=\"state\" role=\"status\" aria-live=\"polite\"></p>\n<ol class=\"placed\" start=\"{1}\" tabindex=\"0\" "
        "aria-label=\"Operations in their order\">\n",
        all, p.omitted + 1);
    for (const PlacedOperation& o : p.placed) {
      out += "<li>" + jump(o.invoke, fmt::format("{} → {}", o.operation, o.state)) + "</li>\n";
    }
    out += "</ol>\n";
  } else {
    out += fmt::format("<p>No operation can come first; the state is {}.</p>\n", html_text(p.initial));
  }
  out += "<p class=\"stuck\">" +
         jump(p.stuck.invoke, fmt::format("{} by {} has no place", p.stuck.operation, who(r.naming, p.stuck.invoke))) +
         "</p>\n";
  if (!p.candidates.empty()) out += "<h2>What might come next, and why it cannot</h2>\n<ul>\n";
  for (const FailedCandidate& c : p.candidates) {
    out += "<li>" + jump(c.invoke, c.operation) +
           html_text(": " + (c.possible ? fmt::format("→ {}, but ", c.state) : "") + c.why) + "</li>\n";
  }
  if (!p.candidates.empty()) out += "</ul>\n";
  if (p.more_candidates > 0) out += fmt::format("<p>… and {} more.</p>\n", p.more_candidates);
  return out;
}

}  // namespace

std::string check_page(const std::string& file, const CheckResult& r, const History& history) {
  constexpr std::string_view kVerdicts[] = {"valid", "INVALID", "undecided"},
                             kClasses[] = {"valid", "invalid", "undecided"};
  const auto verdict = static_cast<std::size_t>(r.verdict);
  const std::string name = html_text(file);
  const std::string judged = fmt::format("{} as {}", kVerdicts[verdict], html_text(r.model));
  std::string out(kPageHead);
  out += fmt::format("<title>{}: {}</title>\n<style>\n", name, judged);
  out += kPageStyle;
  out += fmt::format(
      "</style>\n</head>\n<body>\n<header>\n<h1>{}</h1>\n<p class=\"verdict {}\">{}</p>\n<p class=\"count\">{} "
      "operations{}</p>\n</header>\n<main>\n",
      name, kClasses[verdict], judged, r.operations, drawn_part(r));
  out += "<section class=\"view\" aria-label=\"Timeline\">\n";
  out += kTools;
  if (!r.events.empty() || !r.holds.empty() || r.partial)
    out += "<button type=\"button\" data-do=\"witness\">Witness</button>\n";
  out += kMoreTools;
  out +=
      "<canvas id=\"timeline\" tabindex=\"0\" role=\"application\" aria-label=\"Timeline of the history, a lane per "
      "process\" aria-describedby=\"keys\"></canvas>\n"
      "<p id=\"status\" role=\"status\" aria-live=\"polite\"></p>\n</section>\n<section class=\"words\" "
      "aria-label=\"Explanation\">\n";
  out += fmt::format("<h2>Verdict</h2>\n<p>{}</p>\n", html_text(r.explanation));
  if (const std::string beginning = beginning_of_times(r.naming); !beginning.empty())
    out += fmt::format("<p>{}</p>\n", beginning);
  if (r.verdict == Verdict::violated) {
    if (!r.partial) out += holds_part(r);
    out += minimal_part(r) + contradiction_part(r);
    if (!r.partial || r.minimal) out += drawing_part(r);
    out += linearization_part(r);
  }
  out += kLegend;
  out +=
      "</section>\n</main>\n<div id=\"tip\" hidden></div>\n<noscript><p>The drawing needs JavaScript; the explanation "
      "does not.</p></noscript>\n";
  out += "<script type=\"application/json\" id=\"data\">" + json_for_script(page_data(r, history)) +
         "</script>\n<script>\n";
  out += kPageParts;
  out += kPageScript;
  return out + "</script>\n</body>\n</html>\n";
}

}  // namespace picklock
