// A Spec (checker/search/spec.hpp) as a model of `picklock check`: keeps the operations and decides
// at the end, key by key.
#pragma once

#include <concepts>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/models/models.hpp"
#include "checker/models/sweep.hpp"
#include "checker/process_map.hpp"
#include "checker/search/explain.hpp"
#include "checker/search/spec_space.hpp"

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
  }

  void invoked(const OperationEvent& invoke, std::size_t role) override {
    open_[invoke.process] = entries_.size();
    entries_.push_back({{invoke, std::nullopt}, ++clock_, OperationSpan::kNever, role, kNoPart});
    understand(entries_.back());  // so that an error has its place in the file
  }

  void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t) override {
    Entry& entry = entries_[open_[invoke.process]];
    entry.occurrence.end = end;
    ++clock_;
    if (end.type == OperationType::ok || options_.flaw == SearchFlaw::crashed_never_late) {
      entry.returned = clock_;
    }
    if (end.type == OperationType::ok) understand(entry);
  }

  void outlived(const OperationEvent&, std::size_t) override {}

  ModelResult finish() override {
    std::erase_if(entries_,
                  [](const Entry& e) { return e.occurrence.end && e.occurrence.end->type == OperationType::fail; });
    if (options_.flaw == SearchFlaw::info_is_forced) {
      for (Entry& e : entries_) e.returned = e.returned == OperationSpan::kNever ? ++clock_ : e.returned;
    }
    ModelResult worst;
    for (const auto& [part, members] : by_part()) {
      ModelResult result = decide(part, members);
      const bool violated = result.judgement == Judgement::violated;
      const bool worse =
          violated ? worst.judgement != Judgement::violated || result.events.back().index < worst.events.back().index
                   : result.judgement != Judgement::holds && worst.judgement == Judgement::holds;
      if (worse) worst = std::move(result);
    }
    return worst;
  }

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
  using Members = std::vector<std::uint32_t>;  // places in entries_

  // Values of the history belong to its table; a spec may need more of them.
  Value own(Value value) { return value.is_text() ? values_.canonical(context_.tables.values.text(value)) : value; }

  Call call_of(const Entry& e) {
    const OperationEvent& invoke = e.occurrence.invoke;
    Call call{S::functions[e.role], own(invoke.value), {}, invoke.token, invoke.process, invoke.hold, false};
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
      read(call);
    } catch (const std::invalid_argument& expected) {
      throw ImpossibleEvent(
          "a " + std::string(call.function) + " of " + values_.edn(call.completed ? call.result : call.argument),
          expected.what());
    }
  }

  std::map<std::uint32_t, Members> by_part() const {
    std::map<std::uint32_t, Members> parts;
    for (std::uint32_t i = 0; i < entries_.size(); ++i) parts[entries_[i].part].push_back(i);
    return parts;
  }

  ModelResult decide(std::uint32_t part, const Members& members);

  ModelContext context_;
  SearchOptions options_;
  S spec_;
  ValueTable values_;
  std::vector<Entry> entries_;
  ProcessMap<std::size_t> open_;  // the place in entries_ of what a process invoked last
  std::uint32_t clock_ = 0;       // events so far
  std::vector<Value> parts_;
  std::map<std::uint64_t, std::uint32_t> part_numbers_;  // by the bits of the key
};

template <Spec S>
ModelResult SearchModel<S>::decide(std::uint32_t part, const Members& members) {
  std::vector<OperationSpan> intervals;
  std::vector<SpecOperation<S>> operations;
  std::map<std::tuple<std::size_t, std::uint64_t, std::int64_t, std::int64_t, HoldId>,
           std::uint32_t>
      kinds;  // of crashed operations that are interchangeable
  ModelResult result;
  Bounds unbounded;
  Bounds& bounds = context_.bounds != nullptr ? *context_.bounds : unbounded;
  const auto undecided = [&](const std::string& reason) {
    result.judgement = Judgement::undecided;
    result.explanation = reason;
  };
  std::size_t held = memory();
  for (const std::uint32_t i : members) {
    const Entry& e = entries_[i];
    const Call call = call_of(e);
    OperationSpan interval{e.invoked, e.returned, 0};
    if (e.returned == OperationSpan::kNever) {
      constexpr bool kAnonymous = requires { requires S::anonymous; };
      const auto next = static_cast<std::uint32_t>(kinds.size());
      interval.alike = kinds
                           .try_emplace({e.role, call.argument.bits(), kAnonymous ? 0 : std::int64_t{call.process},
                                         kAnonymous ? 0 : call.token, kAnonymous ? 0 : call.hold},
                                        next)
                           .first->second;
    }
    intervals.push_back(interval);
    operations.push_back(read(call));
    held += sizeof(OperationSpan) + sizeof(SpecOperation<S>);
    if (bounds.exceeded(held)) {
      undecided(bounds.reason() + ".");
      return result;
    }
  }
  SpecSpace<S> space(spec_, operations);
  bounds.add_others(held);
  const SearchOutcome outcome = search_order(intervals, space, bounds, options_);
  bounds.remove_others(held);
  if (outcome.verdict == SearchVerdict::linearizable) return result;
  const std::string name = part == kNoPart ? std::string() : "key " + values_.edn(parts_[part]);
  if (outcome.verdict == SearchVerdict::stopped) {
    const std::string where = name.empty() ? "" : " of " + name;
    undecided((bounds.reason().empty() ? "The table of configurations was full" : bounds.reason()) + " after " +
              std::to_string(outcome.configurations) + " configurations" + where + ".");
    return result;
  }
  std::vector<Occurrence> occurrences;
  for (const std::uint32_t i : members) occurrences.push_back(entries_[i].occurrence);
  result.judgement = Judgement::violated;
  result.partial = explain(outcome, intervals, occurrences, space, context_.tables);
  result.partial->part = name;
  result.explanation = summary(*result.partial);
  const PlacedOperation& stuck = result.partial->stuck;
  result.events = {stuck.invoke};
  if (stuck.end) result.events.push_back(*stuck.end);
  return result;
}

template <Spec S>
std::unique_ptr<Model> make_search_model(const ModelContext& context) {
  return std::make_unique<SearchModel<S>>(context);
}

}  // namespace picklock
