#include "hunt/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "faults/names.hpp"
#include "generators/space.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {
namespace {

std::string_view words(NodeRole role) {
  switch (role) {
    case NodeRole::client:
      return "a client";
    case NodeRole::server:
      return "a server";
    default:
      return "the storage";
  }
}

// The roles of the machines that a text names, each once.
std::set<std::string_view> roles_in(std::string text, const FaultSpace& space) {
  std::replace(text.begin(), text.end(), '|', ' ');
  std::set<std::string_view> roles;
  for (const std::string_view word : words_of(text)) {
    for (const FaultSpace::Node& n : space.nodes) {
      if (n.name == word) roles.insert(words(n.role));
    }
  }
  return roles;
}

std::string words_of_kind(const Fault& fault, const FaultSpace& space) {
  Fault copy = fault;
  FieldLister lister;
  copy.options.fields(lister);
  std::string kind = fault.kind;
  std::set<std::string_view> roles;
  for (const FieldText& f : lister.fields) {
    if (f.name == "node" || f.name == "from" || f.name == "to" || f.name == "between")
      roles.merge(roles_in(f.text, space));
    if (f.name == "task" && !f.text.empty()) kind += " (one task)";
  }
  return roles.empty() ? kind : fmt::format("{} of {}", kind, fmt::join(roles, " and "));
}

}  // namespace

Cause cause_of(const Failure& failure, const Scenario& shrunk) {
  FaultSpace space;
  adapt(space, shrunk);
  Cause cause{failure, {}};
  for (const Fault& f : shrunk.faults) cause.faults.push_back(words_of_kind(f, space));
  std::sort(cause.faults.begin(), cause.faults.end());
  return cause;
}

std::string print_broken(const Failure& failure) {
  std::string text;
  for (const AssumptionKind kind : failure.broken) text += (text.empty() ? "" : ", ") + std::string(info(kind).name);
  return text.empty() ? "none" : text;
}

}  // namespace picklock
