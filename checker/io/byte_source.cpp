#include "checker/io/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "checker/io/read_error.hpp"

namespace picklock {
namespace {

constexpr Position kWholeFile{0, 0};

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw ReadError(path, kWholeFile, why, "a file that can be read");
}

}  // namespace

FileSource::FileSource(const std::string& path) : path_(path), descriptor_(STDIN_FILENO) {
  if (path == "-") {
    path_ = "standard input";
    return;
  }
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(path_, std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    fail(path_, "a directory");
  }
}

FileSource::~FileSource() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

std::size_t FileSource::read(char* into, std::size_t room) {
  while (true) {
    const ssize_t got = ::read(descriptor_, into, room);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(path_, std::strerror(errno));
  }
}

std::size_t TextSource::read(char* into, std::size_t room) {
  const std::size_t count = std::min({rest_.size(), room, chunk_});
  if (count > 0) std::memcpy(into, rest_.data(), count);
  rest_.remove_prefix(count);
  return count;
}

}  // namespace picklock
