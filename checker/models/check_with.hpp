// A model of one's own, in one's own program: a Spec (checker/search/spec.hpp), and
//
//   const CheckResult result = check_with<Counter>(read_history_file("run.edn"));
//
// or, for everything that takes the name of a model (check_file, the command's own sources),
//
//   add_search_model<Counter>("counter", "a counter that never loses an addition");
//   const CheckResult result = check_file("run.edn", {.model = "counter"});
#pragma once

#include <string_view>

#include "checker/models/check_file.hpp"
#include "checker/models/search_model.hpp"

namespace picklock {

// `functions` of the spec, and the names here, must stay valid.
template <Spec S>
ModelInfo model_of(std::string_view name, std::string_view description) {
  return {name, {}, description, S::functions, make_search_model<S>, true};
}

// False if the name is taken.
template <Spec S>
bool add_search_model(std::string_view name, std::string_view description) {
  return add_model(model_of<S>(name, description));
}

// Locks and objects that the operations name (:object) are judged apart.  options.model is ignored.
template <Spec S>
CheckResult check_with(const History& history, HistoryCheckOptions options = {}) {
  const ModelInfo info = model_of<S>("own model", {});
  options.model = info.name;
  return check_history(history, ModelChoice{&info, 0}, options);
}

}  // namespace picklock
