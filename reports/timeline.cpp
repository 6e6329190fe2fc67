#include "reports/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "reports/lanes.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr int kLabel = 12;

// The overview to scale.
class Scale {
 public:
  Scale(std::int64_t end, int columns) : end_(std::max<std::int64_t>(end, 1)), columns_(columns) {}
  int column(std::int64_t time) const {
    const double share = static_cast<double>(time) / static_cast<double>(end_);
    return std::clamp(static_cast<int>(share * columns_), 0, columns_ - 1);
  }
  std::int64_t time(int column) const {
    return static_cast<std::int64_t>(static_cast<double>(end_) * column / columns_);
  }
  int columns() const { return columns_; }

 private:
  std::int64_t end_;
  int columns_;
};

std::string label(std::string_view name) { return fmt::format("  {:<{}}", name.substr(0, kLabel - 3), kLabel - 2); }

std::string ruler(const Scale& scale) {
  std::string line(static_cast<std::size_t>(scale.columns()), ' ');
  constexpr int kMarks = 4;
  for (int i = 0; i < kMarks; ++i) {
    const int column = scale.columns() * i / kMarks;
    const std::string text = "|" + to_readable(Duration{scale.time(column) / 100'000 * 100'000});
    if (static_cast<std::size_t>(column) + text.size() <= line.size())
      line.replace(static_cast<std::size_t>(column), text.size(), text);
  }
  return label("") + line + "\n";
}

template <class Glyph>
std::string lane(const Scale& scale, std::string_view name, Glyph glyph_in) {
  std::string line = label(name);
  for (int i = 0; i < scale.columns(); ++i) line += glyph_in(scale.time(i), scale.time(i + 1));
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

// The gravest state that a client was in during an interval.
char gravest(const ClientLane& lane, std::int64_t from, std::int64_t until) {
  ClientState worst = ClientState::idle;
  for (const Stretch& s : lane.stretches) {
    if (s.from < until && s.until > from) worst = std::max(worst, s.state);
  }
  return glyph(worst);
}

char effect_glyph(EffectKind kind) { return "rWx!"[static_cast<int>(kind)]; }

}  // namespace

std::string draw_overview(const History& h, const TimelineOptions& options) {
  const Lanes lanes = lanes_of(h);
  const std::int64_t end = std::max(lanes.load_end, std::int64_t{1});
  const Scale scale(end, std::max(options.width, 60) - kLabel);
  std::string out = ruler(scale);
  for (const ClientLane& l : lanes.clients) {
    if (std::all_of(l.stretches.begin(), l.stretches.end(),
                    [&](const Stretch& s) { return s.from >= end || s.state == ClientState::idle; })) {
      continue;  // the probe, which comes later
    }
    out += lane(scale, h.names.view(l.client), [&](auto from, auto until) { return gravest(l, from, until); });
  }
  if (!h.holds.empty() && h.holds.size() > 1) {
    out += lane(scale, h.names.view(h.holds[1].lock), [&](auto from, auto until) {
      for (const OwnerStretch& o : lanes.owners) {
        if (o.from < until && o.until > from) return h.names.view(h.holds[o.hold].client).front();
      }
      return ' ';
    });
  }
  std::vector<NameId> resources;
  for (const EffectEvent& e : h.effects) {
    if (std::find(resources.begin(), resources.end(), e.resource) == resources.end()) resources.push_back(e.resource);
  }
  for (const NameId resource : resources) {
    out += lane(scale, h.names.view(resource), [&](auto from, auto until) {
      char c = ' ';
      for (const EffectEvent& e : h.effects) {
        if (e.resource == resource && e.time >= from && e.time < until && c != 'W') c = effect_glyph(e.kind);
      }
      return c;
    });
  }
  if (!lanes.overlaps.empty()) {
    out += lane(scale, "both in", [&](auto from, auto until) {
      for (const Overlap& o : lanes.overlaps) {
        if (o.from < until && o.until > from) return '^';
      }
      return ' ';
    });
  }
  out += label("") + ": waits   = believes that it holds   z stopped   Z stopped, believing   x dead\n";
  out += label("") + "lock: the owner's initial   r read   W write   ! write refused   x read refused\n";
  return out;
}

std::string tell_story(const History& h, const TimelineOptions& options, const Healing& healing) {
  const Lanes lanes = lanes_of(h);
  const std::vector<StoryLine> story = story_of(h, healing);
  std::string heads;
  for (const ClientLane& l : lanes.clients) heads += fmt::format("{} ", h.names.view(l.client).front());
  std::string out = fmt::format("  {:>12}  {} what happened\n", "time (ms)", heads);
  std::size_t lines = 0;
  for (const StoryLine& s : story) {
    if (++lines > options.lines) {
      out += fmt::format("  … and {} lines more; --out DIR writes the whole history\n", story.size() - options.lines);
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

std::string timeline(const Scenario& scenario, const RunResult& result, bool raw, const std::string& replay,
                     const std::string& waiting, const std::string& idle, const TimelineOptions& options) {
  const History& h = *result.history;
  std::string out = fmt::format("{}, seed {}: {} on {}\n{}\n", scenario.name, result.seed, scenario.lock.name,
                                scenario.lock.key, idle);
  out += draw_overview(h, options) + "\n" + tell_story(h, options, healing_of(result)) + "\n";
  out += verdicts_in_words(scenario, result, raw) + waiting;
  out += fmt::format("\n{} events, {} of simulated time, digest {:016x}\nagain:  {}\n", result.events,
                     to_readable(result.length), result.digest, replay);
  return out;
}

}  // namespace picklock
