#include "faults/trigger.hpp"

#include <fmt/format.h>

#include <array>

#include "base/nearest.hpp"
#include "base/text.hpp"

namespace picklock {
namespace {

constexpr std::string_view kSides[] = {"before", "after"};

std::vector<std::string_view> marks_that_are(bool events) {
  std::vector<std::string_view> names;
  for (const std::string_view name : mark_names()) {
    if (is_event(*find_mark(name)) == events) names.push_back(name);
  }
  return names;
}

std::string listed(const std::vector<std::string_view>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::optional<TriggerPoint> compile_point(std::string_view on, PlanNames& names) {
  const auto words = words_of(on);
  const bool sided = words.size() == 3;
  if (words.size() != 2 && !sided) {
    names.reject("on", on,
                 "\"NODE EVENT\", as in \"a enters\", or \"before NODE VERB\", as in \"before a "
                 "writes\" (or after)");
    return std::nullopt;
  }
  if (sided && words[0] != kSides[0] && words[0] != kSides[1]) {
    const auto near = nearest_name(words[0], kSides);
    names.reject("on", on, "\"before\" or \"after\" a verb",
                 near ? fmt::format("{} {} {}", *near, words[1], words[2]) : "");
    return std::nullopt;
  }
  const std::string_view who = words[sided ? 1 : 0], what = words[sided ? 2 : 1];
  const std::string head = sided ? fmt::format("{} ", words[0]) : "";

  const auto passes = names.find_who(who);
  if (!passes) {
    const auto everyone = names.everyone();
    const auto near = nearest_name(who, everyone);
    names.reject("on", on, fmt::format("a node ({})", fmt::join(everyone, ", ")),
                 near ? fmt::format("{}{} {}", head, *near, what) : "");
    return std::nullopt;
  }
  const auto found = find_mark(what);
  if (!found) {
    const auto candidates = marks_that_are(!sided);
    const auto near = nearest_name(what, candidates);
    names.reject("on", on, fmt::format("{} ({})", sided ? "a verb" : "an event", listed(candidates)),
                 near ? fmt::format("{}{} {}", head, who, *near) : "");
    return std::nullopt;
  }
  if (is_event(*found) == sided) {
    names.reject("on", on,
                 sided ? fmt::format("a verb ({})", listed(marks_that_are(false)))
                       : "\"before\" or \"after\" in front of a verb",
                 sided ? fmt::format("{} {}", who, what) : fmt::format("before {} {}", who, what));
    return std::nullopt;
  }
  TriggerPoint point;
  point.node = passes->node;
  point.task = passes->task;
  point.mark = *found;
  point.side = !sided ? MarkSide::at : words[0] == kSides[0] ? MarkSide::before : MarkSide::after;
  return point;
}

}  // namespace

bool is_event(Mark m) { return m.id < mark::first_command && m != mark::reads && m != mark::writes; }

CompiledTrigger compile_trigger(const Trigger& t, PlanNames& names) {
  CompiledTrigger compiled;
  if (t.on.empty()) {
    if (t.count != 1) names.reject("count", std::to_string(t.count), "`on` beside it");
    if (t.offset.ns != 0) names.reject("offset", to_text(t.offset), "`on` beside it");
    compiled.at = t.at.value_or(Duration{});
    return compiled;
  }
  if (t.at) names.reject("at", to_text(*t.at), "`at` or `on`, not both");
  compiled.point = compile_point(t.on, names);
  if (compiled.point) {
    compiled.point->count = static_cast<std::uint32_t>(t.count);
    compiled.point->offset = t.offset;
  }
  return compiled;
}

}  // namespace picklock
