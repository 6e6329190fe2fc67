#include "reports/check/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/models/words.hpp"

namespace picklock {
namespace {

std::string span_of(const Naming& naming, const OperationEvent& invoke, const std::optional<OperationEvent>& end) {
  const bool answered = end && end->type != OperationType::info;
  return fmt::format("{} {} to {}", who(naming, invoke), when(naming, invoke),
                     answered ? when(naming, *end) : "no answer");
}

}  // namespace

Contradiction contradiction_of(const CheckResult& r) {
  if (r.verdict != Verdict::violated || r.holds.size() != 2) return {};
  const auto says = [&](std::string_view word) { return r.model.find(word) != std::string::npos; };
  // The end of a lease is not in the history; a process that may end the hold of another leaves no pairs.
  if (says("lease") || says("ownerless")) return {};
  PrecedenceOptions options;
  options.exclusive = says("mutex") || says("semaphore");
  options.tokens = says("fenc");
  Contradiction c{precedence_of(r.holds, options), {}};
  c.steps = shortest_contradiction(c.graph);
  return c.steps.empty() ? Contradiction{} : c;
}

std::string claim_of(const MinimalWitness& w) {
  const std::size_t count = w.operations.size();
  if (count == 0) return "No smaller set of operations without an order was found in the time and memory allowed.";
  std::string text =
      count == 1 ? "This operation has no place" : fmt::format("These {} operations have no order", count);
  if (w.others > 0) {
    text += w.others == 1 ? ", even if the other one took effect "
                          : fmt::format(", even if each of the {} others took effect ", w.others);
    text += w.own_time ? "between its invoke and its return, or never" : "at any time, or never";
  }
  if (!w.minimal) return text + ". Fewer might do: the search for them was cut short.";
  return count == 1 ? text + "." : text + "; without any one of them, the rest would have one.";
}

std::string in_words(const MinimalWitness& w, const Naming& naming, std::size_t most) {
  std::string out = "  " + claim_of(w) + "\n";
  for (std::size_t i = 0; i < std::min(most, w.operations.size()); ++i) {
    const PlacedOperation& o = w.operations[i];
    out += fmt::format("    {:<28} {}\n", o.operation, span_of(naming, o.invoke, o.end));
  }
  if (w.operations.size() > most) out += fmt::format("    … {} more\n", w.operations.size() - most);
  for (const std::string& reason : w.reasons) out += "  " + reason + "\n";
  return out;
}

std::string in_words(const PartialLinearization& p, const Naming& naming, std::size_t most) {
  std::string out;
  if (!p.part.empty()) out += fmt::format("  Of {} alone:\n", p.part);
  const std::uint64_t all = p.omitted + p.placed.size();
  out += all == 0
             ? fmt::format("  No operation can come first; the state is {}.\n", p.initial)
             : fmt::format("  An order of {} operation{} obeys the model and real time, and none obeys them longer:\n",
                           all, all == 1 ? "" : "s");
  const std::size_t shown = std::min(most, p.placed.size());
  const std::uint64_t hidden = all - shown;
  if (hidden > 0) {
    out += fmt::format("    … {} before\n", hidden);
  } else if (all > 0) {
    out += fmt::format("    {:>6}  {:<28} {}\n", "", "the beginning", p.initial);
  }
  for (std::size_t i = p.placed.size() - shown; i < p.placed.size(); ++i) {
    const PlacedOperation& o = p.placed[i];
    out += fmt::format("    {:>6}  {:<28} → {:<20} {}\n", p.omitted + i + 1, o.operation, o.state,
                       span_of(naming, o.invoke, o.end));
  }
  out += fmt::format("  There it ends: {}, {}, has no place.\n", p.stuck.operation,
                     span_of(naming, p.stuck.invoke, p.stuck.end));
  if (!p.candidates.empty()) out += "  What might come next, and why it cannot:\n";
  const std::size_t listed = std::min(most, p.candidates.size());
  for (std::size_t i = 0; i < listed; ++i) {
    const FailedCandidate& c = p.candidates[i];
    out += fmt::format("    {:<28} {}{}\n", c.operation, c.possible ? fmt::format("→ {}, but ", c.state) : "", c.why);
  }
  if (const std::uint64_t more = p.candidates.size() - listed + p.more_candidates; more > 0)
    out += fmt::format("    … {} more\n", more);
  if (p.configurations > 0) out += fmt::format("  {} configurations were tried.\n", p.configurations);
  return out;
}

}  // namespace picklock
