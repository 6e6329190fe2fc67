// A Spec (checker/search/spec.hpp) as a model of `picklock check`: keeps the operations and decides
// at the end, key by key.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "checker/models/models.hpp"
#include "checker/models/sweep.hpp"
#include "checker/search/explain.hpp"
#include "checker/search/spec_space.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {

// A spec may be made from the context of its model, e.g. to read its parameter.
template <Spec S>
S make_spec(const ModelContext& context) {
  if constexpr (std::constructible_from<S, const ModelContext&>) {
    return S(context);
  } else {
    return S{};
  }
}

template <Spec S>
class SearchModel final : public Model {
 public:
  explicit SearchModel(const ModelContext& context, const SearchOptions& options = {})
      : SearchModel(context, make_spec<S>(context), options) {}

  SearchModel(const ModelContext& context, S spec, const SearchOptions& options = {})
      : context_(context), options_(options), spec_(std::move(spec)) {
    if constexpr (requires { spec_.values = &values_; }) spec_.values = &values_;
    if constexpr (requires { spec_.begin_with(context.initial, values_); }) {
      if (!context.initial.empty()) spec_.begin_with(context.initial, values_);
    }
  }

  void invoked(const OperationEvent& invoke, std::size_t role) override {
    open_[invoke.process] = entries_.size();
    entries_.push_back({{invoke, std::nullopt}, ++clock_, OperationSpan::kNever, role, kNoPart});
    understand(entries_.back());  // an error then has its place in the file
  }

  void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t) override {
    Entry& entry = entries_[open_[invoke.process]];
    entry.occurrence.end = end;
    ++clock_;
    if (end.type == OperationType::ok || is_observed_refusal(entry) ||
        options_.flaw == SearchFlaw::crashed_never_late) {
      entry.returned = clock_;
    }
    if (end.type == OperationType::ok) understand(entry);
  }

  void outlived(const OperationEvent&, std::size_t) override {}

  // Gives each part that is not yet decided a turn.  Of several violations in the first turn, the one that shows first
  // is reported; a later turn ends with the first violation.
  ModelResult finish(std::uint32_t turn) override {
    if (turn == 0) divide();
    ModelResult worst;
    bool unfinished = false;
    std::vector<Part> open;
    for (Part& part : undecided_) {
      const bool violated_before = worst.verdict == Verdict::violated;
      if (violated_before && (turn > 0 || context_.any_violation)) {
        open.push_back(std::move(part));
        continue;
      }
      ModelResult result = decide(part, turn);
      unfinished |= result.unfinished;
      const bool undecided = result.verdict == Verdict::undecided;
      const bool violated = result.verdict == Verdict::violated;
      if (violated) decided_.violated.add(part_name(part.number));
      if (!undecided && !violated) part.tested ? void(++decided_.valid) : decided_.untested.add(part_name(part.number));
      const bool worse = violated ? !violated_before || result.events.back().index < worst.events.back().index
                                  : undecided && worst.verdict == Verdict::holds;
      if (worse) worst = std::move(result);
      if (worse && violated) violated_ = part;
      if (undecided) open.push_back(std::move(part));
    }
    undecided_ = std::move(open);
    worst.unfinished = unfinished && worst.verdict != Verdict::violated;
    worst.parts = decided_;
    for (const Part& part : undecided_) worst.parts.undecided.add(part_name(part.number));
    return worst;
  }

  bool met_keys(std::vector<std::string>& keys) const override {
    if constexpr (requires { spec_.met_keys(keys); }) {
      spec_.met_keys(keys);
      if constexpr (requires { S::spelt(""); }) {
        for (const Value key : parts_) keys.push_back(S::spelt(values_.edn(key)));
      }
      return true;
    } else {
      return false;
    }
  }

  void explain(ModelResult& result, bool with_witness) override;

  [[nodiscard]] std::size_t memory() const override {
    return entries_.capacity() * sizeof(Entry) + values_.size() * kPerValue + open_.memory();
  }

 private:
  static constexpr std::uint32_t kNoPart = 0xffffffff;
  static constexpr std::size_t kPerValue = 64;

  struct Entry {
    Occurrence occurrence;
    std::uint32_t invoked = 0;
    std::uint32_t returned = OperationSpan::kNever;
    std::size_t role = 0;
    std::uint32_t part = kNoPart;
  };
  // Operations on one key, or all: they are decided on their own.
  struct Part {
    std::uint32_t number = kNoPart;
    std::vector<std::uint32_t> members;  // places in entries_
    std::array<bool, 2> gave_up = {};    // index: order; true: the memory does not suffice
    std::uint64_t configurations = 0;    // number searched so far
    bool tested = false;                 // true: some operation observes: see Model::observes
    std::string reason;                  // reason if undecided
    OperationId stuck = 0;               // place in members at which the longest order of a violated part ends
  };

  // Values of the history belong to its table; a spec may need more of them.
  Value own(Value value) { return value.is_text() ? values_.canonical(context_.tables.values.text(value)) : value; }

  static bool is_observed_refusal(const Entry& e) {
    if (!e.occurrence.end || e.occurrence.end->type != OperationType::fail) return false;
    if constexpr (requires { S::refusals; }) {
      return std::find(S::refusals.begin(), S::refusals.end(), S::functions[e.role]) != S::refusals.end();
    } else {
      return false;
    }
  }

  Call call_of(const Entry& e) {
    const OperationEvent& invoke = e.occurrence.invoke;
    Call call{S::functions[e.role], own(invoke.value), {}, invoke.token, invoke.process, invoke.hold, false, false};
    if (is_observed_refusal(e)) call.completed = call.failed = true;
    if (e.occurrence.end && e.occurrence.end->type == OperationType::ok) {
      call.completed = true;
      call.result = own(e.occurrence.end->value);
      if (call.token == kNoToken) call.token = e.occurrence.end->token;
      if (call.hold == kNoHold) call.hold = e.occurrence.end->hold;
    }
    return call;
  }

  SpecOperation<S> read(const Call& call) {
    if constexpr (requires { spec_.read(call, values_); }) {
      return spec_.read(call, values_);
    } else {
      return call;
    }
  }

  void understand(Entry& entry) {
    const Call call = call_of(entry);
    try {
      if constexpr (requires { spec_.part(call, values_); }) {
        if (const std::optional<Value> key = spec_.part(call, values_)) {
          const auto next = static_cast<std::uint32_t>(parts_.size());
          const auto [found, fresh] = part_numbers_.try_emplace(key->bits(), next);
          if (fresh) parts_.push_back(*key);
          entry.part = options_.flaw == SearchFlaw::keys_are_mixed ? 0 : found->second;
        }
      }
      if constexpr (requires { spec_.check(call, values_); }) {
        spec_.check(call, values_);
      } else {
        read(call);
      }
    } catch (const std::invalid_argument& expected) {
      throw ImpossibleEvent(
          "a " + std::string(call.function) + " of " + values_.edn(call.completed ? call.result : call.argument),
          expected.what());
    }
  }

  void divide() {
    if (options_.flaw == SearchFlaw::info_is_forced) {
      for (Entry& e : entries_) e.returned = e.returned == OperationSpan::kNever ? ++clock_ : e.returned;
    }
    std::map<std::uint32_t, std::size_t> place;
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
      const auto& end = entries_[i].occurrence.end;
      if (end && end->type == OperationType::fail && !is_observed_refusal(entries_[i])) continue;
      const auto [found, fresh] = place.try_emplace(entries_[i].part, undecided_.size());
      if (fresh) undecided_.emplace_back().number = entries_[i].part;
      Part& part = undecided_[found->second];
      part.members.push_back(i);
      part.tested = part.tested || tells(entries_[i]);
    }
    if (undecided_.empty() && !entries_.empty()) decided_.untested.add(part_name(kNoPart));
  }

  // Could the object have refused the answer?  Crashed operations have none.
  bool tells(const Entry& e) {
    const Call call = call_of(e);
    if (!call.completed) return false;
    if constexpr (requires { spec_.tells(read(call)); }) {
      return spec_.tells(read(call));
    } else {
      return true;
    }
  }

  // A key, in the value or as the object of the operations; empty if all belong together.
  std::string name_of(std::uint32_t part) {
    if (part != kNoPart) return "key " + values_.edn(parts_[part]);
    if (context_.lock == kNoName) return {};
    constexpr bool kKeys = requires(const Call& call) { spec_.part(call, values_); };
    return (kKeys || context_.each ? "key " : "object ") + printable(context_.tables.names.view(context_.lock));
  }

  std::string part_name(std::uint32_t part) {
    const std::string name = name_of(part);
    return name.empty() ? "operations that name no object" : name;
  }

  // Kind of a crashed operation: equal ones are interchangeable.
  using Kind = std::tuple<std::size_t, std::uint64_t, std::int64_t, std::int64_t, HoldId>;
  static Kind kind_of(const Entry& e, const Call& call) {
    if constexpr (requires { requires S::anonymous; }) {
      return {e.role, call.argument.bits(), 0, 0, 0};
    } else {
      return {e.role, call.argument.bits(), call.process, call.token, call.hold};
    }
  }

  void enter(const Part& part) {
    if constexpr (requires { spec_.enter(parts_[part.number], values_); }) {
      if (part.number != kNoPart) spec_.enter(parts_[part.number], values_);
    }
  }

  ModelResult decide(Part& part, std::uint32_t turn);

  ModelContext context_;
  SearchOptions options_;
  S spec_;
  ValueTable values_;
  std::vector<Entry> entries_;
  SparseMap<std::int32_t, std::size_t> open_;  // place in entries_ of the process's last invoke; key: process
  std::uint32_t clock_ = 0;                    // events so far
  std::vector<Part> undecided_;
  std::optional<Part> violated_;  // the part whose violation was reported last
  PartCounts decided_;
  std::vector<Value> parts_;
  std::map<std::uint64_t, std::uint32_t> part_numbers_;  // key: bits of the part's key
};

// Searches in the one order, then in the other, each for as many configurations as the turn allows.
template <Spec S>
ModelResult SearchModel<S>::decide(Part& part, std::uint32_t turn) {
  constexpr std::uint64_t kFirstTurn = 1024, kPerOperation = 2;
  std::vector<OperationSpan> intervals;
  std::vector<SpecOperation<S>> operations;
  std::map<Kind, std::uint32_t> kinds;  // kinds of crashed operations
  ModelResult result;
  Bounds unbounded;
  Bounds& bounds = context_.bounds != nullptr ? *context_.bounds : unbounded;
  const std::string name = name_of(part.number);
  const auto stopped = [&] {
    const std::string reason = bounds.reason().empty() ? "The table of configurations was full" : bounds.reason();
    part.reason = reason + " after " + std::to_string(part.configurations) + " configurations" +
                  (name.empty() ? "" : " of " + name) + ".";
    bounds.forget_memory();
  };
  std::size_t held = memory();
  bool fits = true;
  for (const std::uint32_t i : part.members) {
    const Entry& e = entries_[i];
    const Call call = call_of(e);
    OperationSpan interval{e.invoked, e.returned, 0};
    if (e.returned == OperationSpan::kNever) {
      const auto next = static_cast<std::uint32_t>(kinds.size());
      interval.alike = kinds.try_emplace(kind_of(e, call), next).first->second;
    }
    intervals.push_back(interval);
    operations.push_back(read(call));
    held += sizeof(OperationSpan) + sizeof(SpecOperation<S>);
    fits = fits && !bounds.exceeded(held);
    if (!fits) break;
  }
  enter(part);
  SpecSpace<S> space(spec_, operations);
  SearchOutcome outcome;
  outcome.verdict = SearchVerdict::stopped;
  if (!fits) {
    stopped();
    part.gave_up = {true, true};
  }
  for (const SearchOrder order : {SearchOrder::just_in_time, SearchOrder::by_invoke}) {
    bool& gave_up = part.gave_up[static_cast<std::size_t>(order)];
    if (gave_up || bounds.late()) continue;
    SearchOptions options = options_;
    options.order = order;
    options.limit = (kFirstTurn + kPerOperation * part.members.size()) << std::min(2 * turn, 30u);
    bounds.add_others(held);
    outcome = search_order(intervals, space, bounds, options);
    bounds.remove_others(held);
    part.configurations += outcome.configurations;
    if (outcome.verdict == SearchVerdict::linearizable) return result;
    if (outcome.verdict == SearchVerdict::not_linearizable) break;
    if (outcome.verdict == SearchVerdict::stopped) {
      gave_up = !bounds.late();
      stopped();
    }
    space.keep({});
  }
  if (outcome.verdict != SearchVerdict::not_linearizable) {
    result.verdict = Verdict::undecided;
    result.unfinished = !bounds.late() && !(part.gave_up[0] && part.gave_up[1]);
    if (bounds.late() && part.reason.empty()) stopped();
    result.explanation = part.reason;
    return result;
  }
  std::vector<Occurrence> occurrences;
  for (const std::uint32_t i : part.members) occurrences.push_back(entries_[i].occurrence);
  part.stuck = outcome.stuck;
  result.verdict = Verdict::violated;
  result.partial = picklock::explain(outcome, intervals, occurrences, space, context_.tables);
  result.partial->part = name;
  result.explanation = summary(*result.partial, context_.names());
  const PlacedOperation& stuck = result.partial->stuck;
  result.events = {stuck.invoke};
  if (stuck.end) result.events.push_back(*stuck.end);
  return result;
}

// Looks for the smallest set of operations that has no order.
template <Spec S>
void SearchModel<S>::explain(ModelResult& result, bool with_witness) {
  const Part& part = *violated_;
  if (!result.partial->part.empty()) {
    for (const Entry& e : entries_) {
      if (e.part == part.number) result.members.push_back(e.occurrence.invoke.index);
    }
  }
  if (!with_witness) return;
  const Bounds unbounded;
  const Bounds& all = context_.bounds == nullptr ? unbounded : *context_.bounds;
  Bounds bounds = all.within(options_.witness_steps);
  std::vector<OperationSpan> intervals;
  std::vector<SpecOperation<S>> operations, unanswered;
  std::vector<Occurrence> occurrences;
  std::vector<std::uint32_t> kinds;
  std::map<Kind, std::uint32_t> numbers;
  for (const std::uint32_t i : part.members) {
    const Entry& e = entries_[i];
    Entry asked = e;
    asked.occurrence.end.reset();
    const Call call = call_of(asked);
    kinds.push_back(numbers.try_emplace(kind_of(e, call), static_cast<std::uint32_t>(numbers.size())).first->second);
    intervals.push_back({e.invoked, e.returned, 0});
    occurrences.push_back(e.occurrence);
    operations.push_back(read(call_of(e)));
    unanswered.push_back(read(call));
    bounds.add_others(sizeof(OperationSpan) + 2 * sizeof(SpecOperation<S>) + sizeof(Occurrence) +
                      sizeof(std::uint32_t));
    if (bounds.exceeded(0)) break;
  }
  result.minimal = MinimalWitness{{}, false, part.members.size(), false, {}};
  if (bounds.exceeded_now(0)) return;
  operations.insert(operations.end(), unanswered.begin(), unanswered.end());
  enter(part);
  SpecSpace<S> space(spec_, operations);
  const Disorder disorder{intervals, space, kinds, part.stuck};
  SmallestSet set;
  if (options_.small_witness > 0) set = smallest_set(disorder, false, bounds);
  bool own_time = false;
  if (!set.minimal || set.operations.size() > options_.small_witness) {
    bounds = bounds.within(options_.witness_steps);  // the same number of steps once more
    SmallestSet in_time = smallest_set(disorder, true, bounds);
    own_time = better(in_time, set);
    if (own_time) set = std::move(in_time);
  }
  space.keep({});
  result.minimal = picklock::explain(set, disorder, occurrences, context_.tables, context_.names());
  result.minimal->own_time = own_time;
  if (set.operations.empty()) return;
  result.events.clear();
  for (const OperationId id : set.operations) {
    result.events.push_back(occurrences[id].invoke);
    if (occurrences[id].end) result.events.push_back(*occurrences[id].end);
  }
  std::sort(result.events.begin(), result.events.end(),
            [](const OperationEvent& a, const OperationEvent& b) { return a.index < b.index; });
}

template <Spec S>
std::unique_ptr<Model> make_search_model(const ModelContext& context) {
  return std::make_unique<SearchModel<S>>(context);
}

}  // namespace picklock
