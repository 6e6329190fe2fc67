#include "base/command_name.hpp"

namespace picklock {
namespace {

std::string& name() {
  static std::string value = "picklock";
  return value;
}

}  // namespace

const std::string& program_name() { return name(); }

void set_program_name(std::string_view now) { name() = now; }

}  // namespace picklock
