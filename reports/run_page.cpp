#include "reports/run_page.hpp"

#include <fmt/format.h>

#include <string_view>

#include "reports/html.hpp"
#include "reports/page_assets.hpp"
#include "reports/run_data.hpp"

namespace picklock {
namespace {

constexpr std::string_view kRunHead = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
)html";

constexpr std::string_view kRunView = R"html(<main>
<section class="view" aria-label="Picture">
<div class="tools" role="toolbar" aria-label="View">
<button type="button" data-do="in">Zoom in</button>
<button type="button" data-do="out">Zoom out</button>
<button type="button" data-do="all">Whole run</button>
<button type="button" data-do="conflict">Both in</button>
<button type="button" data-do="previous">Previous step</button>
<button type="button" data-do="next">Next step</button>
</div>
<canvas id="timeline" data-part="timeline" tabindex="0" role="img" aria-label="Space-time diagram of the run"></canvas>
<p id="status" data-part="status" role="status"></p>
<dl class="keys">
<dt><kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd></dt><dd>zoom in, out, whole run; the mouse wheel zooms as well</dd>
<dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>earlier, later; dragging moves as well</dd>
<dt><kbd>n</kbd> <kbd>p</kbd></dt><dd>next, previous step of the story</dd>
<dt><kbd>b</kbd></dt><dd>the time for which conflicting holds meet</dd>
<dt><kbd>/</kbd></dt><dd>search the story</dd>
</dl>
</section>
<section class="words" aria-label="Story">
<h2>What happened</h2>
<input id="find" data-part="find" type="search" placeholder="Search the story: Enter for the next, Shift and Enter for the previous" aria-label="Search the story">
<div id="story" class="story" tabindex="0"><ol data-part="story"></ol></div>
)html";

}  // namespace

std::string run_page(Runner& runner, const RunResult& result, const std::string& words, const std::string& replay) {
  const RunData data = run_data(runner, result);
  return fmt::format(
      "{}<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<header><h1>{}</h1>"
      "<p class=\"count\">{}</p></header>\n{}<h2>Verdicts</h2>\n<pre>{}</pre>\n</section>\n</main>\n"
      "<div id=\"tip\" data-part=\"tip\" hidden></div>\n<script id=\"data\" "
      "type=\"application/json\">{}</script>\n<script>\n{}</script>\n"
      "</body>\n</html>\n",
      kRunHead, html_text(data.title), kPageStyle, kRunStyle, html_text(data.title), html_text(replay), kRunView,
      html_text(words), json_for_script(data.json), kRunScript);
}

}  // namespace picklock
