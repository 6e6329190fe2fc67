// A model judges the operations on one lock as they pass by, without keeping them.
//
// The sweep (sweep.hpp) pairs completions with their invokes and hands a model the operations of
// its lock only.  A model that wants no more than that is one pair of files and one line in the
// table of models.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/history.hpp"
#include "checker/models/seen_call.hpp"
#include "checker/search/explanation.hpp"
#include "checker/verdict.hpp"

namespace picklock {

// One tenure of a lock, as far as the history tells.
struct WitnessHold {
  OperationEvent acquire;                       // invoke of the acquire
  OperationEvent acquired;                      // ok of the acquire
  std::optional<OperationEvent> release;        // invoke of the first release
  std::optional<OperationEvent> release_ended;  // completion of the first release
};

// Some of the parts of a history: how many, and the names of the first.
struct NamedParts {
  static constexpr std::size_t kNamed = 10;

  std::uint64_t count = 0;
  std::vector<std::string> names;

  void add(std::string name) {
    if (++count <= kNamed) names.push_back(std::move(name));
  }
  void add(NamedParts others);
};

// Counts of the independent parts of a history: locks, or keys of a map.  Each part is one of four.
struct PartCounts {
  std::uint64_t valid = 0;
  NamedParts violated, undecided;
  NamedParts untested;  // parts without any observation: see Model::observes

  [[nodiscard]] std::uint64_t decided() const { return valid + violated.count; }
  [[nodiscard]] std::uint64_t all() const { return decided() + undecided.count + untested.count; }
  void add(PartCounts others);
};

// Verdict on one part of a history whose parts are judged each on its own.
struct PartVerdict {
  std::string name;
  Verdict verdict = Verdict::undecided;
  bool tested = false;      // false: nothing was observed, so "holds" is no evidence
  std::string explanation;  // a sentence or two, if violated or undecided
};

struct ModelResult {
  Verdict verdict = Verdict::holds;
  std::vector<WitnessHold> holds;               // if violated: the holds that cannot be true together
  std::vector<OperationEvent> events;           // if violated: the smallest witness, ascending by index
  std::string explanation;                      // a sentence or two, if violated or undecided
  std::optional<PartialLinearization> partial;  // exists if a search found the violation
  std::optional<MinimalWitness> minimal;        // exists with `partial`; see Model::explain
  std::vector<std::uint32_t> members;           // invokes of all operations of the violated part, if it has a name
  bool unfinished = false;                      // true: undecided so far, but another turn has a chance
  NamedParts overlaps;                          // if violated: acquires that found no room, and the first in words
  PartCounts parts;                             // counts for a model with independent parts, such as keys
};

class StateReader;  // kept_state.hpp
class StateWriter;

class Model {
 public:
  virtual ~Model() = default;

  // `role` is the place of the operation's function in ModelInfo::functions.
  virtual void invoked(const OperationEvent& invoke, std::size_t role) = 0;

  // `end.type` is not invoke.  An operation that has no end in the history stays open.
  virtual void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) = 0;

  // A process goes on although an operation of its on this lock crashed, or never ended: its
  // outcome is open, and the process may live on with it.  Called before the next `invoked`.
  virtual void outlived(const OperationEvent& crashed, std::size_t role) = 0;

  // May the model be dropped for now?  Then a new one of the same lock goes on from what this writes.  False: it is not kept
  // as bytes, for good or at the moment.
  [[nodiscard]] virtual bool keep(StateWriter&) { return false; }
  virtual void restore(StateReader&) {}

  // No more events come.  A model that searches does so for a bounded effort, which grows with each turn (0, 1, 2 …),
  // and is called again while its result is `unfinished`; any other decides at once.
  virtual ModelResult finish(std::uint32_t turn) = 0;

  // May the model refuse this answer, in some of its states?  A history without one such answer, or the part of it on one
  // lock, tests nothing: it is told as that, and not as valid.  ModelInfo::observation says it in words.
  [[nodiscard]] virtual bool observes(const OperationEvent& /*invoke*/, const OperationEvent& end,
                                      std::size_t /*role*/) const {
    return end.type == OperationType::ok;
  }

  // The keys that its operations have had, as `--initial` spells them; false: its first state is not one by keys.
  [[nodiscard]] virtual bool met_keys(std::vector<std::string>&) const { return false; }

  // Its violation is the one that is reported: adds to the result what takes an effort, such as a minimal witness, if
  // that is wanted.  Called after `finish`.
  virtual void explain(ModelResult&, bool /*with_witness*/) {}

  [[nodiscard]] virtual std::size_t memory() const = 0;  // bytes, roughly
};

}  // namespace picklock
