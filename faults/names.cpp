#include "faults/names.hpp"

#include <fmt/format.h>

#include "base/hash.hpp"
#include "base/nearest.hpp"

namespace picklock {
namespace {

// `list` with its word `wrong` replaced.
std::string corrected(std::string_view list, std::string_view wrong, std::string_view right) {
  std::string out(list);
  const std::size_t at = static_cast<std::size_t>(wrong.data() - list.data());
  out.replace(at, wrong.size(), right);
  return out;
}

}  // namespace

std::string to_text(const PlanError& e) {
  std::string text = fmt::format("fault {}: {}: found '{}', expected {}", e.fault + 1, e.field, e.found, e.expected);
  if (!e.nearest.empty()) text += fmt::format("; perhaps '{}'?", e.nearest);
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kBetween = " ,\t\n";
  std::vector<std::string_view> words;
  for (std::size_t i = text.find_first_not_of(kBetween); i != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, i), text.size());
    words.push_back(text.substr(i, end - i));
    i = text.find_first_not_of(kBetween, end);
  }
  return words;
}

std::optional<NodeId> PlanNames::find(std::string_view name) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i] == name) return static_cast<NodeId>(i + 1);
  }
  return std::nullopt;
}

std::optional<PlanNames::Who> PlanNames::find_who(std::string_view name) const {
  if (const auto node = find(name)) return Who{*node, 0};
  for (const ThreadName& t : threads_) {
    if (t.thread == name) return Who{find(t.machine).value_or(0), hash_of(t.thread)};
  }
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return std::nullopt;
  const auto node = find(name.substr(0, dot));
  if (!node) return std::nullopt;
  return Who{*node, hash_of(name.substr(dot + 1))};
}

std::vector<std::string> PlanNames::everyone() const {
  std::vector<std::string> all(nodes_.begin(), nodes_.end());
  for (const ThreadName& t : threads_) all.push_back(t.thread);
  return all;
}

std::string PlanNames::expected_node() const { return fmt::format("a node ({})", fmt::join(nodes_, ", ")); }

void PlanNames::reject(std::string_view field, std::string_view found, std::string expected, std::string nearest) {
  if (error_) return;
  error_ = PlanError{fault_, std::string(field), std::string(found), std::move(expected), std::move(nearest)};
}

NodeId PlanNames::node(std::string_view field, std::string_view name) {
  if (const auto id = find(name)) return *id;
  reject(field, name, expected_node(), std::string(nearest_name(name, nodes_).value_or("")));
  return 0;
}

NodeSet PlanNames::nodes(std::string_view field, std::string_view list) {
  const auto words = words_of(list);
  NodeSet set;
  if (words.empty()) return set.set();
  for (const std::string_view word : words) {
    if (const auto id = find(word)) {
      set.set(*id);
      continue;
    }
    const auto near = nearest_name(word, nodes_);
    reject(field, list, fmt::format("nodes ({})", fmt::join(nodes_, ", ")), near ? corrected(list, word, *near) : "");
  }
  return set;
}

std::vector<NodeSet> PlanNames::groups(std::string_view field, std::string_view text) {
  std::vector<NodeSet> groups;
  NodeSet seen;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    const std::string_view list = text.substr(begin, end - begin);
    begin = end + 1;
    if (words_of(list).empty()) {
      reject(field, text, "groups of nodes, as in \"a b | redis\"");
      continue;
    }
    const bool bad_before = error_.has_value();
    const NodeSet group = nodes(field, list);
    if (error_ && !bad_before) {  // the error is in one group: report the whole field
      error_->found = text;
      if (!error_->nearest.empty()) error_->nearest = corrected(text, list, error_->nearest);
    }
    if ((seen & group).any()) reject(field, text, "groups that have no node in common");
    seen |= group;
    groups.push_back(group);
  }
  return groups;
}

}  // namespace picklock
