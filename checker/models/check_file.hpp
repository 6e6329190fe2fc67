// Judges a history by a model of a lock, or of another object.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/history.hpp"
#include "checker/io/history_reader.hpp"
#include "checker/models/model.hpp"
#include "checker/models/models.hpp"

namespace picklock {

struct HistoryCheckOptions {
  std::string model = "mutex";
  std::string initial = {};  // the model's first state, see ModelInfo::initial; empty: its own
  Format format = Format::automatic;
  std::chrono::nanoseconds timeout{0};                           // limit of time; 0: none
  std::size_t memory = 0;                                        // limit of the bytes held by names and models; 0: none
  std::size_t awake_locks = 1024;                                // locks whose models are kept while they are idle
  std::vector<std::pair<std::string, std::string>> functions{};  // pairs of the file's word and picklock's
  ForeignFields fields{};                                        // names of the file's keys
  bool sort_by_time = false;                                     // sorts a file's records: see ReadOptions
  bool verdict_only = false;                                     // true: no minimal witness; any violation of keys
  // Functions, as the model would spell them, that are left out; others that it does not know are a ReadError, but for
  // the work that clients of a run do under the lock (History::omniscient), which is left out and counted.
  // None: all that it does not know are left out.
  std::optional<std::vector<std::string>> ignored{};
};

struct CheckResult {
  std::string model;
  Verdict verdict = Verdict::undecided;
  std::vector<WitnessHold> holds;                              // if violated: the holds that cannot be true together
  std::vector<OperationEvent> events;                          // if violated: the smallest witness, ascending by index
  std::string explanation;                                     // a sentence or two
  std::optional<PartialLinearization> partial;                 // exists if a search found the violation
  std::optional<MinimalWitness> minimal;                       // exists if a search found the violation
  std::vector<std::uint32_t> members;                          // invokes of the violated part: see ModelResult
  PartCounts parts;                                            // results of the locks, or keys
  NamedParts overlaps;                                         // if violated: acquires that found no room, in words
  std::vector<PartVerdict> keys;                               // one for each key, with ForeignFields::independent
  std::uint64_t operations = 0;                                // number of operations judged by the model
  std::uint64_t records = 0;                                   // number of records read, of any kind
  std::vector<std::pair<std::string, std::uint64_t>> skipped;  // numbers of operations not judged, by function
  std::uint64_t of_others = 0;                                 // events of no client, such as the nemesis
  std::uint64_t backwards = 0;        // events whose time lies before that of an event above them …
  std::uint32_t first_backwards = 0;  // … and the index of the first
  std::string_view likely_time_unit;  // "s", "ms" or "us": no unit was given, and in this one the times lie in 100 days
  bool likely_independent = false;    // true: all values are [key value], and no option says where the key is
  std::string text_number;            // if violated: a number that was written, and read as its digits; or empty
  Format format = Format::automatic;  // format that was recognised; automatic: the history came from memory
  std::chrono::nanoseconds elapsed{0};
  History tables;  // the names behind the ids above; without events
  Naming naming;   // names of clients and owners behind the ids above
};

// Reads the file once, front to back; memory does not grow with it.  "-" is standard input.
// Throws ReadError for the file and std::invalid_argument for the model.
CheckResult check_file(const std::string& path, const HistoryCheckOptions& options = {});
CheckResult check_source(ByteSource& source, const std::string& file, const HistoryCheckOptions& options = {});

// Checks a history in memory.  An impossible event is a ReadError of file "history", whose
// line is the position in `operations`, from 1.
CheckResult check_history(const History& history, const HistoryCheckOptions& options = {});

// Checks by a model that need not be in the table; options.model is only its name in the result.
CheckResult check_history(const History& history, const ModelChoice& choice, const HistoryCheckOptions& options);

}  // namespace picklock
