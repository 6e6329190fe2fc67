// Files that are written whole or not at all, and outputs that are no files.
//
// A path may lead to a regular file, to nothing yet, or to what cannot be replaced: a device, a FIFO, an open descriptor such
// as /dev/stdout.  The first two are written beside their place and take it once they are whole; symbolic links that lead
// there are kept, and so are the owner and the permissions of a file that is replaced.  All else is written through.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace picklock {

// An output that is written in pieces.  Each member throws std::runtime_error, with the path and the reason.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // a regular file stays as it was, unless close() was called

  void write(std::string_view bytes);
  void close();  // call it once; only then the content is there

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Makes `content` the content of `path`, in one step where that is a regular file.  Throws as OutputFile does.
void write_file(const std::string& path, std::string_view content);

// True if a file could not replace `path` without destroying it: a device, a FIFO, a descriptor.
bool is_written_through(const std::string& path);

// Creates the folder, and those above it, if it is not there.  Throws std::runtime_error if it cannot.
void make_folder(const std::string& path);

}  // namespace picklock
