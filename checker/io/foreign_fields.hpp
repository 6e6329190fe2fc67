// A map from the words of a foreign history to ours, so that it can be read without being rewritten.
//
// A field is named by a key of the record (client), by a key of the map in its :value (fence), or by
// a path of keys and positions (value.fence, value.0).  An operation's lock and owner are those that
// its invoke names, and otherwise those that its completion names.  A lock that is found inside a :value leaves it: of
// [key value] the value remains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/history.hpp"
#include "checker/io/format.hpp"

namespace picklock {

// A function whose records are whole operations: invoked and ended at that instant.
struct InstantFunction {
  std::string theirs;                     // "acquired"
  std::string ours;                       // "acquire"
  OperationType end = OperationType::ok;  // ok, fail or info

  friend bool operator==(const InstantFunction&, const InstantFunction&) = default;
};

struct ForeignFields {
  using Renames = std::vector<std::pair<std::string, std::string>>;  // pairs of the file's word and picklock's

  Renames keys;                           // keys of records: op to f, ts to time
  Renames types;                          // types of records: start to invoke, end to ok
  std::string process;                    // field whose values, of any kind, are numbered as client processes
  std::string owner;                      // field whose values are numbered as OperationEvent::hold
  std::string lock;                       // field that becomes OperationEvent::object
  bool key_beside = false;                // true: without a lock field the lock is :key, in the records that have one
  bool independent = false;               // true: a client's :value is [key value]; the key is the lock
  bool numbers_in_texts = false;          // true: a text of digits in a :value is that number
  std::string token;                      // field that becomes OperationEvent::token: an integer, or its digits
  std::vector<std::string> refused;       // values that make an ok a fail: "false", "", "nil"
  std::string end;                        // field with the end of a whole operation, which begins at :time
  std::vector<InstantFunction> instants;  // functions whose records need no type; then all events are numbered anew
  // Largest error of the clocks of several hosts, in nanoseconds: each time is as good as that, to both sides.
  std::int64_t skew = 0;
  // Nanoseconds in one unit of :time; nothing: not said, and 1.  A text may be a number of units or an ISO 8601 time.
  std::optional<std::int64_t> time_unit;

  friend bool operator==(const ForeignFields&, const ForeignFields&) = default;
};

// Fills with the format's defaults all fields that the caller left open.
ForeignFields with_defaults_of(Format format, ForeignFields fields);
ForeignFields::Renames functions_of(Format format);

}  // namespace picklock
