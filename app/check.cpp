#include <fmt/format.h>

#include "app/command.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/models/check_file.hpp"
#include "reports/check_dot.hpp"
#include "reports/check_page.hpp"
#include "reports/check_text.hpp"
#include "reports/files.hpp"
#include "reports/json.hpp"

namespace picklock {
namespace {

int status_of(Verdict verdict) {
  return verdict == Verdict::holds ? kAsExpected : verdict == Verdict::violated ? kNotAsExpected : kUndecided;
}

int report(const ReadError& error, bool json) {
  ScenarioError e;
  e.file = error.file;
  e.line = static_cast<std::uint32_t>(error.line);
  e.column = static_cast<std::uint32_t>(error.column);
  e.found = error.found;
  e.expected = error.expected;
  if (json) fmt::print("{}", errors_json({e}));
  fmt::print(stderr, "picklock: {}\n", error.what());
  return kUsage;
}

}  // namespace

int check(const CheckCommand& command) {
  const ReadOptions reading = read_options(command.history);
  CheckOptions options;
  options.model = command.model;
  options.format = reading.format;
  options.functions = reading.functions;
  options.ignored = command.ignore;
  options.fields = reading.fields;
  options.timeout =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(command.timeout_s));
  options.memory = static_cast<std::size_t>(command.memory_mb) << 20;
  try {
    std::optional<History> history;  // the page draws it; a file is read twice, so that an error keeps its line
    const bool once = command.history.file == "-";
    if (!command.html.empty() && once) history = read_history_file(command.history.file, reading);
    const CheckResult result = history ? check_history(*history, options) : check_file(command.history.file, options);
    if (!command.html.empty() && !once) history = read_history_file(command.history.file, reading);
    if (history) write_file(command.html, check_page(command.history.file, result, *history));
    if (!command.dot.empty()) write_file(command.dot, check_dot(result));
    fmt::print("{}",
               command.json ? check_json(command.history.file, result) : check_text(command.history.file, result));
    return status_of(result.verdict);
  } catch (const ReadError& error) {
    return report(error, command.json);
  }
}

int export_history(const ExportCommand& command) {
  WriteOptions write;
  const auto format = format_of_file_name(command.to);
  if (!format) {
    fmt::print(stderr,
               "picklock: found '{}', expected a file whose name ends in .edn or .json, and then .gz to pack it\n",
               command.to);
    return kUsage;
  }
  write.format = *format;
  if (command.end_of_belief == "release") write.end_of_belief = EndOfBelief::release;
  try {
    const History history = read_history_file(command.history.file, read_options(command.history));
    write_history_file(history, command.to, write);
    return kAsExpected;
  } catch (const ReadError& error) {
    return report(error, false);
  }
}

}  // namespace picklock
