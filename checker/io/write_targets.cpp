// Where a history is written to: a text or a file, packed or not.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
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

class FileSink final : public ByteSink {
 public:
  explicit FileSink(const std::string& path)
      : path_(path), file_(path == "-" ? stdout : std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) fail();
  }
  ~FileSink() override {
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    struct stat status {};
    if (::stat(path_.c_str(), &status) == 0 && S_ISREG(status.st_mode)) ::unlink(path_.c_str());
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void write(std::string_view bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
  }
  void close() {
    std::FILE* const file = file_;
    if (file == stdout) {
      if (std::fflush(file) != 0) fail();
      return;
    }
    file_ = nullptr;
    if (std::fclose(file) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const { throw WriteError(path_ + ": " + std::strerror(errno)); }

  std::string path_;
  std::FILE* file_;
};

}  // namespace

std::string write_history_text(const History& history, const WriteOptions& options) {
  TextSink sink;
  write_history(history, options, sink);
  return std::move(sink.text);
}

void write_history_file(const History& history, const std::string& path,
                        const WriteOptions& options) {
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
