#include "reports/campaigns/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "checker/properties/properties.hpp"
#include "statistics/sequential.hpp"
#include "statistics/survival.hpp"

namespace picklock {
namespace {

// One line of the picture, and its rows of data.
struct Curve {
  std::vector<std::string> parts;  // parts of its name: scenario, lock, settings
  std::string rows;
};

std::string name_of(const Curve& curve) { return fmt::format("{}", fmt::join(curve.parts, ", ")); }

// Parts of the names that all curves have in common stand in the title, the others in the legend.
struct Names {
  std::string title;
  std::vector<std::string> legend;  // index: curve; empty: there is but one
};

Names names_of(const std::vector<Curve>& curves) {
  Names names;
  if (curves.empty()) return names;
  std::vector<std::string> common;
  std::vector<std::size_t> differing;
  for (std::size_t part = 0; part < curves[0].parts.size(); ++part) {
    const bool same = std::all_of(curves.begin(), curves.end(),
                                  [&](const Curve& c) { return c.parts[part] == curves[0].parts[part]; });
    if (same) {
      common.push_back(curves[0].parts[part]);
    } else {
      differing.push_back(part);
    }
  }
  names.title = fmt::format("{}", fmt::join(common, ", "));
  for (const Curve& curve : curves) {
    std::vector<std::string> own;
    for (const std::size_t part : differing) own.push_back(curve.parts[part]);
    names.legend.push_back(fmt::format("{}", fmt::join(own, ", ")));
  }
  return names;
}

// Quotes the text for gnuplot: no escapes between single quotes but the quote itself.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string ending(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(dot + 1);
}

std::string terminal(const std::string& picture) {
  if (ending(picture) == "png") return "pngcairo size 1200,800 font 'sans,14'";
  if (ending(picture) == "pdf") return "pdfcairo size 15cm,10cm font 'sans,10'";
  return "svg size 900,600 font 'sans,14' background 'white'";
}

// Durations in ns, other numbers as they are; nothing for other words.
std::optional<double> number_of(const std::string& value, bool is_time) {
  if (is_time) {
    const auto time = parse_duration(value);
    return time ? std::optional(static_cast<double>(time->ns)) : std::nullopt;
  }
  double number = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size()) return std::nullopt;
  return number;
}

struct Axis {
  enum class Kind : std::uint8_t { times, numbers, words } kind = Kind::words;
  std::string label;
  double unit = 1;  // one unit of the axis, in units of the data
};

// The first path that varies; without any, the cells stand side by side.
Axis axis_of(const SweepTable& sweep) {
  if (sweep.cells.empty() || sweep.cells[0].settings.empty()) return {Axis::Kind::words, ""};
  const auto all = [&](bool is_time) {
    return std::all_of(sweep.cells.begin(), sweep.cells.end(),
                       [&](const Cell& c) { return number_of(c.settings[0].second, is_time).has_value(); });
  };
  const std::string path = sweep.cells[0].settings[0].first;
  if (all(false)) return {Axis::Kind::numbers, path};
  if (!all(true)) return {Axis::Kind::words, path};
  const bool long_ones = std::any_of(sweep.cells.begin(), sweep.cells.end(),
                                     [](const Cell& c) { return number_of(c.settings[0].second, true) >= 1e10; });
  return long_ones ? Axis{Axis::Kind::times, path + " (s)", 1e9} : Axis{Axis::Kind::times, path + " (ms)", 1e6};
}

// Scenario, lock and settings, but for the first one if it is the axis.
std::vector<std::string> parts_of(const Cell& cell, bool without_first) {
  std::vector<std::string> parts = {cell.scenario, cell.lock};
  for (std::size_t i = without_first ? 1 : 0; i < cell.settings.size(); ++i) {
    parts.push_back(cell.settings[i].first + "=" + cell.settings[i].second);
  }
  return parts;
}

std::vector<Curve> curves_of_shares(const SweepTable& sweep, Property property, const Axis& axis) {
  std::vector<Curve> curves;
  std::map<std::string, std::size_t> words;  // places on an axis of words
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    const Cell& cell = sweep.cells[i];
    const Tally& tally = sweep.results[i].properties.at(property).tally;
    const std::vector<std::string> parts = parts_of(cell, true);
    auto curve = std::find_if(curves.begin(), curves.end(), [&](const Curve& c) { return c.parts == parts; });
    if (curve == curves.end()) curve = curves.insert(curves.end(), Curve{parts, ""});
    if (tally.decided() == 0) continue;
    const std::string value = cell.settings.empty() ? "-" : cell.settings[0].second;
    const double place = axis.kind == Axis::Kind::words
                             ? static_cast<double>(words.emplace(value, words.size()).first->second)
                             : *number_of(value, axis.kind == Axis::Kind::times) / axis.unit;
    const std::uint64_t hits = tally.count(Verdict::violated);
    const ShareInterval interval =
        sweep.until.any() ? confidence_sequence(hits, tally.decided()) : wilson(hits, tally.decided());
    curve->rows += fmt::format("{:.9g}\t{}\t{:.9g}\t{:.9g}\t{:.9g}\t{}\t{}\n", place, value, tally.share_violated(),
                               interval.low, interval.high, hits, tally.decided());
  }
  std::erase_if(curves, [](const Curve& c) { return c.rows.empty(); });
  return curves;
}

// Each step is two points, so that bands have the form of steps too.
std::vector<Curve> curves_of_survival(const SweepTable& sweep, Property property) {
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    const CellProperty& judged = sweep.results[i].properties.at(property);
    Curve curve{parts_of(sweep.cells[i], false), ""};
    SurvivalStep now{.low = 1};
    const auto add = [&](std::int64_t time) {
      curve.rows += fmt::format("{:.9g}\t{:.9g}\t{:.9g}\t{:.9g}\n", static_cast<double>(time) / 1e6, now.share, now.low,
                                now.high);
    };
    add(0);
    for (const SurvivalStep& step : kaplan_meier(judged.violated_at_ns, judged.censored_at_ns)) {
      add(step.time);
      now = step;
      add(step.time);
    }
    add(std::max(judged.censored_at_ns.most().value_or(0), now.time));
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::vector<Curve> curves_of_sizes(const SweepTable& sweep, Property property) {
  const double unit = info(property).unit == Unit::nanoseconds ? 1e6 : 1;
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    const Histogram& sizes = sweep.results[i].properties.at(property).measures;
    if (sizes.count() == 0) continue;
    Curve curve{parts_of(sweep.cells[i], false), ""};
    std::uint64_t sum = 0;
    for (const auto& [least, count] : sizes.counts()) {
      sum += count;
      curve.rows += fmt::format("{:.9g}\t{:.9g}\n", static_cast<double>(least) / unit,
                                static_cast<double>(sum) / static_cast<double>(sizes.count()));
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

// The `plot` order: for each curve `band` with the number of its block, then `line` with its name. Lines that lie upon each
// other stay visible: neighbours differ in dashes, marks and width.
std::string plot_order(const std::vector<Curve>& curves, const std::string& data, const std::string& band,
                       const std::string& line) {
  const Names names = names_of(curves);
  std::string order;
  for (const bool bands : {true, false}) {
    for (std::size_t i = 0; i < curves.size(); ++i) {
      if (bands && band.empty()) continue;
      constexpr std::size_t kLooks = 8;
      const std::size_t look = i % kLooks + 1;
      order += fmt::format("{}{} index {} {} lc {}", order.empty() ? "plot " : ", \\\n     ", in_quotes(data), i,
                           bands ? band : line, look);
      if (!bands) order += fmt::format(" dt {} lw {}", look, i % 2 == 0 ? "3.5" : "1.5");
      const std::string& name = names.legend[i];
      order += bands || name.empty() ? " notitle" : " title " + in_quotes(name);
    }
  }
  return curves.empty() ? "plot NaN title 'nothing to show'\n" : order + "\n";
}

}  // namespace

bool is_picture(const std::string& name) {
  return ending(name) == "svg" || ending(name) == "png" || ending(name) == "pdf";
}

Plot plot_of(const SweepTable& sweep, PlotOf what, const std::string& picture) {
  const std::string data = picture + ".dat";
  Plot plot;
  plot.script = fmt::format("# Draws {}: gnuplot {}.gp, in this folder.\nset terminal {}\nset output {}\n", picture,
                            picture, terminal(picture), in_quotes(picture));
  plot.script +=
      "set key outside above noenhanced samplen 5\nset grid lc rgb '#c8c8c8' lw 0.5\n"
      "set style fill transparent solid 0.2 noborder\n";
  if (sweep.cells.empty() || sweep.results[0].properties.empty()) {
    plot.script += "plot NaN title 'nothing to show'\n";
    return plot;
  }
  const Property property = sweep.results[0].properties.begin()->first;
  const std::string name(info(property).name);
  std::vector<Curve> curves;
  std::string head, x, y, order;
  switch (what) {
    case PlotOf::shares: {
      const Axis axis = axis_of(sweep);
      const bool words = axis.kind == Axis::Kind::words;
      curves = curves_of_shares(sweep, property, axis);
      head = "place\tvalue\tshare_violated\tlow\thigh\tviolated\tdecided";
      x = axis.label;
      y = "share of runs that violate " + name;
      if (words) plot.script += "set offsets 0.5, 0.5, 0, 0\n";
      order = plot_order(curves, data, words ? "" : "using 1:4:5 with filledcurves",
                         words ? "using 1:3:4:5:xtic(2) with yerrorbars pt 7" : "using 1:3 with linespoints");
      break;
    }
    case PlotOf::survival:
      curves = curves_of_survival(sweep, property);
      head = "time_ms\tshare_without_violation\tlow\thigh";
      x = "simulated time (ms)";
      y = "share of runs without a violation of " + name;
      order = plot_order(curves, data, "using 1:3:4 with filledcurves", "using 1:2 with lines");
      break;
    case PlotOf::sizes:
      curves = curves_of_sizes(sweep, property);
      head = "size\tshare_at_most";
      x = std::string(info(property).measure) + (info(property).unit == Unit::nanoseconds ? " (ms)" : "");
      y = "share of violations that are at most so large";
      order = plot_order(curves, data, "", "using 1:2 with steps");
      break;
  }
  plot.script += "set yrange [-0.03:1.03]\nset ytics 0, 0.2, 1\n";  // lines at 0 and 1 are seen whole
  const std::string title = names_of(curves).title;
  if (!title.empty()) plot.script += fmt::format("set title {} noenhanced\n", in_quotes(title));
  plot.script +=
      fmt::format("set xlabel {} noenhanced\nset ylabel {} noenhanced\n{}", in_quotes(x), in_quotes(y), order);
  for (const Curve& curve : curves) plot.data += fmt::format("# {}\n# {}\n{}\n\n", name_of(curve), head, curve.rows);
  return plot;
}

}  // namespace picklock
