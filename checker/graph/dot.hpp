// Graphs in the language of Graphviz (https://graphviz.org/doc/info/lang.html).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/graph/precedence.hpp"

namespace picklock {

struct DotVertex {
  std::string label;  // may have several lines
  std::string group;  // vertices of one group are framed together; empty: none
  bool marked = false;
};

struct DotEdge {
  std::size_t from = 0, to = 0;  // positions in the vertices
  std::string label;
  bool marked = false;
};

// A digraph from left to right; what is marked is drawn bold and red.  Any bytes may stand in labels.
std::string to_dot(std::string_view name, const std::vector<DotVertex>& vertices, const std::vector<DotEdge>& edges);

// The operations, one frame a process, with the contradiction marked.  Of real time only those
// pairs are drawn that belong to it, and between neighbours.
std::string to_dot(const PrecedenceGraph& graph, const std::vector<PrecedenceStep>& contradiction,
                   const Naming& naming = {});

}  // namespace picklock
