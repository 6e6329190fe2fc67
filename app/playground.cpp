#include "app/playground.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/lua/lua_locks.hpp"
#include "app/playground/link.hpp"
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

std::string add_link_lock(const std::string& name, const std::string& text) {
  if (!is_lua_file(name))
    return fmt::format("found a lock of the name {}, expected one that ends in .lua", picklock::quoted(name));
  if (lua_lock_text(name) == text && !text.empty()) return "";
  return add_lua_lock_text(name, text);
}

// A lock in Lua that the edits name, and whose text did not come with the link.
std::optional<std::string> lock_without_text(const ScenarioEdits& edits) {
  const auto absent = [](std::string_view name) { return is_lua_file(name) && lua_lock_text(name).empty(); };
  if (absent(edits.lock)) return picklock::quoted(edits.lock);
  for (const std::string& set : edits.set) {
    const std::string_view value = std::string_view(set).substr(std::min(set.find('=') + 1, set.size()));
    if (set.starts_with("lock.") && absent(value)) return picklock::quoted(value);
  }
  return std::nullopt;
}

}  // namespace

CommandBody state_playground(CLI::App&) { return playground; }

std::optional<std::string> open_link(RunCommand& command, ScenarioFile& file) {
  auto read = read_link(command.scenario);
  if (const auto* const wrong = std::get_if<std::string>(&read)) return *wrong;
  PlayLink& link = std::get<PlayLink>(read);
  for (const auto& [name, text] : link.locks) {
    if (std::string error = add_link_lock(name, text); !error.empty()) return error;
  }
  if (!command.seed) command.seed = link.seed;
  if (link.toml.empty()) {
    // The rest is the same as for the scenario's name with options.
    file = load_scenario(link.name);
    command.scenario = link.name;
    if (const auto absent = lock_without_text(link.edits)) return *absent + ": found a lock in Lua without its text";
    if (command.edits.lock.empty()) command.edits.lock = std::move(link.edits.lock);
    command.edits.set.insert(command.edits.set.begin(), link.edits.set.begin(), link.edits.set.end());
    command.edits.without.insert(command.edits.without.begin(), link.edits.without.begin(), link.edits.without.end());
    return std::nullopt;
  }
  const NoLuaFiles no_files;
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
  PlayLink link;
  link.name = file.scenario.name;
  link.edits = command.edits;
  link.seed = seed;
  const std::string& lock = file.scenario.lock.name;
  if (is_lua_file(lock)) link.locks.emplace(lock, lua_lock_text(lock));
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
