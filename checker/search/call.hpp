// One operation of a history as a model is given it.
#pragma once

#include <cstdint>
#include <string_view>

#include "checker/history.hpp"

namespace picklock {

struct Call {
  std::string_view function;  // one of the model's functions
  Value argument;             // argument of the invoke
  Value result;               // result of the ok; nil for a crashed operation
  std::int64_t token = kNoToken;
  std::int32_t process = 0;
  HoldId hold = kNoHold;
  bool completed = false;  // false: it crashed, and its return is unknown
  bool failed = false;     // true: completed by a refusal; only for functions in the spec's `refusals`
};

// The elements of a vector, list or set in canonical EDN, one after the other: of "[1 [2 3]]" these
// are "1" and "[2 3]".
class EdnElements {
 public:
  // Empty if `canonical` is none of these.
  explicit EdnElements(std::string_view canonical);

  [[nodiscard]] static bool is_sequence(std::string_view canonical);

  // False after the last.
  bool next(std::string_view& element);

 private:
  std::string_view rest_;
};

}  // namespace picklock
