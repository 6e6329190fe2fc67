#include "checker/search/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/shorten.hpp"
#include "checker/models/words.hpp"

namespace picklock {
namespace {

constexpr std::size_t kLongestText = 200;

std::string shortened(const std::string& text) { return shorten(text, kLongestText); }

PlacedOperation placed(const Occurrence& o, const History& tables, std::string state,
                       std::string_view unanswered = " (crashed)") {
  const bool completed = o.end && o.end->type == OperationType::ok;
  const Value value = completed && !o.end->value.is_nil() ? o.end->value : o.invoke.value;
  std::string text(tables.names.view(tables.functions.at(o.invoke.f)));
  const bool says_nothing = value.is_nil() && !completed;
  if (!says_nothing) text += " " + tables.values.edn(value);
  text = shortened(text);
  const bool refused = o.end && o.end->type == OperationType::fail;
  if (!completed) text += refused ? " (refused)" : unanswered;
  return {o.invoke, o.end, std::move(text), shortened(state)};
}

// All that might come next, `stuck` first, then by invoke; of like crashed operations one.
std::vector<OperationId> candidates(const SearchOutcome& outcome, std::span<const OperationSpan> intervals) {
  std::vector<bool> done(intervals.size());
  for (const OperationId id : outcome.longest) done[id] = true;
  std::vector<OperationId> all;
  for (OperationId id = 0; id < intervals.size(); ++id) {
    const bool pending = intervals[id].invoked < intervals[outcome.stuck].returned;
    if (!done[id] && pending && id != outcome.stuck) all.push_back(id);
  }
  std::sort(all.begin(), all.end(),
            [&](OperationId a, OperationId b) { return intervals[a].invoked < intervals[b].invoked; });
  all.insert(all.begin(), outcome.stuck);
  std::unordered_set<std::uint32_t> kinds;
  std::erase_if(all, [&](OperationId id) {
    return intervals[id].returned == OperationSpan::kNever && !kinds.insert(intervals[id].alike).second;
  });
  return all;
}

// Pairs of which the first returned before the second was invoked, without those that follow from others.
std::vector<std::pair<OperationId, OperationId>> neighbours(const std::vector<OperationId>& ids,
                                                            std::span<const OperationSpan> intervals) {
  const auto before = [&](OperationId a, OperationId b) { return intervals[a].returned < intervals[b].invoked; };
  std::vector<std::pair<OperationId, OperationId>> pairs;
  for (const OperationId a : ids) {
    for (const OperationId b : ids) {
      const auto between = [&](OperationId c) { return before(a, c) && before(c, b); };
      if (before(a, b) && std::none_of(ids.begin(), ids.end(), between)) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

}  // namespace

PartialLinearization explain(const SearchOutcome& outcome, std::span<const OperationSpan> intervals,
                             std::span<const Occurrence> occurrences, StateSpace& space, const History& tables) {
  constexpr std::size_t kListed = PartialLinearization::kListed;
  PartialLinearization out;
  out.configurations = outcome.configurations;
  const std::size_t count = outcome.longest.size();
  out.omitted = count > kListed ? count - kListed : 0;

  StateId state = space.initial();
  for (std::size_t i = 0; i < count; ++i) {
    if (i == out.omitted) out.initial = shortened(space.describe(state));
    const OperationId id = outcome.longest[i];
    state = space.step(state, id);
    if (i >= out.omitted) {
      out.placed.push_back(placed(occurrences[id], tables, space.describe(state)));
    }
    if (i % 64 == 0) space.keep({&state, 1});
  }
  if (count == 0) out.initial = shortened(space.describe(state));

  const std::string here = shortened(space.describe(state));
  out.stuck = placed(occurrences[outcome.stuck], tables, {});
  const std::vector<OperationId> all = candidates(outcome, intervals);
  for (std::size_t i = 0; i < std::min(all.size(), kListed); ++i) {
    PlacedOperation one = placed(occurrences[all[i]], tables, {});
    FailedCandidate candidate{one.invoke, one.end, one.operation, false, {}, {}};
    const StateId after = space.step(state, all[i]);
    if (after == kImpossible) {
      candidate.why = shortened(space.why_not(state, all[i]));
    } else {
      candidate.possible = true;
      candidate.state = shortened(space.describe(after));
      candidate.why = fmt::format("it leaves {} impossible", out.stuck.operation);
      const bool at_once = space.step(after, outcome.stuck) == kImpossible;
      if (at_once) {
        candidate.why += ": " + shortened(space.why_not(after, outcome.stuck));
      }
    }
    out.candidates.push_back(std::move(candidate));
  }
  out.more_candidates = all.size() - out.candidates.size();
  return out;
}

MinimalWitness explain(const SmallestSet& set, const Disorder& disorder, std::span<const Occurrence> occurrences,
                       const History& tables, const Naming& naming) {
  constexpr std::size_t kTold = 12;  // operations, beyond which a picture tells more than sentences
  MinimalWitness out;
  const auto count = disorder.intervals.size();
  out.others = count - set.operations.size();
  out.minimal = set.minimal;
  for (const OperationId id : set.operations) out.operations.push_back(placed(occurrences[id], tables, {}));
  if (set.operations.empty() || set.operations.size() > kTold) return out;
  const auto short_name = [&](OperationId id) {
    if (id < count) return placed(occurrences[id], tables, {}).operation;
    const Occurrence asked{occurrences[id - count].invoke, std::nullopt};
    return placed(asked, tables, {}, " (left out)").operation;
  };
  for (const auto& [first, second] : neighbours(set.operations, disorder.intervals)) {
    out.reasons.push_back(fmt::format("{} comes before {}: it returned at {}, and the other was invoked at {}.",
                                      capitalised(short_name(first)), short_name(second),
                                      when(naming, *occurrences[first].end), when(naming, occurrences[second].invoke)));
  }
  StateSpace& space = disorder.space;
  StateId state = space.initial();
  std::string order;
  for (const OperationId id : set.longest) {
    state = space.step(state, id);
    order += (order.empty() ? "" : ", ") + short_name(id);
  }
  const std::string stuck = short_name(set.stuck);
  const std::string why = shortened(space.why_not(state, set.stuck));
  out.reasons.push_back(order.empty() ? fmt::format("Nothing makes {} possible: {}.", stuck, why)
                                      : fmt::format("No order gets further than {}; then {}, so that {} has no place.",
                                                    shortened(order), why, stuck));
  return out;
}

std::string summary(const PartialLinearization& partial, const Naming& naming) {
  const PlacedOperation& stuck = partial.stuck;
  const std::size_t length = partial.omitted + partial.placed.size();
  const std::size_t others = partial.candidates.size() - 1 + partial.more_candidates;
  OperationEvent process = stuck.invoke;
  process.hold = kNoHold;
  std::string text = fmt::format(
      "{}'s {}, invoked at {} and returned at {}, has no place in any order{}: "
      "in the longest one, after {} {}, {}",
      subject(naming, process), stuck.operation, when(naming, stuck.invoke), when(naming, *stuck.end),
      partial.part.empty() ? "" : " of " + partial.part, length, length == 1 ? "operation" : "operations",
      partial.candidates.front().why);
  if (others > 0) {
    text += fmt::format(", and none of the {} that might come first {} it possible", others,
                        others == 1 ? "makes" : "make");
  }
  return text + ".";
}

}  // namespace picklock
