#include <fmt/format.h>

#include <stdexcept>

#include "app/command.hpp"
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
  options.fields.token = input.token_field;
  options.fields.refused = input.refused;
  options.fields.time_unit = time_unit_named(input.time_unit).value();
  return options;
}

}  // namespace picklock
