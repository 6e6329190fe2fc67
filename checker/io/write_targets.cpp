// Where a history is written to: a text or a file, packed or not.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "checker/io/gzip.hpp"
#include "checker/io/history_writer.hpp"

namespace picklock {
namespace {

constexpr std::string_view kPacked = ".gz";

class TextSink final : public ByteSink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

// A file is written beside its target and takes its place once it is whole: a history that cannot be
// written to its end leaves the target as it was.  What is no regular file (a pipe, a terminal) is
// written to directly.
class FileSink final : public ByteSink {
 public:
  explicit FileSink(const std::string& path) : path_(path) {
    if (path == "-") {
      file_ = stdout;
      return;
    }
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
      file_ = std::fopen(path.c_str(), "wb");
    } else {
      if (exists) target_ = std::filesystem::canonical(path).string();  // what a link leads to
      if (target_.empty()) target_ = path;
      if (exists && ::access(target_.c_str(), W_OK) != 0) fail();
      beside_ = target_ + "." + std::to_string(::getpid()) + ".tmp";
      file_ = std::fopen(beside_.c_str(), "wbx");
      if (file_ != nullptr && exists) ::fchmod(::fileno(file_), status.st_mode & 07777);
    }
    if (file_ == nullptr) fail();
  }
  ~FileSink() override {
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    if (!beside_.empty()) ::unlink(beside_.c_str());
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void write(std::string_view bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
  }
  void close() {
    if (file_ == stdout) {
      if (std::fflush(file_) != 0) fail();
      return;
    }
    if (std::fflush(file_) != 0) fail();
    std::FILE* const file = std::exchange(file_, nullptr);
    const bool closed = std::fclose(file) == 0;
    if (beside_.empty() && closed) return;
    if (closed && std::rename(beside_.c_str(), target_.c_str()) == 0) return;
    const int error = errno;
    if (!beside_.empty()) ::unlink(beside_.c_str());
    errno = error;
    fail();
  }

 private:
  [[noreturn]] void fail() const { throw WriteError(path_ + ": " + std::strerror(errno)); }

  std::string path_, target_, beside_;
  std::FILE* file_ = nullptr;
};

}  // namespace

std::string write_history_text(const History& history, const WriteOptions& options) {
  TextSink sink;
  write_history(history, options, sink);
  return std::move(sink.text);
}

void write_history_file(const History& history, const std::string& path, const WriteOptions& options) {
  FileSink sink(path);
  if (path.ends_with(kPacked)) {
    PackingSink packing(sink);
    write_history(history, options, packing);
    packing.finish();
  } else {
    write_history(history, options, sink);
  }
  sink.close();
}

std::optional<Format> format_of_file_name(std::string_view path) {
  if (path.ends_with(kPacked)) path.remove_suffix(kPacked.size());
  if (path.ends_with(".edn")) return Format::edn;
  if (path.ends_with(".json")) return Format::json;
  return std::nullopt;
}

}  // namespace picklock
