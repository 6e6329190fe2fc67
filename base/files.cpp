#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace picklock {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view what, int error) {
  throw std::runtime_error(fmt::format("{}: {}: {}", path, what, std::strerror(error)));
}

class File {
 public:
  explicit File(const std::string& path)
      : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail(path_, "cannot be created", errno);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(path_, "cannot be written", errno);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void close() {
    const int fd = std::exchange(fd_, -1);
    if (::close(fd) != 0) fail(path_, "cannot be written", errno);
  }

 private:
  std::string path_;
  int fd_;
};

}  // namespace

void write_file(const std::string& path, std::string_view content) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  try {
    File file(temporary);
    file.write(content);
    file.close();
    if (std::rename(temporary.c_str(), path.c_str()) != 0) fail(path, "cannot be replaced", errno);
  } catch (...) {
    std::remove(temporary.c_str());
    throw;
  }
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!std::filesystem::is_directory(path)) {
    throw std::runtime_error(
        fmt::format("{}: is no folder and cannot be made one{}", path, error ? ": " + error.message() : ""));
  }
}

}  // namespace picklock
