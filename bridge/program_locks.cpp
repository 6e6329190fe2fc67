#include "bridge/program_locks.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "algorithms/lock_files.hpp"
#include "algorithms/lua/lua_head.hpp"
#include "algorithms/lua/lua_locks.hpp"
#include "bridge/program_lock.hpp"
#include "bridge/program_pool.hpp"
#include "bridge/values.hpp"

namespace picklock {
namespace {

struct Programs {
  std::map<std::string, ProgramFile, std::less<>> known;
  std::set<std::string, std::less<>> allowed;
  bool all_allowed = false;
};
Programs& programs() {
  static Programs all;
  return all;
}

std::unique_ptr<Lock> make_program_lock(const LockContext& context, const Options& options) {
  const LuaLockOptions& own = options.as<LuaLockOptions>();
  return std::make_unique<ProgramLock>(context, own, programs().known.at(own.file->name));
}

// A command has words or is a path: no lock of the table has such a name.
bool is_program(std::string_view lock) { return lock.find_first_of(" /") != std::string_view::npos; }

// Classes of errors that mean "no": the head says them beside what a lock in Lua says.
std::string read_refused(nlohmann::json& head, ProgramFile& file) {
  const nlohmann::json names = head.value("refused", nlohmann::json::array());
  for (const auto& name : names) {
    if (!name.is_string()) {
      return fmt::format("{}: found {} in refused, expected names of error classes", file.command, name.dump());
    }
    file.refused.push_back(name.get<std::string>());
  }
  head.erase("refused");
  return "";
}

std::string add_program(const std::string& command) {
  if (find_lock_kind(command) != nullptr) return "";
  if (!programs().all_allowed && !programs().allowed.contains(command)) {
    return fmt::format("found the program '{}' as a lock, expected --allow-program: a file starts no program by itself",
                       command);
  }
  ProgramFile file{command, "", {}};
  auto read = std::make_unique<LuaHead>();
  try {
    std::unique_ptr<ProgramHost> program = take_program(command, {{"redis", "127.0.1.1", 6379}});
    nlohmann::json head = program->head();
    give_back(std::move(program));
    if (std::string wrong = read_refused(head, file); !wrong.empty()) return wrong;
    if (std::string wrong = read_lock_head(command, value_of(head), *read); !wrong.empty()) return wrong;
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  file.service = read->kind.service;
  if (!is_service_of_programs(file.service)) {
    return fmt::format("{}: found the service {}, expected redis or zookeeper", command, file.service);
  }
  programs().known.insert_or_assign(command, std::move(file));
  return add_lock_with_head(std::move(read), make_program_lock);
}

}  // namespace

void open_program_locks() { add_lock_opener({is_program, add_program}); }
void allow_program(std::string_view command) { programs().allowed.emplace(command); }
void allow_all_programs() { programs().all_allowed = true; }

}  // namespace picklock
