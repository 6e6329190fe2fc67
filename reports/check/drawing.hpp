// Operations as an ASCII drawing: time runs to the right, a lane per process.
//
//     index      1104       1109       1117       1119       1130
//     ms         29301.224  29421.003  29433.870  29455.102  29501.341
//     process 3  |-acquire--[====================================================> never released
//     process 0                        |-acquire--[==========]-release-|
//                                                 ^^^^^^^^^^^^ both hold
//
// The columns stand for the events that are drawn, in their order, not for the time between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/models/check_file.hpp"

namespace picklock {

// Drawing of one operation, from its invoke on.
struct DrawnOperation {
  std::string lane;  // client in whose lane it is drawn
  std::string name;  // "acquire"
  OperationEvent invoke;
  std::optional<OperationEvent> end;         // end of the operation; none, or an info: open to the right
  bool takes = false;                        // true: it takes the lock, and holds it from its end on …
  std::optional<OperationEvent> held_until;  // … up to this event; none: for ever
  std::string note;                          // text within the hold, if there is room: "token 7"
};

// The operations of a witness: those of its holds first, then what else its events belong to, by
// the index of their invoke.
std::vector<DrawnOperation> drawn_operations(const CheckResult& result);

// Two rows of numbers, the lanes, and where there are two holds or more a row that marks when all
// are held. Ends with a line break; empty if there is nothing to draw.
std::string draw_operations(const std::vector<DrawnOperation>& operations, const Naming& naming = {});

}  // namespace picklock
