#include "app/history_input.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "app/command.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "checker/io/event_names.hpp"
#include "checker/io/format.hpp"
#include "checker/io/time_unit.hpp"
#include "reports/json.hpp"

namespace picklock {
namespace {

ForeignFields::Renames renames(const char* option, const char* example, const std::vector<std::string>& pairs) {
  ForeignFields::Renames all;
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == pair.size()) {
      throw std::invalid_argument(fmt::format("{}: found '{}', expected THEIRS=OURS, as in {}", option, pair, example));
    }
    all.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return all;
}

// "acquire", or "acquire:fail".
InstantFunction instant(const std::string& theirs, const std::string& ours) {
  const std::size_t colon = ours.rfind(':');
  if (colon == std::string::npos) return {theirs, ours};
  const auto type = from_word<OperationType>(kOperationTypes, std::string_view(ours).substr(colon + 1));
  if (colon == 0 || !type || *type == OperationType::invoke) {
    throw std::invalid_argument(
        fmt::format("--instant: found '{}={}', expected THEIRS=OURS or THEIRS=OURS:fail, as in acquired=acquire or "
                    "denied=acquire:fail",
                    theirs, ours));
  }
  return {theirs, ours.substr(0, colon), *type};
}

}  // namespace

ReadOptions read_options(const HistoryInput& input) {
  ReadOptions options;
  if (!input.format.empty()) options.format = format_named(input.format).value();
  options.functions = renames("--map", "lock=acquire", input.map);
  options.fields.keys = renames("--key", "op=f", input.keys);
  options.fields.types = renames("--type", "start=invoke", input.types);
  options.fields.process = input.process_field;
  options.fields.owner = input.owner_field;
  options.fields.lock = input.lock_field;
  options.fields.independent = input.independent;
  options.fields.numbers_in_texts = input.numbers_in_texts;
  options.fields.token = input.token_field;
  options.fields.refused = input.refused;
  for (const auto& [theirs, ours] : renames("--instant", "acquired=acquire", input.instants)) {
    options.fields.instants.push_back(instant(theirs, ours));
  }
  if (!input.time_unit.empty()) options.fields.time_unit = time_unit_named(input.time_unit).value();
  options.sort_by_time = !input.sort.empty();
  options.fields.end = input.end_field;
  if (!input.skew.empty()) {
    const auto skew = parse_duration(input.skew);
    if (!skew || skew->ns < 0) {
      throw std::invalid_argument(fmt::format("--skew: found '{}', expected a duration, as in 5ms", input.skew));
    }
    options.fields.skew = skew->ns;
  }
  return options;
}

void add_history_options(CLI::App& app, HistoryInput& input) {
  std::string forms;
  std::vector<std::string> names;
  for (const FormatInfo& f : formats()) {
    forms += (forms.empty() ? "" : "; ") + std::string(f.name) + ": " + std::string(f.description);
    names.emplace_back(f.name);
  }
  const std::string kHistory = "the history";
  const std::string kForeign = "a history with words of its own";
  app.add_option("history", input.file, "history file, packed by gzip or not; - for standard input")->required();
  app.add_option("--input", input.format, "format of the history (default: recognised by content). " + forms)
      ->check(CLI::IsMember(names))
      ->group(kHistory);
  comma_separated(
      app.add_option("--map", input.map, "renames functions: lock=acquire,unlock=release")->group(kForeign));
  comma_separated(app.add_option("--key", input.keys, "renames keys of records: op=f,ts=time")->group(kForeign));
  comma_separated(
      app.add_option("--type", input.types, "renames types of records: start=invoke,end=ok")->group(kForeign));
  CLI::Option* const lock_field = app.add_option(
      "--lock-field", input.lock_field,
      "field that names the lock, if there are several. Every --…-field is a key of the record or of the map in its "
      ":value, or a path: value.fence, value.0; a lock that is found in :value leaves it");
  lock_field->group(kForeign);
  app.add_flag(
         "--independent", input.independent,
         "reads each client's :value as [key value], as Jepsen's independent tests write it, and judges each key on "
         "its own")
      ->excludes(lock_field)
      ->group(kForeign);
  app.add_flag("--numbers-in-texts", input.numbers_in_texts,
               "reads texts of digits in :value as numbers, such as \"475\", which Redis answers where 475 was written")
      ->group(kForeign);
  app.add_option("--owner-field", input.owner_field,
                 "field that names the owner of the lock, if that is not the process")
      ->group(kForeign);
  app.add_option("--token-field", input.token_field, "field that holds the fencing token")->group(kForeign);
  app.add_option("--process-field", input.process_field,
                 "field that names the client, as any text, instead of a number in :process")
      ->group(kForeign);
  repeatable(app.add_option("--refused", input.refused, "value that marks an ok as refused: --refused false"))
      ->group(kForeign);
  comma_separated(
      app.add_option("--instant", input.instants,
                     "functions whose records are whole operations, one line each: acquired=acquire,released=release,"
                     "denied=acquire:fail")
          ->group(kForeign));
  app.add_option("--time-unit", input.time_unit,
                 "unit of :time: ns, us, ms or s (default ns; texts may also be ISO 8601 times)")
      ->check(CLI::IsMember({"ns", "us", "ms", "s"}))
      ->group(kForeign);
  app.add_option(
         "--end-field", input.end_field,
         "field with the time at which an operation ended, where each record is a whole operation that began at "
         ":time; implies --sort time")
      ->group(kForeign);
  app.add_option("--skew", input.skew,
                 "how far the clocks of several hosts may be off, such as 5ms: each time is as good as that, to both "
                 "sides, and operations that lie closer count as concurrent; implies --sort time")
      ->group(kForeign);
  app.add_option("--sort", input.sort, "time: puts events in the order of their times, as merged logs need it")
      ->check(CLI::IsMember({"time"}))
      ->group(kForeign);
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

}  // namespace picklock
