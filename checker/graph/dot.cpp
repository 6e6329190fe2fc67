#include "checker/graph/dot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checker/models/words.hpp"

namespace picklock {
namespace {

// A quoted string: a backslash and a quote are escaped, a line break is \n, other controls go.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      out += c;
    }
  }
  return out + '"';
}

std::string vertex(std::size_t id, const DotVertex& v) {
  return fmt::format("v{} [label={}{}];\n", id, quoted(v.label), v.marked ? ", color=\"#b00020\", penwidth=2" : "");
}

}  // namespace

std::string to_dot(std::string_view name, const std::vector<DotVertex>& vertices, const std::vector<DotEdge>& edges) {
  std::string out = fmt::format(
      "digraph {} {{\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9];\n",
      quoted(name));
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < vertices.size(); ++i) groups[vertices[i].group].push_back(i);
  std::size_t cluster = 0;
  for (const auto& [group, members] : groups) {
    if (!group.empty()) {
      out += fmt::format("  subgraph cluster_{} {{\n    label={};\n    color=gray;\n", cluster++, quoted(group));
    }
    for (const std::size_t i : members) {
      out += (group.empty() ? "  " : "    ") + vertex(i, vertices[i]);
    }
    if (!group.empty()) out += "  }\n";
  }
  for (const DotEdge& e : edges) {
    out += fmt::format("  v{} -> v{} [label={}{}];\n", e.from, e.to, quoted(e.label),
                       e.marked ? ", color=\"#b00020\", fontcolor=\"#b00020\", penwidth=2" : "");
  }
  return out + "}\n";
}

std::string to_dot(const PrecedenceGraph& graph, const std::vector<PrecedenceStep>& contradiction,
                   const Naming& naming) {
  const auto on_cycle = [&](EventId id) {
    return std::any_of(contradiction.begin(), contradiction.end(),
                       [&](const PrecedenceStep& s) { return s.from == id; });
  };
  std::vector<DotVertex> vertices;
  for (EventId id = 0; id < graph.operations.size(); ++id) {
    const OrderedOperation& o = graph.operations[id];
    DotVertex v;
    v.group = process_name(naming, o.invoke.process);
    v.marked = on_cycle(id);
    if (o.never) {
      v.label = "never released";
    } else {
      v.label = o.acquires ? "acquire" : "release";
      if (o.acquires && o.end.token != kNoToken) v.label += fmt::format(", token {}", o.end.token);
      v.label += "\ninvoked at " + when(naming, o.invoke);
      if (o.end.index != o.invoke.index) v.label += "\nreturned at " + when(naming, o.end);
      if (o.end.type == OperationType::info) v.label += "\nno answer";
    }
    vertices.push_back(std::move(v));
  }
  std::vector<DotEdge> edges;
  const auto marked = [&](EventId from, EventId to, Precedes reason) {
    return std::any_of(contradiction.begin(), contradiction.end(),
                       [&](const PrecedenceStep& s) { return s.from == from && s.to == to && s.reason == reason; });
  };
  for (const EventEdge& e : graph.graph.edges) {
    const auto reason = static_cast<Precedes>(e.reason);
    if (reason == Precedes::real_time) continue;
    edges.push_back({e.from, e.to, std::string(name(reason)), marked(e.from, e.to, reason)});
  }
  for (const PrecedenceStep& s : contradiction) {
    if (s.reason == Precedes::real_time) edges.push_back({s.from, s.to, "real time", true});
  }
  return to_dot("precedence", vertices, edges);
}

}  // namespace picklock
