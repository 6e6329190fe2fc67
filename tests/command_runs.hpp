// The command picklock, run as a shell runs it, for tests of what its users meet.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace picklock::testing {

struct Ran {
  int status = -1;
  std::string out;
};

inline bool has(const Ran& ran, const std::string& text) { return ran.out.find(text) != std::string::npos; }

// Standard error is appended to the output.
inline Ran run_shell(const std::string& command) {
  Ran ran;
  FILE* const pipe = ::popen(("(" + command + ") 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) ran.out.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

// `arguments` as a shell would read them.
inline Ran run_picklock(const std::string& arguments) {
  return run_shell(std::string(PICKLOCK_BINARY) + " " + arguments);
}

inline std::string content(const std::string& path) {
  std::stringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

inline std::string scratch(const std::string& name) {
  const auto path = std::filesystem::temp_directory_path() / ("picklock_" + name + "_" + std::to_string(::getpid()));
  std::filesystem::remove_all(path);
  return path.string();
}

}  // namespace picklock::testing
