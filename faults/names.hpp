// The names in a plan, and the mistakes in them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/network.hpp"

namespace picklock {

struct PlanError {
  std::size_t fault = 0;  // index in the plan
  std::string field;      // "kind", "on", "node", …
  std::string found;      // text in the plan
  std::string expected;   // description of the valid texts
  std::string nearest;    // complete text that was probably meant; or empty

  bool operator==(const PlanError&) const = default;
};

// fault 2: node: found 'redsi', expected a node (a, b, redis); perhaps 'redis'?
std::string to_text(const PlanError& error);

// A thread that a trigger may name: the task of its name on its machine.
struct ThreadName {
  std::string thread;
  std::string machine;
};

// Turns the names of one plan into ids and keeps the first error.
class PlanNames {
 public:
  // nodes[i] is the name of node i + 1.
  explicit PlanNames(std::span<const std::string> nodes, std::span<const ThreadName> threads = {})
      : nodes_(nodes), threads_(threads) {}

  void begin_fault(std::size_t index) { fault_ = index; }
  NodeId node(std::string_view field, std::string_view name);
  // "a b, redis"; nothing: every node there is or will be.
  NodeSet nodes(std::string_view field, std::string_view list);
  // "a b | redis": at least one group, no node in two of them.
  std::vector<NodeSet> groups(std::string_view field, std::string_view text);

  void reject(std::string_view field, std::string_view found, std::string expected, std::string nearest = {});
  const std::optional<PlanError>& error() const { return error_; }

  std::optional<NodeId> find(std::string_view name) const;
  // The party that passes a mark: a node, a thread, or "NODE.TASK".
  struct Who {
    NodeId node = 0;
    std::uint64_t task = 0;  // a hash; 0: any
  };
  std::optional<Who> find_who(std::string_view name) const;
  std::vector<std::string> everyone() const;  // nodes and threads
  std::span<const std::string> all() const { return nodes_; }
  std::string expected_node() const;  // "a node (a, b, redis)"

 private:
  std::span<const std::string> nodes_;
  std::span<const ThreadName> threads_;
  std::size_t fault_ = 0;
  std::optional<PlanError> error_;
};

// The words between blanks and commas.
std::vector<std::string_view> words_of(std::string_view text);

}  // namespace picklock
