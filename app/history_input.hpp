// A recorded history, and what its words mean: checker/io/foreign_fields.hpp.
#pragma once

#include <string>
#include <vector>

#include "app/shared_options.hpp"
#include "checker/io/history_reader.hpp"

namespace picklock {

struct HistoryInput {
  std::string file;                           // "-": standard input
  std::string format;                         // a name of checker/io/format.hpp; empty: recognised by content
  std::vector<std::string> map, keys, types;  // THEIRS=OURS: functions, keys, types
  std::string process_field, owner_field, lock_field, token_field;
  bool independent = false, numbers_in_texts = false;
  std::string end_field;
  std::string skew;  // "5ms"; empty: none
  std::vector<std::string> refused;
  std::vector<std::string> instants;  // THEIRS=OURS, or THEIRS=OURS:fail
  std::string time_unit;              // ns, us, ms or s; empty: not said
  std::string sort;                   // "time", or empty
};

// Adds the options that name a history and the meaning of its words.
void add_history_options(CLI::App& app, HistoryInput& input);

// Throws std::invalid_argument.  Requires that format and time_unit are known.
ReadOptions read_options(const HistoryInput& input);

// Prints what is wrong with a history; gives the exit status.
int report(const ReadError& error, bool json);

}  // namespace picklock
