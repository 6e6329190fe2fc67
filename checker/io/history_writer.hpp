// Writes histories as Jepsen EDN (one map a line) or JSON (an array, one object a line), so that
// Knossos accepts them unchanged and our reader loses nothing.
//
// Knossos insists on this: a :process of a client is an integer; a process never invokes again
// after its :info or without a completion (here: it continues under a fresh number); :fail repeats
// the :value of the invoke (what it answered goes to :answer); every completion has its invoke
// (otherwise: WriteError).  Beliefs, grants, effects and the like are :info records whose
// :process is a keyword, which it ignores.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "checker/history.hpp"
#include "checker/io/record_reader.hpp"

namespace picklock {

class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct WriteOptions {
  Format format = Format::edn;  // json, or any other: as EDN
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;  // throws WriteError
};

// Requires that the events of each kind ascend by index, and that no two share one.
void write_history(const History& history, const WriteOptions& options, ByteSink& sink);
std::string write_history_text(const History& history, const WriteOptions& options = {});

// Packed by gzip if the name ends in .gz.  Written beside its target, which it replaces once it is
// whole: where that fails, the target stays as it was.
void write_history_file(const History& history, const std::string& path,
                        const WriteOptions& options = {});  // "-": standard output

// The format of "x.edn", "x.json", "x.edn.gz" and "x.json.gz"; nothing for any other name.
std::optional<Format> format_of_file_name(std::string_view path);

}  // namespace picklock
