// A history is written to a text or a file, packed or not.
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/files.hpp"
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
  explicit FileSink(const std::string& path) {
    translated([&] { file_.emplace(path == "-" ? "/dev/stdout" : path); });
  }
  void write(std::string_view bytes) override {
    translated([&] { file_->write(bytes); });
  }
  void close() {
    translated([&] { file_->close(); });
  }

 private:
  template <class Step>
  static void translated(const Step& step) {
    try {
      step();
    } catch (const std::runtime_error& error) {
      throw WriteError(error.what());
    }
  }

  std::optional<OutputFile> file_;
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
