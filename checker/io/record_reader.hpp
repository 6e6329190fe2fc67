// Cuts a file into records (maps), one at a time.
#pragma once

#include <memory>
#include <string>

#include "checker/io/edn.hpp"
#include "checker/io/format.hpp"
#include "checker/io/read_error.hpp"
#include "checker/io/syntax.hpp"
#include "checker/io/window.hpp"

namespace picklock {

class RecordReader {
 public:
  RecordReader(Window& window, std::string file, const ReadLimits& limits)
      : window_(window), file_(std::move(file)), limits_(limits) {}
  virtual ~RecordReader() = default;

  // False at the end of the file.  Throws ReadError.  `record` is valid until the next call.
  bool next(Record& record);

  // Position of a byte of the record last read.
  [[nodiscard]] Position position(const char* at) const { return window_.position(at); }
  [[noreturn]] void fail(const char* at, std::string found, std::string expected) const;

 protected:
  enum class Step { record, end, again };

  // One step forward.  May throw SyntaxError, and NeedMore to be called again with more bytes.
  virtual Step step(Record& record) = 0;

  Window& window_;
  std::string file_;
  ReadLimits limits_;
};

// Throws ReadError if the first bytes are no text that a history could be (stranger.hpp).
void refuse_stranger(Window& window, const std::string& file);

// Looks at the first bytes, and tells EDN, JSON, Jepsen's log and CSV apart.  Throws ReadError if they
// begin none of them.
Format recognise_syntax(Window& window, const std::string& file);

// Tells by its first record what a history in EDN or JSON holds: lease_json, porcupine, or `syntax`.
Format recognise_content(Format syntax, const Record& first);

std::unique_ptr<RecordReader> make_edn_reader(Window&, std::string file, const ReadLimits&);
std::unique_ptr<RecordReader> make_json_reader(Window&, std::string file, const ReadLimits&);
std::unique_ptr<RecordReader> make_log_reader(Window&, std::string file, const ReadLimits&);
std::unique_ptr<RecordReader> make_csv_reader(Window&, std::string file, const ReadLimits&);

// The reader for a syntax.  Requires format != automatic.
std::unique_ptr<RecordReader> make_reader(Format, Window&, std::string file, const ReadLimits&);

// Any one JSON object, [begin, end), by nlohmann's parser: slower than the scanner for flat records
// that tries first, and the reference for it.  Throws SyntaxError.
void read_json_record(const char* begin, const char* end, const ReadLimits& limits, Record& record);

}  // namespace picklock
