#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/command.hpp"
#include "app/embedded.hpp"
#include "app/shared_options.hpp"
#include "base/files.hpp"
#include "base/shell.hpp"

namespace picklock {
namespace {

struct NewLockCommand {
  std::string name;      // "my-lock"
  std::string into;      // folder; empty: one of the lock's name
  bool lua = false;      // a file in Lua instead of a program
  bool mistake = false;  // the file in Lua that has a mistake
  bool python = false;   // a program in Python, which calls a library
  bool node = false;     // the same for Node
};

namespace fs = std::filesystem;

// "my-lock" in other spellings.
std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string as_type(const std::string& name) {
  std::string type;
  bool begins = true;
  for (const char c : name) {
    if (c != '-') type += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '-';
  }
  return type;
}

std::string renamed(std::string_view text, const std::string& name) {
  const std::array<std::pair<std::string, std::string>, 3> kNames = {
      {{"own-lock", name}, {"own_lock", with_underscores(name)}, {"OwnLock", as_type(name)}}};
  std::string out(text);
  for (const auto& [from, to] : kNames) {
    for (std::size_t at = out.find(from); at != out.npos; at = out.find(from, at + to.size()))
      out.replace(at, from.size(), to);
  }
  return out;
}

// A command names the lock by its file, or by the command that starts it; empty: it becomes part of a program.
std::string lock_to_name(const NewLockCommand& command) {
  const std::string file = with_underscores(command.name);
  if (command.lua) return file + ".lua";
  if (command.python) return "python3 " + file + ".py";
  return command.node ? "node " + file + ".cjs" : "";
}

int new_lock(const NewLockCommand& command) {
  const std::string folder = command.into.empty() ? command.name : command.into;
  std::vector<std::pair<std::string, std::string>> files;
  const auto skeleton = command.mistake  ? embedded_mistaken_lock_lua()
                        : command.lua    ? embedded_own_lock_lua()
                        : command.python ? embedded_own_lock_python()
                        : command.node   ? embedded_own_lock_node()
                                         : embedded_own_lock();
  for (const EmbeddedFile& file : skeleton) {
    files.emplace_back(folder + "/" + renamed(file.name, command.name), renamed(file.text, command.name));
    std::error_code ignored;
    if (!fs::exists(files.back().first, ignored)) continue;
    fmt::print(stderr, "picklock: {} is there already; --into names another folder\n", files.back().first);
    return kUsage;
  }
  make_folder(folder);
  for (const auto& [path, text] : files) {
    write_file(path, text);
    fmt::print("{}\n", path);
  }
  if (const std::string lock = lock_to_name(command); !lock.empty()) {
    fmt::print(
        "\nnext:  cd {0}; picklock run paused_holder --lock {1}; picklock hunt --lock {1} --within-assumptions\n",
        shell_word(folder), shell_word(lock));
    return kAsExpected;
  }
  fmt::print("\nnext:  cd {}; cmake -S . -B build; cmake --build build; ctest --test-dir build\n", shell_word(folder));
  return kAsExpected;
}

constexpr const char* kNewExamples = R"(
Examples:
  picklock new lock my-lock
  cd my-lock; cmake -S . -B build; cmake --build build; ctest --test-dir build
  build/my_lock run paused_holder --lock my-lock      the whole command, with your lock
  picklock new lock my-lock --lua; cd my-lock
  picklock run paused_holder --lock my_lock.lua       the same lock in Lua, without a compiler
  picklock new lock taken --lua --mistake             an exercise: find the mistake, and mend it
  picklock new lock my-lock --python; cd my-lock
  picklock run paused_holder --lock 'python3 my_lock.py'    a library that you have, unmodified (or --node)

docs/own_lock.md leads from there to a failing property, its repair and a regression test.)";

}  // namespace

CommandBody state_new_lock(CLI::App& app) {
  const auto asked = std::make_shared<NewLockCommand>();
  app.footer(kNewExamples);
  app.add_option("what", "kind of skeleton: lock")->required()->check(CLI::IsMember({"lock"}));
  app.add_option("name", asked->name, "name of the lock: small letters, digits and hyphens, such as my-lock")
      ->required()
      ->check(not_a_lock_name);
  add_path(app, "--into", asked->into, "folder for the files (default: one of the lock's name)");
  CLI::Option* const lua =
      app.add_flag("--lua", asked->lua, "writes a lock in Lua, one file that needs no compiler: docs/lua.md");
  app.add_flag("--mistake", asked->mistake, "writes a lock that has a mistake, the exercise of chapter 10 of the guide")
      ->needs(lua);
  CLI::Option* const python =
      app.add_flag("--python", asked->python,
                   "writes a program in Python that calls a library, redis-py as it stands: docs/programs.md");
  CLI::Option* const node = app.add_flag(
      "--node", asked->node, "writes a program for Node that calls a library, ioredis as it stands: docs/programs.md");
  lua->excludes(python)->excludes(node);
  python->excludes(node);
  return [asked] { return new_lock(*asked); };
}

}  // namespace picklock
