#include "app/playground_commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <variant>
#include <vector>

#include "playground/link.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/library_files.hpp"

namespace picklock {
namespace {

namespace fs = std::filesystem;

// $PICKLOCK_PLAYGROUND, ../share/picklock/playground from the program's own folder, build/playground of the source tree.
std::vector<fs::path> folders() {
  std::vector<fs::path> all;
  if (const char* const own = std::getenv("PICKLOCK_PLAYGROUND"); own != nullptr && *own != '\0') all.emplace_back(own);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) all.push_back(program.parent_path().parent_path() / "share/picklock/playground");
  all.emplace_back(PICKLOCK_SOURCE_PLAYGROUND);
  return all;
}

// "file:///usr/share/picklock/playground/index.html"; nothing: it was not built.
std::optional<std::string> page_address() {
  for (const fs::path& folder : folders()) {
    const fs::path page = folder / "index.html";
    if (!is_file(page.string())) continue;
    std::error_code failed;
    const fs::path whole = fs::absolute(page, failed).lexically_normal();
    std::string address = "file://";
    for (const char c : whole.string()) {
      const bool plain = c > ' ' && c < 127 && c != '%' && c != '#' && c != '?' && c != '"';
      address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return address;
  }
  return std::nullopt;
}

int playground() {
  const auto address = page_address();
  if (!address) {
    fmt::print(stderr, "picklock: the playground was not built: scripts/playground builds it\n");
    return kUsage;
  }
  fmt::print("{}\n", *address);
  return kAsExpected;
}

}  // namespace

Subcommand add_playground_command(CLI::App& app) {
  const CLI::App* const sub =
      app.add_subcommand("playground", "prints the address of the simulator as a page for the browser");
  return {sub, playground};
}

std::optional<std::string> open_link(RunCommand& command, ScenarioFile& file) {
  auto read = read_link(command.scenario);
  if (const auto* const wrong = std::get_if<std::string>(&read)) return *wrong;
  PlayLink& link = std::get<PlayLink>(read);
  if (!command.seed) command.seed = link.seed;
  if (link.toml.empty()) {
    // From here on it is the same as the scenario's name with options.
    file = load_scenario(link.name);
    command.scenario = link.name;
    if (command.edits.lock.empty()) command.edits.lock = std::move(link.edits.lock);
    command.edits.set.insert(command.edits.set.begin(), link.edits.set.begin(), link.edits.set.end());
    command.edits.without.insert(command.edits.without.begin(), link.edits.without.begin(), link.edits.without.end());
    return std::nullopt;
  }
  file = read_scenario(link.toml, "link.toml");
  if (!file.ok()) return std::nullopt;
  if (!link.variant.empty()) choose_variant(file, link.variant);
  if (!file.ok()) return std::nullopt;
  file.errors = edit_scenario(file.scenario, link.edits).errors;
  return std::nullopt;
}

int print_link(const RunCommand& command, const ScenarioFile& file, std::uint64_t seed) {
  if (seed > kMostLinkSeed) {
    fmt::print(stderr, "picklock: --link: found seed {}, expected at most {}, which a page keeps exactly\n", seed,
               kMostLinkSeed);
    return kUsage;
  }
  PlayLink link{file.scenario.name, {}, {}, command.edits, seed};
  const auto found = find_scenario(command.scenario);
  const auto* const place = std::get_if<ScenarioPlace>(&found);
  const auto folder = library_folder();
  const bool of_library = place != nullptr && folder && fs::path(place->path).parent_path() == fs::path(*folder);
  if (place != nullptr && !of_library) {
    link.toml = scenario_text(place->path).value_or("");
    link.variant = place->variant;
  }
  const auto address = page_address();
  const std::string fragment = link_fragment(link);
  fmt::print("{}{}\n", address.value_or(""), fragment);
  if (!address)
    fmt::print(stderr, "picklock: the playground was not built (scripts/playground): the link is only its fragment\n");
  if (fragment.size() > kLongLink)
    fmt::print(stderr, "picklock: the link has {} characters; some programs cut links off after {}\n", fragment.size(),
               kLongLink);
  return kAsExpected;
}

}  // namespace picklock
