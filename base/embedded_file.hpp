// A file of the repository that is part of a program: CMake turns it into a string (cmake/embedded.cmake).
#pragma once

#include <span>
#include <string_view>

namespace picklock {

struct EmbeddedFile {
  std::string_view name;  // name without its folder
  std::string_view text;
};

}  // namespace picklock
