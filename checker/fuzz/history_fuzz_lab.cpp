#include "checker/fuzz/history_fuzz_lab.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "checker/io/history_reader.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/io/lock_operations.hpp"
#include "checker/models/check_file.hpp"

namespace picklock {
namespace {

[[noreturn]] void abort_with(const char* what, const std::string& detail) {
  std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
  std::abort();
}

// The written history must be readable, and be written the same again.
void expect_stable(const History& history, Format format) {
  std::string text;
  try {
    text = write_history_text(history, {format});
  } catch (const WriteError&) {
    return;  // e.g. a completion without its invoke
  }
  try {
    ReadOptions options;
    options.format = format;
    const std::string again = write_history_text(read_history_text(text, options), {format});
    if (again != text) abort_with("not stable", text + "\n" + again);
    static_cast<void>(write_history_text(with_beliefs_as_operations(history), {format}));
  } catch (const ReadError& error) {
    abort_with(error.what(), text);
  } catch (const WriteError& error) {
    abort_with(error.what(), text);
  }
}

// Reads with every field of a foreign history asked for.
void expect_mapped(std::string_view text, Format format) {
  ReadOptions options;
  options.format = format;
  options.limits.record = 1u << 14;
  options.functions = {{"lock", "acquire"}};
  options.fields.keys = {{"op", "f"}};
  options.fields.types = {{"start", "invoke"}};
  options.fields.owner = "client";
  options.fields.lock = "value.0";
  options.fields.token = "value.fence";
  options.fields.refused = {"false"};
  options.fields.time_unit = 1'000'000;
  const History history = read_history_text(text, options);
  expect_stable(history, Format::edn);
  options.fields.process = "client";
  read_history_text(text, options);
}

}  // namespace

void fuzz_history(std::string_view text, Format format) {
  try {
    TextSource source(text);
    check_source(source, "fuzz", {});  // recognises the format by itself
  } catch (const ReadError&) {
  }
  try {
    ReadOptions options;
    options.format = format;
    options.limits.record = 1u << 14;
    TextSource source(text, 500);
    const History history = read_history(source, "fuzz", options);
    expect_stable(history, Format::edn);
    expect_stable(history, Format::json);
    check_history(history);
  } catch (const ReadError&) {
  }
  try {
    expect_mapped(text, format);
  } catch (const ReadError&) {
  }
}

}  // namespace picklock
