#include "app/usage_error.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.hpp"
#include "app/command_tables.hpp"
#include "base/nearest.hpp"

namespace picklock {
namespace {

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : subcommands_of(app)) names.push_back(sub->get_name());
  return names;
}

// The name that differs least, even if it differs much: there are few commands.
std::string nearest_command(const std::string& word, const std::vector<std::string>& names) {
  if (const auto near = nearest_name(word, names)) return std::string(*near);
  return *std::min_element(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
}

void tell_of_commands(const CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> names = names_of_commands(app);
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (argc < 2) {
    fmt::print(stderr, "picklock: found no command, expected a command: {}\n", all);
  } else {
    fmt::print(stderr, "picklock: found '{}', expected a command: {}; did you mean '{}'?\n", argv[1], all,
               nearest_command(argv[1], names));
  }
}

// The option nearest to the first one that does not exist.
void tell_of_options(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> known = names_of_commands(app);
  for (const CLI::App* sub : app.get_subcommands()) {
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  for (int i = 1; i < argc; ++i) {
    const std::string word(argv[i]);
    const bool is_known = std::find(known.begin(), known.end(), word.substr(0, word.find('='))) != known.end();
    if (is_known || !word.starts_with("--")) continue;
    if (const auto near = nearest_name(word, known)) fmt::print(stderr, "picklock: did you mean '{}'?\n", *near);
    return;
  }
}

}  // namespace

int usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const auto parsed = app.get_subcommands();
  if (parsed.empty() && (argc < 2 || argv[1][0] != '-')) {
    tell_of_commands(app, argc, argv);
  } else {
    fmt::print(stderr, "picklock: {}\n", error.what());
    tell_of_options(app, argc, argv);
  }
  fmt::print(stderr, "picklock: see 'picklock {}--help'\n", parsed.empty() ? "" : parsed[0]->get_name() + " ");
  return kUsage;
}

}  // namespace picklock
