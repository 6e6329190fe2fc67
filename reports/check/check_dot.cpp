#include "reports/check/check_dot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/graph/dot.hpp"
#include "checker/models/words.hpp"
#include "reports/check/drawing.hpp"
#include "reports/check/explanation.hpp"

namespace picklock {
namespace {

std::string linearization(const CheckResult& r) {
  const PartialLinearization& p = *r.partial;
  constexpr std::size_t kMost = 30;
  const std::size_t first = p.placed.size() - std::min(kMost, p.placed.size());
  std::vector<DotVertex> vertices;
  std::vector<DotEdge> edges;
  for (std::size_t i = first; i < p.placed.size(); ++i) {
    const PlacedOperation& o = p.placed[i];
    if (!vertices.empty()) edges.push_back({vertices.size() - 1, vertices.size(), "then", false});
    vertices.push_back(
        {fmt::format("{}. {}\n{}\nstate {}", p.omitted + i + 1, o.operation, who(r.naming, o.invoke), o.state), "",
         false});
  }
  const std::size_t last = vertices.size();
  for (const FailedCandidate& c : p.candidates) {
    if (vertices.size() >= last + kMost) break;
    const bool stuck = c.invoke.index == p.stuck.invoke.index;
    if (last > 0) edges.push_back({last - 1, vertices.size(), c.why, stuck});
    vertices.push_back({fmt::format("{}\n{}", c.operation, who(r.naming, c.invoke)), "", stuck});
  }
  return to_dot("linearization", vertices, edges);
}

// Sentences as lines of a label.
std::string in_lines(const std::vector<std::string>& sentences) {
  constexpr std::size_t kWidth = 60;
  std::string out;
  std::size_t width = 0;
  for (const std::string& sentence : sentences) {
    for (std::size_t at = 0; at < sentence.size();) {
      const std::size_t end = std::min(sentence.find(' ', at), sentence.size());
      if (!out.empty()) out += width + end - at > kWidth || at == 0 ? '\n' : ' ';
      if (out.empty() || out.back() == '\n') width = 0;
      out += sentence.substr(at, end - at);
      width += end - at + 1;
      at = end + 1;
    }
  }
  return out;
}

// A witness without a contradiction between two holds: its operations, which of them returned
// before which was invoked, and in words why they have no order.
std::string witness(const CheckResult& r) {
  const std::vector<DrawnOperation> operations = drawn_operations(r);
  std::vector<DotVertex> vertices;
  std::vector<DotEdge> edges;
  const auto returned = [](const DrawnOperation& o) { return o.end && o.end->type != OperationType::info; };
  for (const DrawnOperation& o : operations) {
    std::string label = o.name + "\ninvoked at " + when(r.naming, o.invoke);
    constexpr std::string_view kEnds[] = {"", "answered at ", "failed at ", "unknown outcome at "};
    if (o.end) label += fmt::format("\n{}{}", kEnds[static_cast<int>(o.end->type)], when(r.naming, *o.end));
    if (!o.note.empty()) label += "\n" + o.note;
    vertices.push_back({label, process_name(r.naming, o.invoke.process), false});
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (std::size_t j = 0; j < operations.size(); ++j) {
      const auto before = [&](std::size_t a, std::size_t b) {
        return returned(operations[a]) && operations[a].end->index < operations[b].invoke.index;
      };
      if (!before(i, j)) continue;
      bool between = false;  // an edge that follows from two others is left out
      for (std::size_t k = 0; k < operations.size() && !between; ++k) between = before(i, k) && before(k, j);
      if (!between) edges.push_back({i, j, "real time", false});
    }
  }
  if (r.minimal) vertices.push_back({in_lines(r.minimal->reasons), "", true});
  return to_dot("witness", vertices, edges);
}

}  // namespace

std::string check_dot(const CheckResult& r) {
  if (r.minimal && !r.minimal->operations.empty()) return witness(r);
  if (r.partial) return linearization(r);
  const Contradiction c = contradiction_of(r);
  if (!c.steps.empty()) return to_dot(c.graph, c.steps, r.naming);
  return witness(r);
}

}  // namespace picklock
