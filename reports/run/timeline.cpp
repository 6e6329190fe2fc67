#include "reports/run/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "base/width.hpp"
#include "reports/run/fold.hpp"
#include "reports/run/lanes.hpp"
#include "reports/unseen.hpp"
#include "reports/untested.hpp"
#include "reports/words.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr int kLeastLabel = 12, kMostLabel = 30;

// The overview to scale.
class Scale {
 public:
  Scale(std::int64_t begin, std::int64_t end, int columns)
      : begin_(begin), length_(std::max<std::int64_t>(end - begin, 1)), columns_(columns) {}
  std::int64_t time(int column) const {
    return begin_ + static_cast<std::int64_t>(static_cast<double>(length_) * column / columns_);
  }
  // The first column that shows what begins then.
  int column(std::int64_t time) const {
    time = std::max(time, begin_);
    int column = static_cast<int>(static_cast<double>(time - begin_) / static_cast<double>(length_) * columns_);
    while (column > 0 && this->time(column) > time) --column;
    while (column < columns_ && this->time(column + 1) <= time) ++column;
    return column;
  }
  int columns() const { return columns_; }

 private:
  std::int64_t begin_, length_;
  int columns_;
};

// A sign of the picture; later ones hide earlier ones in one column.
struct Sign {
  char glyph;  // behind the text, where there is one
  std::string_view colour, meaning;
};
constexpr Sign kBarSigns[kBarKinds] = {{':', "2", "waits"},
                                       {'=', "32", "believes that it holds"},
                                       {'+', "32", "believes, and waits for a lock"},
                                       {'-', "36", "lease still runs, owner not named any more"},
                                       {' ', "36", "lock: the owner's initial"},
                                       {',', "36", "lease has run out, owner still named"},
                                       {' ', "34", "server: initial of the owner it names"},
                                       {'_', "1;34", ""},
                                       {'~', "35", ""},
                                       {'z', "33", "stopped"},
                                       {'Z', "33", "stopped, believing"},
                                       {'x', "31", "dead"},
                                       {'#', "35", "the fault lasts"},
                                       {'^', "1;31", "both in: conflicting holds"}};
constexpr Sign kMarkSigns[] = {{'r', "", "read"},
                               {'W', "", "write"},
                               {'x', "31", "read refused"},
                               {'!', "31", "write refused"},
                               {'!', "35", "the fault strikes"}};
constexpr char kOtherOwner = '?';  // sign of an owner that is no client
const Sign& sign_of(BarKind kind) { return kBarSigns[static_cast<int>(kind)]; }
const Sign& sign_of(SceneMarkKind kind) { return kMarkSigns[static_cast<int>(kind)]; }

int width_of(std::string_view text) { return static_cast<int>(columns_of(text)); }

class Drawing {
 public:
  Drawing(const Scene& scene, const TimelineOptions& options)
      : scene_(scene), options_(options), label_(label_width(scene)), scale_(scene.begin, scene.end, columns(options)) {
    std::vector<std::string> clients;
    for (const SceneRow& row : scene.rows) {
      if (row.kind == RowKind::client) clients.push_back(row.label);
    }
    signs_ = signs_of(clients);
  }

  std::string draw() {
    std::string out = ruler();
    for (const SceneRow& row : scene_.rows) out += line(row);
    return out + legend();
  }

 private:
  static int label_width(const Scene& scene) {
    int longest = kLeastLabel - 4;
    for (const SceneRow& row : scene.rows) {
      const int width = width_of(row.label);
      if (width <= kMostLabel - 4) longest = std::max(longest, width);
    }
    return longest + 4;
  }
  int columns(const TimelineOptions& options) const { return std::max(std::max(options.width, 60) - label_, 20); }

  std::string label(std::string_view name) const {
    const int width = width_of(name);
    if (width > label_ - 3)  // a line of its own
      return fmt::format("  {}\n{:{}}", name, "", label_);
    return fmt::format("  {}{:{}}", name, "", label_ - 2 - width);
  }

  std::string ruler() const {
    std::string line(static_cast<std::size_t>(scale_.columns()), ' ');
    const std::vector<std::int64_t> ticks = ticks_of(scene_.begin, scene_.end, 5);
    for (const std::int64_t time : ticks) {
      const auto column = static_cast<std::size_t>(scale_.column(time));
      const std::string text = "|" + tick_words(ticks, time);
      if (column + text.size() <= line.size()) line.replace(column, text.size(), text);
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
    std::size_t bare = 0;  // length without blanks at the end
    for (int i = 0; i < scale_.columns(); ++i) {
      const auto [glyph, wanted] = cell(row, i);
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
  // A bar's text stands at its beginning; the name of an owner is its initial all along.
  char glyph_of(const Bar& bar, int column) {
    const Sign& sign = sign_of(bar.kind);
    if (bar.text.empty()) return sign.glyph;
    if (bar.kind == BarKind::owned || bar.kind == BarKind::names) return sign_of_owner(bar.text);
    if (bar.kind == BarKind::overdue) return sign.glyph;
    const int begin = scale_.column(bar.from), end = scale_.column(std::min(bar.until, scene_.end));
    const auto at = static_cast<std::size_t>(std::max(column - begin, 0));
    const bool fits = width_of(bar.text) < end - begin && width_of(bar.text) == static_cast<int>(bar.text.size());
    return fits && at < bar.text.size() ? bar.text[at] : sign.glyph;
  }

  // The sign of several owners is that of the first.
  char sign_of_owner(const std::string& owners) const {
    const auto sign = signs_.find(owners.substr(0, owners.find(", ")));
    return sign == signs_.end() ? kOtherOwner : sign->second;
  }

  Cell cell(const SceneRow& row, int column) {
    const std::int64_t from = scale_.time(column), until = scale_.time(column + 1);
    Cell found{row.kind == RowKind::client ? '.' : ' ', {}};
    const Bar* bar = nullptr;
    for (const Bar& b : row.bars) {
      const bool there = b.from < until && b.until > from;
      if (there && (bar == nullptr || b.kind > bar->kind)) bar = &b;
    }
    if (bar != nullptr) {
      used_bars_.insert(bar->kind);
      found = {glyph_of(*bar, column), sign_of(bar->kind).colour};
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
    for (const auto& [name, sign] : signs_) {
      if (!name.starts_with(sign)) words.push_back(fmt::format("{} {}", sign, name));
    }
    for (const BarKind kind : used_bars_) {
      const Sign& sign = sign_of(kind);
      if (sign.meaning.empty()) continue;  // the sign needs no legend
      words.push_back(sign.glyph == ' ' ? std::string(sign.meaning) : fmt::format("{} {}", sign.glyph, sign.meaning));
    }
    for (const SceneMarkKind kind : used_marks_)
      words.push_back(fmt::format("{} {}", sign_of(kind).glyph, sign_of(kind).meaning));
    std::string out, line;
    for (const std::string& word : words) {
      if (width_of(line) + width_of(word) + 3 > scale_.columns() && !line.empty()) {
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
  std::map<std::string, char> signs_;  // key: client's name
  std::set<BarKind> used_bars_;
  std::set<SceneMarkKind> used_marks_;
};

void add_faults(const std::vector<FaultSpan>& faults, std::vector<StoryLine>& story) {
  const auto insert = [&](std::int64_t time, std::string text) {
    const auto at = std::partition_point(story.begin(), story.end(), [&](const StoryLine& s) { return s.time < time; });
    story.insert(at, {time, 0, std::move(text)});
  };
  for (const FaultSpan& f : faults) {
    if (f.told) continue;
    insert(f.from, fmt::format("fault: {} {}", f.words, f.until > f.from ? "begins" : "strikes"));
    if (f.until > f.from) insert(f.until, fmt::format("fault: {} is over", f.words));
  }
}

// Breaks lines that are longer than the width, and indents what follows by as much as the first line was.
std::string wrapped(const std::string& text, int width) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size()) + 4;
    while (width_of(line) > width) {
      const std::size_t cut = line.rfind(' ', bytes_within(line, static_cast<std::size_t>(width)));
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
// The violations, and an error of the run, which belongs to every verdict.
std::string violated_alone(const std::string& verdicts, const std::string& error) {
  const std::size_t held = std::min(verdicts.find("held: "), verdicts.find("undecided:"));
  if (held == std::string::npos) return verdicts;
  return verdicts.substr(0, held) + (error.empty() ? "" : error + "\n");
}

}  // namespace

std::string draw_scene(const Scene& scene, const TimelineOptions& options) { return Drawing(scene, options).draw(); }

std::vector<StoryLine> story_lines(const History& h, const std::vector<FaultSpan>& faults,
                                   const TimelineOptions& options, const StoryContext& context) {
  std::vector<StoryLine> story = story_of(h, context);
  add_faults(faults, story);
  if (!options.all) fold_renewals(story);
  return story;
}

std::string tell_story(const History& h, const std::vector<FaultSpan>& faults, const TimelineOptions& options,
                       const StoryContext& context) {
  const Lanes lanes = lanes_of(h);
  std::vector<StoryLine> story = story_lines(h, faults, options, context);
  const bool folds = !options.all && story.size() > options.lines && fold_rounds(h, lanes, story);
  std::vector<std::string> clients;
  for (const ClientLane& l : lanes.clients) clients.emplace_back(h.names.view(l.client));
  const std::map<std::string, char> signs = signs_of(clients);
  std::string heads;
  for (const std::string& client : clients) heads += fmt::format("{} ", signs.at(client));
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
  if (folds && lines <= options.lines)
    out += "  … a round in which nothing unusual happened has one line; --all tells each step\n";
  return out;
}

std::string who_still_waits(const RunRecord& record, bool all_tasks) {
  std::string all;
  const auto& clients = record.scenario().clients;
  const auto is_client = [&](std::string_view name) {
    return std::any_of(clients.begin(), clients.end(), [&](const ClientSpec& c) { return c.name == name; });
  };
  for (const Waiting& w : record.around().waiting) {
    // "a", or "machine.a" of a client that shares a machine; "a.renewal" is a thread of its library.
    const std::size_t dot = w.task.find('.');
    const std::string_view node = std::string_view(w.task).substr(0, dot),
                           thread = dot == std::string::npos ? node : std::string_view(w.task).substr(dot + 1);
    if (!is_client(thread) && !(all_tasks && is_client(node))) continue;
    all += fmt::format("still waiting at the end: {}, for {}\n", w.task, w.what);
  }
  return all;
}

std::string timeline(const RunRecord& record, bool raw, const std::string& replay, const std::string& idle,
                     const TimelineOptions& options) {
  const Scenario& scenario = record.scenario();
  const History& h = record.history();
  const RunResult& result = record.result;
  const std::vector<FaultSpan> faults = faults_struck(record);
  const Scene scene = scene_of(record, faults);
  const std::string verdicts = verdicts_in_words(scenario, result, raw);
  std::string out = fmt::format("{}\n{}\n{}\n", scene.title, idle + cut_off_text(scenario, result.faults),
                                draw_scene(scene, options));
  std::string rest = options.brief ? violated_alone(verdicts, result.error) + unseen_warning(scenario, result.unseen)
                                   : tell_story(h, faults, options, context_of(record)) + "\n" + verdicts +
                                         who_still_waits(record, options.all);
  rest += fmt::format("\n{} events, {} of simulated time, digest {:016x}\nagain:  {}\n", result.events,
                      to_readable(result.length), result.digest, replay);
  return out + (options.width != TimelineOptions().width ? wrapped(rest, options.width) : rest);
}

}  // namespace picklock
