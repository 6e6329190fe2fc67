#include "checker/graph/precedence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/models/words.hpp"

namespace picklock {
namespace {

class Maker {
 public:
  Maker(std::span<const WitnessHold> holds, const PrecedenceOptions& options) : holds_(holds), options_(options) {
    for (std::size_t i = 0; i < holds.size(); ++i) order_.push_back(i);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return holds[a].acquired.index < holds[b].acquired.index; });
  }

  PrecedenceGraph make() {
    for (const std::size_t i : order_) operations_of(i);
    if (options_.exclusive) handovers();
    if (options_.tokens) tokens();
    real_time();
    return std::move(made_);
  }

 private:
  static EventId acquire(std::size_t place) { return static_cast<EventId>(2 * place); }
  static EventId release(std::size_t place) { return static_cast<EventId>(2 * place + 1); }

  void edge(EventId from, EventId to, Precedes reason, bool passage = false) {
    made_.graph.edges.push_back({from, to, static_cast<std::uint8_t>(reason), passage});
  }

  void operations_of(std::size_t i) {
    const WitnessHold& h = holds_[i];
    const auto id = static_cast<EventId>(made_.operations.size());
    made_.operations.push_back({i, true, false, false, h.acquire, h.acquired});
    const bool ended = h.release && !(h.release_ended && h.release_ended->type == OperationType::fail);
    OrderedOperation end{i, false, !ended, !ended && h.release, h.acquire, h.acquired};
    if (ended) {
      end.invoke = end.end = *h.release;
      end.end.type = OperationType::info;
      if (h.release_ended) end.end = *h.release_ended;
    }
    made_.operations.push_back(end);
    edge(id, id + 1, Precedes::program);
  }

  void handovers() {
    for (std::size_t place = 0; place + 1 < order_.size(); ++place) {
      edge(release(place), acquire(place + 1), Precedes::handover);
    }
  }

  void tokens() {
    std::vector<std::size_t> by_token;
    const auto token = [&](std::size_t place) { return holds_[order_[place]].acquired.token; };
    for (std::size_t place = 0; place < order_.size(); ++place) {
      if (token(place) != kNoToken) by_token.push_back(place);
    }
    std::stable_sort(by_token.begin(), by_token.end(),
                     [&](std::size_t a, std::size_t b) { return token(a) < token(b); });
    for (std::size_t k = 0; k + 1 < by_token.size(); ++k) {
      const EventId from = acquire(by_token[k]), to = acquire(by_token[k + 1]);
      const bool same = token(by_token[k]) == token(by_token[k + 1]);
      edge(from, to, same ? Precedes::one_token : Precedes::token);
      if (same) edge(to, from, Precedes::one_token);
    }
  }

  // An instant for each invoke, in order; a return leads to the first invoke after it.
  void real_time() {
    struct Invoke {
      std::uint32_t index;
      EventId operation;
      bool operator<(const Invoke& other) const { return index < other.index; }
    };
    std::vector<Invoke> invokes;
    const auto count = static_cast<EventId>(made_.operations.size());
    constexpr std::uint32_t kNever = 0xffffffff;
    for (EventId id = 0; id < count; ++id) {
      const OrderedOperation& o = made_.operations[id];
      invokes.push_back({o.never ? kNever : o.invoke.index, id});
    }
    std::sort(invokes.begin(), invokes.end());
    for (EventId i = 0; i < count; ++i) {
      edge(count + i, invokes[i].operation, Precedes::real_time, true);
      if (i + 1 < count) edge(count + i, count + i + 1, Precedes::real_time, true);
    }
    for (EventId id = 0; id < count; ++id) {
      const OrderedOperation& o = made_.operations[id];
      if (o.never || o.end.type == OperationType::info) continue;
      const auto next = std::upper_bound(invokes.begin(), invokes.end(), Invoke{o.end.index, 0});
      if (next == invokes.end()) continue;
      edge(id, count + static_cast<EventId>(next - invokes.begin()), Precedes::real_time);
    }
    made_.graph.events = 2 * count;
  }

  std::span<const WitnessHold> holds_;
  PrecedenceOptions options_;
  std::vector<std::size_t> order_;  // places in holds_, ascending by the return of the acquire
  PrecedenceGraph made_;
};

std::string token_of(const OrderedOperation& o) { return fmt::format("{}", o.end.token); }

}  // namespace

std::string_view name(Precedes reason) {
  constexpr std::string_view kNames[kPrecedesCount] = {"real time", "program", "handover", "token", "one token"};
  return kNames[static_cast<std::size_t>(reason)];
}

PrecedenceGraph precedence_of(std::span<const WitnessHold> holds, const PrecedenceOptions& options) {
  return Maker(holds, options).make();
}

std::vector<PrecedenceStep> shortest_contradiction(const PrecedenceGraph& graph) {
  std::vector<PrecedenceStep> steps;
  const auto count = static_cast<EventId>(graph.operations.size());
  for (const std::size_t position : shortest_cycle(graph.graph)) {
    const EventEdge& e = graph.graph.edges[position];
    const auto reason = static_cast<Precedes>(e.reason);
    if (e.from < count) steps.push_back({e.from, e.to, reason});
    steps.back().to = e.to;  // through the instants to the operation
  }
  return steps;
}

std::string describe(const OrderedOperation& o, const Naming& naming) {
  if (o.never) return fmt::format("the missing release by {}", who(naming, o.invoke));
  return fmt::format("the {} by {}", o.acquires ? "acquire" : "release", who(naming, o.invoke));
}

std::string in_words(const PrecedenceGraph& graph, const PrecedenceStep& step, const Naming& naming) {
  const OrderedOperation& from = graph.operations[step.from];
  const OrderedOperation& to = graph.operations[step.to];
  const std::string claim =
      fmt::format("{} comes before {}", capitalised(describe(from, naming)), describe(to, naming));
  switch (step.reason) {
    case Precedes::real_time:
      if (to.never) {
        return fmt::format("{}: {}, so that everything else comes first", claim,
                           to.refused ? "the release failed, and no other is in the witness"
                                      : who(naming, to.invoke) + " never released the lock");
      }
      return fmt::format("{}: it returned at {}, and the other was invoked at {}", claim, when(naming, from.end),
                         when(naming, to.invoke));
    case Precedes::program:
      return fmt::format("{}: it began the hold that the other {}", claim, to.never ? "would have ended" : "ended");
    case Precedes::handover: {
      const OrderedOperation& first = graph.operations[step.from - 1];  // the operation that releases what `from` holds
      return fmt::format(
          "{}: only one may hold, and the turn was first with {}, who acquired at {}, before {} at "
          "{}",
          claim, who(naming, first.end), when(naming, first.end), who(naming, to.end), when(naming, to.end));
    }
    case Precedes::token:
      return fmt::format("{}: tokens grow from grant to grant, {} < {}", claim, token_of(from), token_of(to));
    case Precedes::one_token:
      return fmt::format("{}: both were granted with token {}, and a later grant has a larger one", claim,
                         token_of(from));
  }
  return claim;
}

}  // namespace picklock
