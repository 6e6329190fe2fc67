#include "reports/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "reports/lanes.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr int kLeastLabel = 12, kMostLabel = 30;

// The overview to scale.
class Scale {
 public:
  Scale(std::int64_t end, int columns) : end_(std::max<std::int64_t>(end, 1)), columns_(columns) {}
  std::int64_t time(int column) const {
    return static_cast<std::int64_t>(static_cast<double>(end_) * column / columns_);
  }
  int columns() const { return columns_; }

 private:
  std::int64_t end_;
  int columns_;
};

// A sign of the picture; later ones hide earlier ones in one column.
struct Sign {
  char glyph;
  std::string_view colour, meaning;
};
constexpr Sign kBarSigns[] = {{':', "2", "waits"},
                              {'=', "32", "believes that it holds"},
                              {'z', "33", "stopped"},
                              {'Z', "33", "stopped, believing"},
                              {'x', "31", "dead"},
                              {' ', "36", ""},
                              {'#', "35", "the fault lasts"},
                              {'^', "1;31", "both in: conflicting holds"}};
constexpr Sign kMarkSigns[] = {{'r', "", "read"},
                               {'W', "", "write"},
                               {'x', "31", "read refused"},
                               {'!', "31", "write refused"},
                               {'!', "35", "the fault strikes"}};
const Sign& sign_of(BarKind kind) { return kBarSigns[static_cast<int>(kind)]; }
const Sign& sign_of(SceneMarkKind kind) { return kMarkSigns[static_cast<int>(kind)]; }

// Columns that a name takes on a terminal, one for each code point.
int columns_of(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

class Drawing {
 public:
  Drawing(const Scene& scene, const TimelineOptions& options)
      : scene_(scene), options_(options), label_(label_width(scene)), scale_(scene.end, columns(options)) {}

  std::string draw() {
    std::string out = ruler();
    for (const SceneRow& row : scene_.rows) out += line(row);
    return out + legend();
  }

 private:
  static int label_width(const Scene& scene) {
    int longest = kLeastLabel - 4;
    for (const SceneRow& row : scene.rows) {
      const int width = columns_of(row.label);
      if (width <= kMostLabel - 4) longest = std::max(longest, width);
    }
    return longest + 4;
  }
  int columns(const TimelineOptions& options) const { return std::max(std::max(options.width, 60) - label_, 20); }

  std::string label(std::string_view name) const {
    const int width = columns_of(name);
    if (width > label_ - 3)  // a line of its own
      return fmt::format("  {}\n{:{}}", name, "", label_);
    return fmt::format("  {}{:{}}", name, "", label_ - 2 - width);
  }

  std::string ruler() const {
    std::string line(static_cast<std::size_t>(scale_.columns()), ' ');
    constexpr int kTicks = 4;
    for (int i = 0; i < kTicks; ++i) {
      const int column = scale_.columns() * i / kTicks;
      const std::string text = "|" + to_readable(Duration{scale_.time(column) / 100'000 * 100'000});
      if (static_cast<std::size_t>(column) + text.size() <= line.size())
        line.replace(static_cast<std::size_t>(column), text.size(), text);
    }
    while (line.ends_with(' ')) line.pop_back();
    return label("") + line + "\n";
  }

  std::string line(const SceneRow& row) {
    std::string text = label(row.label);
    std::string_view colour;
    std::string cells;
    const auto paint = [&](std::string_view wanted) {
      if (!options_.colours || wanted == colour) return;
      if (!colour.empty()) cells += "\033[0m";
      if (!wanted.empty()) cells += fmt::format("\033[{}m", wanted);
      colour = wanted;
    };
    std::size_t bare = 0;  // without what is blank at the end
    for (int i = 0; i < scale_.columns(); ++i) {
      const auto [glyph, wanted] = cell(row, scale_.time(i), scale_.time(i + 1));
      paint(glyph == ' ' ? std::string_view() : wanted);
      cells += glyph;
      if (glyph != ' ') bare = cells.size();
    }
    cells.resize(bare);
    if (options_.colours) cells += "\033[0m";
    return text + cells + "\n";
  }

  struct Cell {
    char glyph = ' ';
    std::string_view colour{};
  };
  Cell cell(const SceneRow& row, std::int64_t from, std::int64_t until) {
    Cell found{row.kind == RowKind::client ? '.' : ' ', {}};
    const Bar* bar = nullptr;
    for (const Bar& b : row.bars) {
      const bool there = b.from < until && b.until > from;
      if (there && (bar == nullptr || b.kind > bar->kind)) bar = &b;
    }
    if (bar != nullptr) {
      used_bars_.insert(bar->kind);
      found = {bar->kind == BarKind::owned ? bar->text.front() : sign_of(bar->kind).glyph, sign_of(bar->kind).colour};
    }
    const SceneMark* mark = nullptr;
    for (const SceneMark& m : row.marks) {
      if (m.time >= from && m.time < until && (mark == nullptr || m.kind > mark->kind)) mark = &m;
    }
    if (mark != nullptr) {
      used_marks_.insert(mark->kind);
      found = {sign_of(mark->kind).glyph, sign_of(mark->kind).colour};
    }
    return found;
  }

  std::string legend() const {
    std::vector<std::string> words;
    for (const BarKind kind : used_bars_) {
      words.push_back(kind == BarKind::owned ? "lock: the owner's initial"
                                             : fmt::format("{} {}", sign_of(kind).glyph, sign_of(kind).meaning));
    }
    for (const SceneMarkKind kind : used_marks_)
      words.push_back(fmt::format("{} {}", sign_of(kind).glyph, sign_of(kind).meaning));
    std::string out, line;
    for (const std::string& word : words) {
      if (columns_of(line) + columns_of(word) + 3 > scale_.columns() && !line.empty()) {
        out += fmt::format("{:{}}{}\n", "", label_, line);
        line.clear();
      }
      line += (line.empty() ? "" : "   ") + word;
    }
    if (!line.empty()) out += fmt::format("{:{}}{}\n", "", label_, line);
    return out;
  }

  const Scene& scene_;
  const TimelineOptions& options_;
  const int label_;
  const Scale scale_;
  std::set<BarKind> used_bars_;
  std::set<SceneMarkKind> used_marks_;
};

void add_faults(const std::vector<FaultSpan>& faults, std::vector<StoryLine>& story) {
  const auto insert = [&](std::int64_t time, std::string text) {
    const auto at = std::partition_point(story.begin(), story.end(), [&](const StoryLine& s) { return s.time < time; });
    story.insert(at, {time, 0, std::move(text), kNoHold});
  };
  for (const FaultSpan& f : faults) {
    if (f.told) continue;
    insert(f.from, fmt::format("fault: {} {}", f.words, f.until > f.from ? "begins" : "strikes"));
    if (f.until > f.from) insert(f.until, fmt::format("fault: {} is over", f.words));
  }
}

// Of the renewals of one hold the first and the last stay.
void fold_renewals(std::vector<StoryLine>& story) {
  std::map<HoldId, std::vector<std::size_t>> renewals;
  for (std::size_t i = 0; i < story.size(); ++i) {
    if (story[i].renewal_of != kNoHold) renewals[story[i].renewal_of].push_back(i);
  }
  std::set<std::size_t> gone;
  for (const auto& [hold, places] : renewals) {
    if (places.size() < 4) continue;
    gone.insert(places.begin() + 1, places.end() - 1);
    story[places.back()].text += fmt::format(" (renewal {} of this hold; --all shows each)", places.size());
  }
  std::size_t at = 0;
  std::erase_if(story, [&](const StoryLine&) { return gone.contains(at++); });
}

// Breaks lines that are longer than the width, and indents what follows by as much as the first line was.
std::string wrapped(const std::string& text, int width) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size()) + 4;
    while (columns_of(line) > width) {
      const std::size_t cut = line.rfind(' ', static_cast<std::size_t>(width));
      if (cut == std::string::npos || cut <= indent) break;
      out += line.substr(0, cut) + "\n";
      line = std::string(indent, ' ') + line.substr(cut + 1);
    }
    out += line + "\n";
    begin = end + 1;
  }
  return out;
}

// The first lines, up to what is held.
std::string violated_alone(const std::string& verdicts) {
  const std::size_t held = std::min(verdicts.find("held: "), verdicts.find("undecided:"));
  return verdicts.substr(0, std::min(held, verdicts.size()));
}

}  // namespace

std::string draw_scene(const Scene& scene, const TimelineOptions& options) { return Drawing(scene, options).draw(); }

std::vector<StoryLine> story_lines(const History& h, const std::vector<FaultSpan>& faults,
                                   const TimelineOptions& options, const Healing& healing) {
  std::vector<StoryLine> story = story_of(h, healing);
  add_faults(faults, story);
  if (!options.all) fold_renewals(story);
  return story;
}

std::string tell_story(const History& h, const std::vector<FaultSpan>& faults, const TimelineOptions& options,
                       const Healing& healing) {
  const Lanes lanes = lanes_of(h);
  const std::vector<StoryLine> story = story_lines(h, faults, options, healing);
  std::string heads;
  for (const ClientLane& l : lanes.clients) heads += fmt::format("{} ", h.names.view(l.client).front());
  std::string out = fmt::format("  {:>12}  {} what happened\n", "time (ms)", heads);
  std::size_t lines = 0;
  for (const StoryLine& s : story) {
    if (++lines > options.lines && !options.all) {
      out += fmt::format("  … and {} lines more; --all shows them\n", story.size() - options.lines);
      break;
    }
    std::string states;
    for (const ClientLane& l : lanes.clients) states += fmt::format("{} ", glyph(state_at(l, s.time)));
    const double ms = static_cast<double>(s.time) / 1e6;
    out += fmt::format("  {:>12.3f}  {} {}\n", ms, states, s.text);
  }
  return out;
}

std::string who_still_waits(Runner& runner) {
  std::string all;
  for (const Waiting& w : runner.world().waiting()) {
    const std::string node = w.task.substr(0, w.task.find('.'));
    const auto& clients = runner.scenario().clients;
    if (std::none_of(clients.begin(), clients.end(), [&](const ClientSpec& c) { return c.name == node; })) continue;
    all += fmt::format("still waiting at the end: {}, for {}\n", w.task, w.what);
  }
  return all;
}

std::string timeline(Runner& runner, const RunResult& result, bool raw, const std::string& replay,
                     const std::string& idle, const TimelineOptions& options) {
  const Scenario& scenario = runner.scenario();
  const History& h = *result.history;
  const std::vector<FaultSpan> faults = faults_struck(runner);
  const Scene scene = scene_of(scenario, result, faults);
  const std::string verdicts = verdicts_in_words(scenario, result, raw);
  std::string out = fmt::format("{}\n{}\n{}\n", scene.title, idle, draw_scene(scene, options));
  std::string rest =
      options.brief ? violated_alone(verdicts)
                    : tell_story(h, faults, options, healing_of(result)) + "\n" + verdicts + who_still_waits(runner);
  rest += fmt::format("\n{} events, {} of simulated time, digest {:016x}\nagain:  {}\n", result.events,
                      to_readable(result.length), result.digest, replay);
  return out + (options.width != TimelineOptions().width ? wrapped(rest, options.width) : rest);
}

}  // namespace picklock
