// For tests: a lock's options, which the table's lines make without saying of what type, by their type.
#pragma once

#include <functional>

#include "sim/task/fields.hpp"

namespace picklock::testing {

// For a client that is being made: `edit` changes its options, of type T, before its lock is made.
template <class T, class Edit>
std::function<void(Options&)> options_of(Edit edit) {
  return [edit](Options& options) { edit(static_cast<OptionsOf<T>&>(options).value); };
}

}  // namespace picklock::testing
