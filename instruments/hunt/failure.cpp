#include "instruments/hunt/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "faults/names.hpp"
#include "instruments/hunt/right.hpp"
#include "scenarios/file/values.hpp"
#include "scenarios/generators/space.hpp"

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

std::string machine_of(std::string_view client, const Scenario& scenario) {
  const auto named = [&](const ClientSpec& c) { return c.name == client; };
  const auto found = std::find_if(scenario.clients.begin(), scenario.clients.end(), named);
  return found == scenario.clients.end() ? std::string(client) : std::string(found->machine_name());
}

std::string parties_of(const Finding& finding, const History& history, const Scenario& scenario) {
  constexpr std::string_view kNumbers[] = {"no", "one", "two", "three", "four"};
  std::set<std::string_view> clients;
  std::set<std::string> machines;
  std::size_t readers = 0;
  for (const HoldId hold : finding.witness.all_holds()) {
    const HoldInfo& info = history.holds[hold];
    const std::string_view client = history.names.view(info.client);
    clients.insert(client);
    machines.insert(machine_of(client, scenario));
    readers += info.mode == HoldMode::read;
  }
  std::string text = "more than four clients";
  if (clients.size() < std::size(kNumbers)) {
    text = fmt::format("{} client{}", kNumbers[clients.size()], clients.size() == 1 ? "" : "s");
  }
  if (clients.size() > machines.size()) text += " of one machine";
  if (readers > 0) text += readers < finding.witness.hold_count ? ", readers and writers" : ", readers";
  return text;
}

}  // namespace

Failure failure_of(const Finding& finding, const RunResult& result, const Scenario& scenario) {
  const History& history = *result.history;
  Failure failure{.property = finding.property};
  const auto holds = finding.witness.all_holds();
  if (!holds.empty()) failure.lock = history.names.view(history.holds[holds.front()].lock);
  failure.parties = parties_of(finding, history, scenario);
  failure.right_end = how_right_ended(finding, history);
  for (const Assessment& a : result.assumptions) {
    if (a.broken() && concerns(a, finding.property)) failure.broken.push_back(a.assumption.kind);
  }
  std::sort(failure.broken.begin(), failure.broken.end());
  failure.broken.erase(std::unique(failure.broken.begin(), failure.broken.end()), failure.broken.end());
  return failure;
}

bool same_failure(const Failure& before, const Failure& after) {
  return before.property == after.property && before.lock == after.lock && before.parties == after.parties &&
         before.right_end == after.right_end &&
         std::includes(before.broken.begin(), before.broken.end(), after.broken.begin(), after.broken.end());
}

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
