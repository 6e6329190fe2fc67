#include <fmt/format.h>

#include "app/command.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/models/check_file.hpp"
#include "reports/check_text.hpp"
#include "reports/files.hpp"
#include "reports/json.hpp"

namespace picklock {
namespace {

Format format_of(const std::string& name) {
  return name == "edn" ? Format::edn : name == "json" ? Format::json : Format::automatic;
}

int status_of(Judgement judgement) {
  return judgement == Judgement::holds ? kAsExpected : judgement == Judgement::violated ? kNotAsExpected : kUndecided;
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
  CheckOptions options;
  options.model = command.model;
  options.format = format_of(command.format);
  options.timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(command.timeout_s));
  options.memory = static_cast<std::size_t>(command.memory_mb) << 20;
  for (const std::string& pair : command.map) {
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == pair.size()) {
      fmt::print(stderr, "picklock: --map: found '{}', expected THEIRS=OURS, as in lock=acquire\n", pair);
      return kUsage;
    }
    options.functions.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  try {
    const CheckResult result = check_file(command.history, options);
    fmt::print("{}", command.json ? check_json(command.history, result) : check_text(command.history, result));
    return status_of(result.judgement);
  } catch (const ReadError& error) {
    return report(error, command.json);
  }
}

int export_history(const ExportCommand& command) {
  ReadOptions read;
  read.format = format_of(command.format);
  WriteOptions write;
  write.format = command.to.ends_with(".json") ? Format::json : Format::edn;
  if (!command.to.ends_with(".json") && !command.to.ends_with(".edn")) {
    fmt::print(stderr, "picklock: found '{}', expected a file whose name ends in .edn or .json\n", command.to);
    return kUsage;
  }
  if (command.end_of_belief == "release") write.end_of_belief = EndOfBelief::release;
  try {
    write_file(command.to, write_history_text(read_history_file(command.history, read), write));
    return kAsExpected;
  } catch (const ReadError& error) {
    return report(error, false);
  }
}

}  // namespace picklock
