#include <fmt/format.h>

#include <stdexcept>

#include "app/command.hpp"
#include "base/text.hpp"
#include "checker/io/event_names.hpp"
#include "checker/io/time_unit.hpp"

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

}  // namespace picklock
