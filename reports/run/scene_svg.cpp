#include "reports/run/scene_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/width.hpp"
#include "reports/html.hpp"

namespace picklock {
namespace {

constexpr double kSvgWidth = 900, kSvgLeft = 190, kSvgRight = 20, kSvgRow = 26, kSvgBar = 16, kSvgTop = 58;

struct SvgLook {
  std::string_view style, meaning;  // a class of the style sheet below
};
constexpr SvgLook kSvgBars[kBarKinds] = {{"waits", "waits"},
                                         {"believes", "believes that it holds"},
                                         {"believes-and-waits", "believes, and waits for a lock"},
                                         {"promised", "lease still runs, owner not named any more"},
                                         {"owned", "owner of the lock"},
                                         {"overdue", "lease has run out, owner still named"},
                                         {"names", "owner that the server names"},
                                         {"leads", "leader"},
                                         {"clock", "clock that differs"},
                                         {"stopped", "stopped"},
                                         {"stopped-believing", "stopped, believing"},
                                         {"dead", "dead"},
                                         {"fault", "fault"},
                                         {"conflict", "both in"}};
struct SvgMark {
  std::string_view sign, meaning;
};
constexpr SvgMark kSvgMarks[] = {
    {"r", "read"}, {"W", "write"}, {"\u00d7", "read refused"}, {"!", "write refused"}, {"\u26a1", "the fault strikes"}};

constexpr std::string_view kSvgStyle = R"(
text { font: 13px sans-serif; fill: #222 }
.small { font-size: 11px }
.grid { stroke: #ddd }
.waits { fill: #d5dbe3 }
.believes { fill: #4c9f70 }
.believes-and-waits { fill: #8fc2a3 }
.stopped { fill: #e3c567 }
.stopped-believing { fill: #d98e32 }
.dead { fill: #8b3a3a }
.promised { fill: #cfe0f2; stroke: #5b8fc9; stroke-dasharray: 3 2 }
.owned { fill: #5b8fc9 }
.overdue { fill: #9dbde0 }
.names { fill: #7ba7a9 }
.leads { fill: #3d6f8e }
.clock { fill: #d7b6de }
.fault { fill: #a86bb8 }
.conflict { fill: #cf2e2e }
.on { fill: #fff }
)";

class Svg {
 public:
  explicit Svg(const Scene& scene) : scene_(scene) {}

  std::string draw() {
    for (std::size_t i = 0; i < scene_.rows.size(); ++i)
      row(scene_.rows[i], kSvgTop + static_cast<double>(i) * kSvgRow);
    const double bottom = kSvgTop + static_cast<double>(scene_.rows.size()) * kSvgRow;
    const std::string rows = std::move(body_);
    body_.clear();
    grid(bottom);
    body_ += rows;
    const double height = legend(bottom + 30) + 20;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" "
        "role=\"img\">\n<title>{}</title>\n<style>{}</style>\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"#fff\"/>\n{}</svg>\n",
        kSvgWidth, height, kSvgWidth, height, html_text(scene_.title), kSvgStyle, body_);
  }

 private:
  double x(std::int64_t time) const {
    const double share = static_cast<double>(std::clamp(time, scene_.begin, scene_.end) - scene_.begin) /
                         static_cast<double>(std::max<std::int64_t>(scene_.end - scene_.begin, 1));
    return kSvgLeft + share * (kSvgWidth - kSvgLeft - kSvgRight);
  }

  void text(double at, double y, std::string_view content, std::string_view attributes = "") {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", at, y, attributes.empty() ? "" : " ",
                         attributes, html_text(content));
  }

  void grid(double bottom) {
    text(10, 22, scene_.title, "font-weight=\"bold\"");
    const std::vector<std::int64_t> ticks = ticks_of(scene_.begin, scene_.end, 7);
    for (const std::int64_t time : ticks) {
      body_ += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\"/>\n",
                           x(time), kSvgTop - 8, bottom);
      text(x(time), kSvgTop - 14, tick_words(ticks, time),
           x(time) > kSvgWidth - 60 ? "class=\"small\" text-anchor=\"end\"" : "class=\"small\"");
    }
  }

  void row(const SceneRow& r, double top) {
    // Longer labels are made to fit, whole.
    constexpr std::size_t kFits = 26;
    text(10, top + kSvgBar - 3, r.label,
         columns_of(r.label) > kFits
             ? fmt::format("textLength=\"{:.0f}\" lengthAdjust=\"spacingAndGlyphs\"", kSvgLeft - 20)
             : "");
    for (const Bar& b : r.bars) {
      if (b.until <= scene_.begin) continue;
      const double from = x(b.from), width = std::max(x(b.until) - from, 1.5);
      used_.insert(b.kind);
      body_ += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\"/>\n",
                           kSvgBars[static_cast<int>(b.kind)].style, from, top, width, kSvgBar);
      const bool dark = b.kind == BarKind::owned || b.kind == BarKind::names || b.kind == BarKind::leads;
      if (!b.text.empty() && width > 7 * static_cast<double>(columns_of(b.text)) + 6)
        text(from + 4, top + kSvgBar - 4, b.text, dark ? "class=\"small on\"" : "class=\"small\"");
    }
    for (const SceneMark& m : r.marks) {
      used_marks_.insert(m.kind);
      text(x(m.time), top + kSvgBar - 3, kSvgMarks[static_cast<int>(m.kind)].sign,
           "class=\"small\" text-anchor=\"middle\"");
    }
  }

  // Gives the lower edge.
  double legend(double y) {
    double at = kSvgLeft;
    const auto room = [&](std::string_view meaning) {  // its width
      const double width = 30 + 7.5 * static_cast<double>(columns_of(meaning));
      if (at + width > kSvgWidth) {
        at = kSvgLeft;
        y += 20;
      }
      return width;
    };
    for (const BarKind kind : used_) {
      const SvgLook& look = kSvgBars[static_cast<int>(kind)];
      const double width = room(look.meaning);
      body_ += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"12\"/>\n", look.style,
                           at, y - 11);
      text(at + 20, y, look.meaning, "class=\"small\"");
      at += width;
    }
    for (const SceneMarkKind kind : used_marks_) {
      const SvgMark& mark = kSvgMarks[static_cast<int>(kind)];
      const double width = room(mark.meaning);
      text(at + 7, y, mark.sign, "class=\"small\" text-anchor=\"middle\"");
      text(at + 20, y, mark.meaning, "class=\"small\"");
      at += width;
    }
    return y;
  }

  const Scene& scene_;
  std::string body_;
  std::set<BarKind> used_;
  std::set<SceneMarkKind> used_marks_;
};

}  // namespace

std::string scene_svg(const Scene& scene) { return Svg(scene).draw(); }

}  // namespace picklock
