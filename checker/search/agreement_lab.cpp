#include "checker/search/agreement_lab.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "checker/io/edn.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/models/check_file.hpp"
#include "checker/models/search_model.hpp"
#include "checker/search/specs/registers.hpp"
#include "checker/search/specs/set.hpp"

namespace picklock {
namespace {

template <Spec S>
ModelResult judge_by(const History& history, S spec, const SearchOptions& options, const std::string& initial) {
  const std::string edn = initial.empty() ? "" : canonical_edn(initial);
  SearchModel<S> model({history, kNoName, 0, nullptr, edn}, std::move(spec), options);
  std::map<std::int32_t, OperationEvent> open;
  for (const OperationEvent& event : history.operations) {
    const std::string_view f = history.names.view(history.functions[event.f]);
    const auto role =
        static_cast<std::size_t>(std::find(S::functions.begin(), S::functions.end(), f) - S::functions.begin());
    if (event.type == OperationType::invoke) {
      model.invoked(event, role);
      open[event.process] = event;
    } else {
      model.returned(open.at(event.process), event, role);
    }
  }
  ModelResult result = model.finish(0);
  for (std::uint32_t turn = 1; result.unfinished; ++turn) result = model.finish(turn);
  if (result.verdict == Verdict::violated) model.explain(result, true);
  return result;
}

bool has_keys(TestModel model) { return model == TestModel::kv || model == TestModel::kv_object; }

// The flaw of an explanation, or empty: the order that it lists must obey the object and
// real time, and the candidates must be what they are said to be.
std::string flaw_of(const TestHistory& h, const PartialLinearization& partial) {
  const auto call_of = [&](const OperationEvent& invoke) -> const TestCall& {
    return *std::find_if(h.calls.begin(), h.calls.end(), [&](const TestCall& c) { return c.invoked == invoke.index; });
  };
  TestObject object = h.initial;
  std::set<std::uint32_t> done;
  for (const PlacedOperation& placed : partial.placed) {
    const TestCall& call = call_of(placed.invoke);
    for (const TestCall& other : h.calls) {
      const bool counts = other.fate == TestCall::Fate::ok || other.refused;
      if (!counts || *other.returned > call.invoked) continue;
      if (done.count(other.invoked) == 0) return "an operation is placed too early";
    }
    if (!replay(object, call)) return "an operation is placed where it is impossible";
    if (!done.insert(call.invoked).second) return "an operation is placed twice";
  }
  if (partial.candidates.empty() || partial.candidates[0].invoke.index != partial.stuck.invoke.index) {
    return "the operation that is stuck is not the first candidate";
  }
  for (const FailedCandidate& candidate : partial.candidates) {
    TestObject after = object;
    if (candidate.possible != replay(after, call_of(candidate.invoke))) {
      return "a candidate is not what it is said to be";
    }
    if (candidate.why.empty()) return "a candidate fails for no reason";
  }
  return {};
}

// The problem with the smallest set of operations without an order, or empty.
std::string flaw_of(const TestHistory& h, const MinimalWitness& witness, int key) {
  std::vector<std::uint32_t> kept;
  for (const PlacedOperation& operation : witness.operations) kept.push_back(operation.invoke.index);
  if (kept.empty() || !witness.minimal) return "no smallest set was found";
  const bool own = witness.own_time;
  if (try_every_order(loosened(h, kept, own), key).linearizable) return "the smallest set has an order";
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::vector<std::uint32_t> fewer = kept;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (!try_every_order(loosened(h, fewer, own), key).linearizable) return "the smallest set is not the smallest";
  }
  return {};
}

// Number of the violated part: "key 1", "key key 1".
int key_of(const PartialLinearization& partial) { return partial.part.empty() ? -1 : partial.part.back() - '0'; }

// The difference between the results and what is expected, or empty.
std::string difference(TestModel model, const TestHistory& h, const TestVerdict& expected) {
  const auto compare = [&](Verdict verdict, const std::optional<PartialLinearization>& partial,
                           const std::string& setting) -> std::string {
    if ((verdict == Verdict::violated) == expected.linearizable) {
      return setting + ": the verdict";
    }
    if (!expected.linearizable && !partial) return setting + ": no explanation";
    if (!partial || has_keys(model)) return {};
    if (partial->stuck.invoke.index != expected.stuck) return setting + ": stuck elsewhere";
    const std::string flaw = flaw_of(h, *partial);
    return flaw.empty() ? flaw : setting + ": " + flaw;
  };
  const std::string initial = initial_edn(model, h.initial);
  const CheckResult whole = check_history(h.history, {.model = std::string(name_of(model)), .initial = initial});
  const bool silent = whole.explanation.starts_with("Nothing was observed") && expected.linearizable;
  if (whole.verdict == Verdict::undecided && whole.operations > 0 && !silent) return "undecided";
  std::string found = compare(whole.verdict, whole.partial, "one segment");
  if (found.empty() && whole.partial) found = flaw_of(h, whole.minimal.value(), key_of(*whole.partial));
  if (model == TestModel::kv_object || !found.empty()) return found;
  const ModelResult cut = judge(model, h.history, {.straight = false, .segment = 1, .small_witness = 0}, initial);
  found = compare(cut.verdict, cut.partial, "cut wherever possible");
  if (found.empty() && cut.partial) found = flaw_of(h, cut.minimal.value(), key_of(*cut.partial));
  if (!found.empty()) return found;
  const ModelResult straight = judge(model, h.history, {.segment = 1, .small_witness = 0}, initial);
  found = compare(straight.verdict, straight.partial, "straight on");
  if (!found.empty()) return found;
  const ModelResult uncut =
      judge(model, h.history, {.straight = false, .segment = 1, .configurations_per_operation = 0}, initial);
  found = compare(uncut.verdict, uncut.partial, "large segments, searched at once");
  if (!found.empty()) return found;
  const ModelResult patient =
      judge(model, h.history,
            {.straight = false, .segment = 1, .configurations_per_operation = 0, .configurations_at_once = 0}, initial);
  return compare(patient.verdict, patient.partial, "large segments, cut after all");
}

}  // namespace

ModelResult judge(TestModel model, const History& history, const SearchOptions& options, const std::string& initial) {
  switch (model) {
    case TestModel::reg:
      return judge_by(history, Register{}, options, initial);
    case TestModel::cas_register:
      return judge_by(history, CasRegister{}, options, initial);
    case TestModel::try_cas_register:
      return judge_by(history, TryCasRegister{}, options, initial);
    case TestModel::multi_register:
      return judge_by(history, MultiRegister{}, options, initial);
    case TestModel::set:
      return judge_by(history, GrowingSet{}, options, initial);
    case TestModel::kv:
      return judge_by(history, KeyValue(), options, initial);
    case TestModel::kv_object:
      break;
  }
  return {};
}

TestVerdict truth(TestModel model, const TestHistory& h) {
  if (!has_keys(model)) return try_every_order(h);
  TestVerdict verdict{true, 0};
  for (const int key : {0, 1}) {
    if (!try_every_order(h, key).linearizable) verdict.linearizable = false;
  }
  return verdict;
}

Comparison compare_general(TestModel model, int histories, std::uint64_t seed) {
  Comparison out;
  for (int i = 0; i < histories; ++i) {
    LabRandom random((seed + static_cast<std::uint64_t>(i)) * 8 + static_cast<std::uint64_t>(model));
    const TestHistory h = random_calls(random, model, 4 + random.below(6));
    const TestVerdict expected = truth(model, h);
    ++(expected.linearizable ? out.valid : out.invalid);
    const std::string found = difference(model, h, expected);
    if (found.empty()) continue;
    if (++out.wrong == 1) {
      out.first = found + "; begins with " + initial_edn(model, h.initial) + "\n" + write_history_text(h.history);
    }
  }
  return out;
}

}  // namespace picklock
