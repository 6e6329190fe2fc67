// The models there are.  To add one: a file beside mutex.cpp, and a line in the table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "checker/models/bounds.hpp"
#include "checker/models/model.hpp"
#include "checker/naming.hpp"

namespace picklock {

struct ModelContext {
  const History& tables;  // names behind the ids of the events; outlives the model
  NameId lock = kNoName;
  std::int64_t parameter = 0;  // N of name:N
  Bounds* bounds = nullptr;    // bounds that a searching model keeps; outlives the model; none: unbounded
  // Canonical EDN of what ModelInfo::initial means; empty: not said.  Outlives the making of the model.
  std::string_view initial = {};
  const Naming* naming = nullptr;  // names of clients and owners; outlives the model; none: numbers
  bool each = false;               // true: the lock is a key that is judged on its own
  bool any_violation = false;      // true: finds any violation of several keys, not the one that shows first

  [[nodiscard]] const Naming& names() const;
  // See words.hpp.
  [[nodiscard]] std::string who(const OperationEvent& event) const;
  [[nodiscard]] std::string subject(const OperationEvent& event) const;
  [[nodiscard]] std::string hold_name(HoldId hold) const;
  [[nodiscard]] std::string when(const OperationEvent& event) const;
};

struct ModelInfo {
  std::string_view name;
  std::string_view parameter;                   // meaning of N, or empty if there is none
  std::string_view description;                 // one line
  std::span<const std::string_view> functions;  // the first ones take the lock
  std::unique_ptr<Model> (*make)(const ModelContext&);
  bool needs_values = false;      // true: reads OperationEvent::value; false: it is nil, which keeps memory flat
  std::size_t taking = 1;         // number of functions that take the lock
  std::string_view initial = {};  // meaning of `--initial`; empty: nothing can be set
  // The history must have one for the model to be tested (Model::observes): the only … that could contradict it.
  std::string_view observation = "an operation that succeeded";
  bool keyed = false;  // true: a value may be [key value]
};

std::span<const ModelInfo> models();

// Adds a model of one's own, for the name to be known to `find_model`.  The views must stay valid.
// False if the name is taken.  Not while other threads use models.
bool add_model(const ModelInfo& model);

struct ModelChoice {
  const ModelInfo* info = nullptr;
  std::int64_t parameter = 0;
  std::string initial = {};  // first state: see ModelContext
};

// "mutex", "semaphore:3".  Throws std::invalid_argument, with the nearest name.
ModelChoice find_model(const std::string& text);

// Also takes the first state in EDN; a bare word is a string.  Empty: the model's own.  Throws std::invalid_argument
// too if the model has no first state that can be set, or rejects this one.
ModelChoice find_model(const std::string& text, const std::string& initial);

}  // namespace picklock
