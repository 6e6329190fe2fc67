// Reads histories in the forms of format.hpp, as they are or packed by gzip, recognised by content.
//
//   FileSource source(path);
//   History tables;                              // receives the names, not the events
//   HistoryReader reader(source, path, tables);
//   while (reader.next(sink)) {}                 // memory does not grow with the file
//
// or, for a whole History,  read_history_file(path).
//
// ReadOptions::fields says what the words of a foreign history mean (foreign_fields.hpp).
// Missing :index: one more than the record before.  Missing :time: kNoTime.  One record is two events where
// ForeignFields::instants says so.  Keys that no field
// holds (:error, …) become ExtraFields.  Records whose :process is one of kOwnProcesses are the
// events that our own writer adds.  All errors are ReadErrors.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/history.hpp"
#include "checker/io/byte_source.hpp"
#include "checker/io/event_sink.hpp"
#include "checker/io/foreign_fields.hpp"
#include "checker/io/read_error.hpp"
#include "checker/io/record_reader.hpp"
#include "checker/naming.hpp"

namespace picklock {

struct ReadOptions {
  Format format = Format::automatic;
  bool keep_values = true;  // true: keeps values; false: they stay nil, which keeps memory flat
  bool keep_extras = true;
  ForeignFields::Renames functions;  // pairs of the file's word and picklock's, e.g. lock to acquire
  ForeignFields fields;
  // Hands events out by time, equal ones in the order of the file, and numbers them anew.  The first call of `next` then
  // reads the whole file.  An event without a time is a ReadError, and so is a run's own history.
  bool sort_by_time = false;
  Naming* naming = nullptr;  // receives the names of clients and owners, which are numbers in the events
  ReadLimits limits;
};

class EventDecoder;
class EventSorter;
class UnpackingSource;

class HistoryReader {
 public:
  // Reads as far as the first record, to know the format.  Interns into names, values and functions
  // of `tables`.  All references must outlive the reader.
  HistoryReader(ByteSource& source, std::string file, History& tables, ReadOptions options = {});
  ~HistoryReader();
  HistoryReader(const HistoryReader&) = delete;
  HistoryReader& operator=(const HistoryReader&) = delete;

  // Hands the next event to `sink`; false at the end of the file.  There, a field, key, type or function that the
  // options name and that no record has had is a ReadError, with the nearest name.
  bool next(EventSink& sink);

  [[nodiscard]] Format format() const { return format_; }

  // Are the values of all operations so far [key value], as of Jepsen's independent tests?
  [[nodiscard]] bool likely_independent() const;

  // Position of the event last handed out, until the next call.
  [[nodiscard]] Position position() const;

  // A sink calls this if it finds that event impossible, e.g. an ok without its invoke.
  [[noreturn]] void fail(std::string found, std::string expected) const;

 private:
  void check_fields() const;
  bool read_next(EventSink& sink);
  bool sorted_next(EventSink& sink);
  Format recognised();
  bool read_ahead();

  std::string file_;
  ReadOptions options_;
  History& tables_;
  ForeignFields::Renames asked_functions_, asked_types_;  // renames that the caller asked for, not the format
  std::unique_ptr<UnpackingSource> unpacked_;
  Window window_;
  Format format_;
  Record record_;
  bool ahead_ = false;  // true: record_ was read, to see what it is, and not yet handed out
  std::unique_ptr<RecordReader> records_;
  std::unique_ptr<EventDecoder> decoder_;
  std::unique_ptr<EventSorter> sorter_;  // exists with ReadOptions::sort_by_time, from the first call of `next` on
  Position position_;                    // position of the event that it last handed out
};

History read_history(ByteSource& source, const std::string& file, const ReadOptions& options = {});
History read_history_text(std::string_view text, const ReadOptions& options = {});
History read_history_file(const std::string& path, const ReadOptions& options = {});  // "-": stdin

// The first difference in meaning, in words, or empty: ids of names, functions and values may
// differ, and so may functions and names that no event uses.
std::string first_difference(const History& a, const History& b);

}  // namespace picklock
