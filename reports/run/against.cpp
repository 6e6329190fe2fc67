#include "reports/run/against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/width.hpp"

namespace picklock {
namespace {

// "a is told that it holds lock (token 7)" without " (token 7)", and "…, token 7" without ", token 7".
std::string without_token(std::string text) {
  for (const std::string_view before : {" (token ", ", token "}) {
    const std::size_t at = text.find(before);
    if (at == std::string::npos) continue;
    std::size_t end = at + before.size();
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    text.erase(at, end - at + (before[1] == '(' && end < text.size()));
  }
  return text;
}

// "granted to a, until 100.1 ms" without its numbers with a fraction, which are instants and lengths.
std::string without_instants(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    const auto is_digit = [&](std::size_t at) {
      return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
    };
    while (is_digit(end)) ++end;
    if (end > i && end < text.size() && text[end] == '.' && is_digit(end + 1)) {
      ++end;
      while (is_digit(end)) ++end;
      out += '#';
      i = end;
    } else {
      end = std::max(end, i + 1);
      out += text.substr(i, end - i);
      i = end;
    }
  }
  return out;
}

std::vector<std::string> shapes_of(const std::vector<StoryLine>& story) {
  std::vector<std::string> shapes;
  for (const StoryLine& l : story) shapes.push_back(without_token(without_instants(l.text)));
  return shapes;
}

std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    // A character that is wider than the column stands alone.
    std::size_t end = at + bytes_within(std::string_view(text).substr(at), width);
    if (end == at) end += characters_of(std::string_view(text).substr(at)).front().bytes.size();
    if (end < text.size()) {
      const std::size_t blank = text.rfind(' ', end);
      if (blank != std::string::npos && blank > at) end = blank;
    }
    lines.push_back(text.substr(at, end - at));
    at = end + (end < text.size() && text[end] == ' ');
  }
  return lines;
}

// One step in two columns, each as many lines as it takes.
std::string row_of(const StoryLine* left, const StoryLine* right, std::size_t width, char sign) {
  constexpr std::size_t kTime = 12;
  const auto cell = [&](const StoryLine* line) {
    if (line == nullptr) return std::vector<std::string>{};
    std::vector<std::string> lines = lines_of(line->text, width - kTime);
    for (std::size_t i = 0; i < lines.size(); ++i)
      lines[i] =
          (i == 0 ? fmt::format("{:>10.3f}  ", static_cast<double>(line->time) / 1e6) : std::string(kTime, ' ')) +
          lines[i];
    return lines;
  };
  const std::vector<std::string> a = cell(left), b = cell(right);
  std::string out;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    std::string line = fmt::format("{} {} | {}", i == 0 ? sign : ' ', padded(i < a.size() ? a[i] : "", width),
                                   i < b.size() ? b[i] : "");
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  return out;
}

}  // namespace

RunTold told(const RunRecord& record, std::string name, std::string replay, const TimelineOptions& options) {
  const std::vector<FaultSpan> faults = faults_struck(record);
  RunTold run{std::move(name),
              std::move(replay),
              scene_of(record, faults),
              story_lines(record.history(), faults, options, context_of(record)),
              {}};
  constexpr std::string_view kVerdicts[] = {"held", "violated", "undecided", "does not apply"};
  for (const Finding& f : record.result.findings)
    run.verdicts.push_back(fmt::format("{}: {}", info(f.property).name, kVerdicts[static_cast<int>(f.verdict)]));
  return run;
}

std::vector<AlignedStep> align(const std::vector<StoryLine>& left, const std::vector<StoryLine>& right) {
  const std::vector<std::string> a = shapes_of(left), b = shapes_of(right);
  std::vector<AlignedStep> steps;
  const auto both = [&](std::size_t i, std::size_t j) {
    steps.push_back({i, j, without_instants(left[i].text) != without_instants(right[j].text)});
  };
  std::size_t same = 0;  // number of equal lines at the beginning
  while (same < a.size() && same < b.size() && a[same] == b[same]) {
    both(same, same);
    ++same;
  }
  const std::size_t n = a.size() - same, m = b.size() - same;
  constexpr std::size_t kMostCells = 16'000'000;
  if (n * m > kMostCells) {  // too long to align further: one after the other
    for (std::size_t i = same; i < a.size(); ++i) steps.push_back({i, std::nullopt, false});
    for (std::size_t j = same; j < b.size(); ++j) steps.push_back({std::nullopt, j, false});
    return steps;
  }
  // common[i][j]: the longest common subsequence from i and j on.
  std::vector<std::uint32_t> common((n + 1) * (m + 1));
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return common[i * (m + 1) + j]; };
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m; j-- > 0;) {
      at(i, j) = a[same + i] == b[same + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (std::size_t i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && a[same + i] == b[same + j]) {
      both(same + i++, same + j++);
    } else if (j == m || (i < n && at(i + 1, j) >= at(i, j + 1))) {
      steps.push_back({same + i++, std::nullopt, false});
    } else {
      steps.push_back({std::nullopt, same + j++, false});
    }
  }
  return steps;
}

std::optional<std::size_t> first_difference(const std::vector<AlignedStep>& steps) {
  const auto found = std::find_if(steps.begin(), steps.end(), [](const AlignedStep& s) { return !s.same(); });
  if (found == steps.end()) return std::nullopt;
  return static_cast<std::size_t>(found - steps.begin());
}

std::string against_text(RunTold left, RunTold right, const TimelineOptions& options) {
  const std::vector<AlignedStep> steps = align(left.story, right.story);
  const std::optional<std::size_t> first = first_difference(steps);
  left.scene.begin = right.scene.begin = std::min(left.scene.begin, right.scene.begin);
  left.scene.end = right.scene.end = std::max(left.scene.end, right.scene.end);
  std::string out = fmt::format("left:  {}\n\n{}\nright: {}\n\n{}\n", left.scene.title, draw_scene(left.scene, options),
                                right.scene.title, draw_scene(right.scene, options));
  const auto width = static_cast<std::size_t>(std::max(options.width, 60) - 5) / 2;
  if (!options.brief) {
    out += fmt::format("  {} | {}\n", padded("left: " + left.name, width), "right: " + right.name);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const AlignedStep& s = steps[i];
      if (i == first) out += fmt::format("{:->{}}\n", " first difference", 2 * width + 5);
      out += row_of(s.left ? &left.story[*s.left] : nullptr, s.right ? &right.story[*s.right] : nullptr, width,
                    s.tokens   ? '~'
                    : s.same() ? ' '
                    : s.left   ? '<'
                               : '>');
    }
    const bool tokens = std::any_of(steps.begin(), steps.end(), [](const AlignedStep& s) { return s.tokens; });
    out += tokens ? "  (~ the same step with another token, or with none)\n\n" : "\n";
  }
  if (first) {
    const AlignedStep& s = steps[*first];
    const StoryLine& line = s.left ? left.story[*s.left] : right.story[*s.right];
    out += fmt::format("first difference: only {} tells, at {:.3f} ms: {}\n", s.left ? "the left run" : "the right run",
                       static_cast<double>(line.time) / 1e6, line.text);
  } else {
    out += "no difference: both runs tell the same steps\n";
  }
  std::string verdicts;
  for (std::size_t i = 0; i < left.verdicts.size() && i < right.verdicts.size(); ++i) {
    if (left.verdicts[i] == right.verdicts[i]) continue;
    verdicts += fmt::format("  {}, on the right{}\n", left.verdicts[i],
                            right.verdicts[i].substr(right.verdicts[i].find(':') + 1));
  }
  out += verdicts.empty() ? "the verdicts are the same\n" : "verdicts that differ:\n" + verdicts;
  return out + fmt::format("again:  {}\nagain:  {}\n", left.replay, right.replay);
}

std::string against_json(const RunTold& left, const RunTold& right) {
  using nlohmann::ordered_json;
  const std::vector<AlignedStep> steps = align(left.story, right.story);
  const auto side = [](const RunTold& run) {
    ordered_json out = {{"run", run.name}, {"replay", run.replay}, {"verdicts", run.verdicts}};
    out["steps"] = ordered_json::array();
    for (const StoryLine& l : run.story) out["steps"].push_back({{"time_ns", l.time}, {"text", l.text}});
    return out;
  };
  const auto place = [](const std::optional<std::size_t>& at) { return at ? ordered_json(*at) : ordered_json(); };
  ordered_json out = {{"picklock", "against"}, {"schema", 1}, {"left", side(left)}, {"right", side(right)}};
  out["aligned"] = ordered_json::array();  // positions in the steps of both
  for (const AlignedStep& s : steps) out["aligned"].push_back({place(s.left), place(s.right)});
  out["first_difference"] = place(first_difference(steps));  // a position in `aligned`
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace picklock
