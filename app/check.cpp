#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>

#include "app/command.hpp"
#include "base/printable.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/io/lock_operations.hpp"
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
  fmt::print(stderr, "picklock: {}\n", printable(error.what()));
  return kUsage;
}

std::string standard_input() {
  FileSource source("-");
  std::string all;
  std::array<char, 65'536> bytes{};
  while (const std::size_t count = source.read(bytes.data(), bytes.size())) all.append(bytes.data(), count);
  return all;
}

// Operations that were invoked, by function.
std::map<std::string, std::uint64_t> counts_of(const History& history) {
  std::map<std::string, std::uint64_t> counts;
  for (const OperationEvent& e : history.operations) {
    if (e.process < 0 || e.type != OperationType::invoke) continue;
    ++counts[std::string(history.names.view(history.functions[e.f]))];
  }
  return counts;
}

void tell_what_is_left_out(const History& all, const History& written) {
  auto kept = counts_of(written);
  std::string functions;
  for (const auto& [function, count] : counts_of(all)) {
    if (kept[function] >= count) continue;
    functions += fmt::format("{}{} {}", functions.empty() ? "" : ", ", function, count - kept[function]);
  }
  if (!functions.empty()) fmt::print(stderr, "picklock: left out operations: {}\n", printable(functions));
}

}  // namespace

int check(const CheckCommand& command) {
  const ReadOptions reading = read_options(command.history);
  HistoryCheckOptions options;
  options.model = command.model;
  options.initial = command.initial;
  options.format = reading.format;
  options.functions = reading.functions;
  options.ignored = command.ignore;
  options.fields = reading.fields;
  options.sort_by_time = reading.sort_by_time;
  options.verdict_only = command.verdict_only;
  options.timeout =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(command.timeout_s));
  options.memory = static_cast<std::size_t>(command.memory_mb) << 20;
  try {
    const std::string& file = command.history.file;
    const bool twice = !command.html.empty();  // judged as it passes by, then kept, for the page to draw it
    const std::string input = twice && file == "-" ? standard_input() : std::string();
    const auto source = [&]() -> std::unique_ptr<ByteSource> {
      if (twice && file == "-") return std::make_unique<TextSource>(input);
      return std::make_unique<FileSource>(file);
    };
    const CheckResult result = check_source(*source(), file, options);
    if (twice) write_file(command.html, check_page(file, result, read_history(*source(), file, reading)));
    if (!command.dot.empty()) write_file(command.dot, check_dot(result));
    fmt::print("{}", command.json ? check_json(file, result) : check_text(file, result));
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
  const bool for_knossos = command.purpose == "knossos";
  if (for_knossos && *format != Format::edn) {
    fmt::print(stderr, "picklock: found '{}', expected a file whose name ends in .edn: Knossos reads no JSON\n",
               command.to);
    return kUsage;
  }
  try {
    const History all = read_history_file(command.history.file, read_options(command.history));
    History history = command.purpose.empty() ? all : with_beliefs_as_operations(all);
    if (!command.lock.empty()) history = only_of_lock(history, command.lock);
    const std::vector<std::string> locks = locks_of(history);
    if (for_knossos && locks.size() > 1) {
      fmt::print(stderr, "picklock: the history has {} locks, and Knossos judges one; choose with --lock: {}\n",
                 locks.size(), printable(fmt::format("{}", fmt::join(locks, ", "))));
      return kUsage;
    }
    tell_what_is_left_out(all, history);
    write_history_file(history, command.to, write);
    return kAsExpected;
  } catch (const ReadError& error) {
    return report(error, false);
  }
}

}  // namespace picklock
