#include "bridge/places.hpp"

#include <cstdlib>
#include <filesystem>

namespace picklock {
namespace {

namespace fs = std::filesystem;

std::string found_packages() {
  if (const char* const given = std::getenv("PICKLOCK_PROGRAMS"); given != nullptr) return given;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path installed = program.parent_path().parent_path() / "share/picklock/programs";
  return !failed && fs::exists(installed, failed) ? installed.string() : PICKLOCK_BUILT_PROGRAMS;
}

}  // namespace

std::string program_packages() {
  static const std::string kFolder = found_packages();
  return kFolder;
}
std::string virtual_time_library() { return program_packages() + "/libpicklock_time.so"; }

}  // namespace picklock
