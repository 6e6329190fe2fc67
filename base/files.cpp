#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace picklock {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, std::string_view what, int error) {
  throw std::runtime_error(fmt::format("{}: {}: {}", path, what, std::strerror(error)));
}

// The open descriptor that a path names: opening it anew would forget how far it has been written.
std::optional<int> descriptor_named(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  const std::string own = fmt::format("/proc/{}/fd/", ::getpid());
  for (const std::string_view folder : {std::string_view("/dev/fd/"), std::string_view("/proc/self/fd/"),
                                        std::string_view("/proc/thread-self/fd/"), std::string_view(own)}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() && number >= 0) return number;
  }
  return std::nullopt;
}

// The end of the links from `path`, whether or not it exists; a descriptor is an end.
std::string followed(const std::string& path) {
  constexpr int kMostLinks = 40;  // Linux allows as many
  fs::path at(path);
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code none;
    if (descriptor_named(at.string()) || !fs::is_symlink(fs::symlink_status(at, none))) return at.string();
    const fs::path target = fs::read_symlink(at, none);
    if (none) return at.string();
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  fail(path, "cannot be written", ELOOP);
}

// A reader that goes away is an error like others, and no death of the process.
class PipeSignalHeldBack {
 public:
  PipeSignalHeldBack() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  PipeSignalHeldBack(const PipeSignalHeldBack&) = delete;
  PipeSignalHeldBack& operator=(const PipeSignalHeldBack&) = delete;
  ~PipeSignalHeldBack() {
    const int error = errno;
    constexpr timespec kNoWait{};
    if (sigismember(&before_, SIGPIPE) == 0) {
      while (sigtimedwait(&pipe_, nullptr, &kNoWait) > 0) continue;
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

 private:
  sigset_t pipe_{}, before_{};
};

}  // namespace

struct OutputFile::Impl {
  std::string path;               // path as it was given, for messages
  std::string target, temporary;  // empty: written through
  int fd = -1;

  void open();
  void open_beside(const struct stat* replaced);
  void leave();
};

void OutputFile::Impl::open() {
  target = followed(path);
  if (const auto descriptor = descriptor_named(target)) {
    target.clear();
    std::fflush(nullptr);  // text printed so far must come first
    fd = ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) fail(path, "cannot be written", errno);
    return;
  }
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(path, "cannot be written", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    fd = ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    target.clear();
    if (fd < 0) fail(path, "cannot be written", errno);
    return;
  }
  if (exists && ::access(target.c_str(), W_OK) != 0) fail(path, "cannot be written", errno);
  open_beside(exists ? &status : nullptr);
}

void OutputFile::Impl::open_beside(const struct stat* replaced) {
  constexpr int kMostTries = 100;  // a file of this name was left by a process that died
  for (int i = 0; fd < 0 && i < kMostTries; ++i) {
    temporary = fmt::format("{}.{}{}.tmp", target, ::getpid(), i == 0 ? "" : fmt::format("-{}", i));
    fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) break;
  }
  if (fd < 0) {
    temporary.clear();
    fail(path, "cannot be created", errno);
  }
  if (replaced == nullptr) return;
  // A user who may not give a file away keeps it: then the new one is the writer's own.
  const bool given = ::fchown(fd, replaced->st_uid, replaced->st_gid) == 0;
  const mode_t mode = replaced->st_mode & (given ? 07777 : 0777);
  if (::fchmod(fd, mode) != 0) fail(path, "cannot be given the permissions of the file that it replaces", errno);
}

void OutputFile::Impl::leave() {
  if (fd >= 0) ::close(std::exchange(fd, -1));
  if (!temporary.empty()) ::unlink(temporary.c_str());
  temporary.clear();
}

OutputFile::OutputFile(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  try {
    impl_->open();
  } catch (...) {
    impl_->leave();
    throw;
  }
}

OutputFile::~OutputFile() { impl_->leave(); }

void OutputFile::write(std::string_view bytes) {
  const PipeSignalHeldBack held_back;
  while (!bytes.empty()) {
    const ssize_t n = ::write(impl_->fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(impl_->path, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void OutputFile::close() {
  Impl& i = *impl_;
  if (::close(std::exchange(i.fd, -1)) != 0) fail(i.path, "cannot be written", errno);
  if (i.temporary.empty()) return;
  if (std::rename(i.temporary.c_str(), i.target.c_str()) != 0) fail(i.path, "cannot be replaced", errno);
  i.temporary.clear();
}

void write_file(const std::string& path, std::string_view content) {
  OutputFile file(path);
  file.write(content);
  file.close();
}

bool is_written_through(const std::string& path) {
  const std::string target = followed(path);
  struct stat status {};
  return descriptor_named(target) ||
         (::stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!fs::is_directory(path)) {
    throw std::runtime_error(
        fmt::format("{}: is no folder and cannot be made one{}", path, error ? ": " + error.message() : ""));
  }
}

}  // namespace picklock
