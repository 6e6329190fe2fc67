#include "reports/check_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace picklock {
namespace {

std::string time_of(const OperationEvent& e) {
  return e.time == kNoTime ? "" : fmt::format(" at {:.3f} ms", static_cast<double>(e.time) / 1e6);
}

std::string end_words(const WitnessHold& h) {
  if (!h.release) return "never released";
  constexpr std::string_view kEnds[] = {"", "ok", "failed", "with unknown outcome"};
  const std::string asked = fmt::format("release asked at index {}{}", h.release->index, time_of(*h.release));
  if (!h.release_ended) return asked + ", no answer";
  return fmt::format("{}, {} at index {}", asked, kEnds[static_cast<int>(h.release_ended->type)], h.release_ended->index);
}

// A release that failed ends nothing.
bool released(const WitnessHold& h) {
  return h.release && !(h.release_ended && h.release_ended->type == OperationType::fail);
}

// The holds of the witness as bars over the order of their events.
std::string drawing(const std::vector<WitnessHold>& holds) {
  std::vector<std::uint32_t> points;
  for (const WitnessHold& h : holds) {
    points.insert(points.end(), {h.acquire.index, h.acquired.index});
    if (h.release) points.push_back(h.release->index);
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  constexpr std::size_t kStep = 9;
  const auto column = [&](std::uint32_t index) {
    return kStep * static_cast<std::size_t>(std::lower_bound(points.begin(), points.end(), index) - points.begin());
  };
  std::string out = "  " + fmt::format("{:<12}", "index");
  for (const std::uint32_t p : points) out += fmt::format("{:<{}}", p, kStep);
  out += "\n";
  const std::size_t width = kStep * points.size() + 2;
  for (const WitnessHold& h : holds) {
    std::string bar(width, ' ');
    const std::size_t asked = column(h.acquire.index), held = column(h.acquired.index);
    const std::size_t end = released(h) ? column(h.release->index) : width - 1;
    for (std::size_t i = asked; i < held; ++i) bar[i] = '-';
    for (std::size_t i = held; i < end; ++i) bar[i] = '=';
    bar[asked] = '|';
    bar[held] = '[';
    bar[end] = released(h) ? ']' : '>';
    while (bar.back() == ' ') bar.pop_back();
    out += fmt::format("  {:<12}{}\n", fmt::format("process {}", h.acquire.process), bar);
  }
  return out + "  --- asks   [===] surely holds\n";
}

}  // namespace

std::string check_text(const std::string& file, const CheckResult& r) {
  constexpr std::string_view kVerdicts[] = {"valid", "INVALID", "undecided"};
  std::string out = fmt::format("{}: {} as {} ({} operations)\n", file, kVerdicts[static_cast<int>(r.judgement)], r.model, r.operations);
  if (!r.explanation.empty()) out += "  " + r.explanation + "\n";
  if (r.holds.empty()) return out;
  out += "\n";
  for (const WitnessHold& h : r.holds) {
    out += fmt::format("  process {} asked at index {}, got it at index {}{}; {}\n", h.acquire.process, h.acquire.index,
                       h.acquired.index, time_of(h.acquired), end_words(h));
  }
  return out + "\n" + drawing(r.holds);
}

}  // namespace picklock
