// A fault space: the targets of faults.  The caller fills it; generators draw from it.
#pragma once

#include <string>
#include <vector>

#include "sim/task/runtime.hpp"

namespace picklock {

enum class NodeRole : std::uint8_t { client, server, storage };

struct FaultSpace {
  struct Node {
    std::string name;
    NodeRole role = NodeRole::client;
    bool operator==(const Node&) const = default;
  };
  struct Link {  // nodes that talk to each other
    std::string from, to;
    bool operator==(const Link&) const = default;
  };
  // A length that matters: faults a little shorter and a little longer than it differ.
  struct Deadline {
    DeadlineKind kind = DeadlineKind::lease;
    Duration length;
    bool operator==(const Deadline&) const = default;
  };

  std::vector<Node> nodes{};
  std::vector<Link> links{};
  std::vector<Deadline> deadlines{};
  std::vector<std::string> marks{};    // marks in use: "enters", "writes", "set"; see sim/task/mark.hpp
  std::vector<std::string> tasks{};    // tasks of clients that can be paused alone: "renewal"
  std::vector<std::string> threads{};  // clients that share a machine; they pass their own marks
  Duration run_length = seconds(1);

  bool operator==(const FaultSpace&) const = default;
};

}  // namespace picklock
