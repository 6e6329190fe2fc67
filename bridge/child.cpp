#include "bridge/child.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "bridge/places.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostLastWords = 4096;

constexpr int kUsualLimitMs = 10'000;

// How long a turn may take in real time: nothing ends a program sooner that computes and never waits.
int longest_turn_ms() {
  const char* const given = std::getenv("PICKLOCK_TURN_LIMIT_MS");
  const int ms = given == nullptr ? 0 : std::atoi(given);
  return ms > 0 ? ms : kUsualLimitMs;
}

[[noreturn]] void refuse(const char* what) {
  throw std::runtime_error(fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

std::string inherited(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

constexpr std::string_view kProcessIs = "PICKLOCK_PROCESS=";

// Takes no memory, as it is done between fork and exec.
void write_number(char* digits, pid_t number) {
  for (char* at = digits + 10; at-- != digits; number /= 10) *at = static_cast<char>('0' + number % 10);
}

// The environment of every run: what a library might read and that differs from machine to machine is not in it.
std::vector<std::string> environment(const ChildProcess::Start& start, int turns) {
  const auto path = [](const char* name, const std::string& first) {
    const std::string rest = inherited(name);
    return fmt::format("{}={}{}{}", name, first, rest.empty() ? "" : ":", rest);
  };
  std::string servers;  // the form that bridge/preload/connections.c reads
  for (std::size_t i = 0; i < start.servers.size(); ++i) {
    const ProgramServer& s = start.servers[i];
    servers += fmt::format("{}{}/{}/{}/{}", i == 0 ? "" : ",", s.name, s.address, s.port, start.server_ports[i]);
  }
  std::vector<std::string> all = {"PATH=" + inherited("PATH"),
                                  "HOME=" + inherited("HOME"),
                                  "LANG=C.UTF-8",
                                  "TZ=UTC",
                                  path("PYTHONPATH", program_packages() + "/python"),
                                  path("NODE_PATH", program_packages() + "/node"),
                                  fmt::format("PICKLOCK_CONTROL={}", start.control_port),
                                  "PICKLOCK_SERVERS=" + servers};
  if (start.in_virtual_time) {
    all.insert(all.end(), {"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "UV_THREADPOOL_SIZE=1", "UV_USE_IO_URING=0",
                           "LD_PRELOAD=" + virtual_time_library(), fmt::format("PICKLOCK_TURNS={}", turns),
                           fmt::format("PICKLOCK_NOWHERE={}", start.nowhere_port), "PICKLOCK_SEED=1"});
  }
  all.push_back(std::string(kProcessIs) + "0000000000");  // the last: filled in by the process
  return all;
}

// Helper threads of Node's engine would run beside the turns; its package takes randomness over before the program begins.
std::vector<std::string> with_flags_of_runtime(std::vector<std::string> words) {
  if (!words.empty() && std::filesystem::path(words.front()).filename() == "node")
    words.insert(words.begin() + 1, {"--single-threaded", "--v8-pool-size=0", "--require",
                                     program_packages() + "/node/picklock/picklock.cjs"});
  return words;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::vector<std::string> words_of_command(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return {};
  if (in_word) words.push_back(std::move(word));
  return words;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

LoopbackListener::LoopbackListener(bool listens)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  constexpr int kMostWaiting = 128;
  if (socket_.get() < 0 || ::bind(socket_.get(), any, size) != 0 ||
      (listens && ::listen(socket_.get(), kMostWaiting) != 0) || ::getsockname(socket_.get(), any, &size) != 0) {
    refuse("listen on the loopback");
  }
  port_ = ntohs(address.sin_port);
}

Descriptor LoopbackListener::accept() {
  Descriptor connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (connection.get() >= 0) {
    const int yes = 1;
    ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  return connection;
}

ChildProcess::ChildProcess(const Start& start) {
  int turns[2], output[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, turns) != 0) refuse("make a socket");
  turns_ = Descriptor(turns[0]);
  const Descriptor theirs(turns[1]);
  if (::pipe2(output, O_CLOEXEC) != 0) refuse("make a pipe");
  ::fcntl(output[0], F_SETFL, O_NONBLOCK);  // this end alone: the program's writes wait until there is room
  output_ = Descriptor(output[0]);
  const Descriptor writes(output[1]);
  constexpr int kTurns = 3;
  const std::vector<std::string> words = start.in_virtual_time ? with_flags_of_runtime(start.words) : start.words;
  const bool in_virtual_time = start.in_virtual_time;
  const std::vector<std::string> variables = environment(start, kTurns);
  const std::vector<char*> argv = pointers(words), envp = pointers(variables);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) refuse("start a process");
  if (pid_ > 0) return;
  // The child: nothing here takes memory.
  write_number(envp[envp.size() - 2] + kProcessIs.size(), ::getpid());
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const int none = ::open("/dev/null", O_RDONLY);
  ::dup2(none, 0);
  ::dup2(writes.get(), 1);
  ::dup2(writes.get(), 2);
  if (in_virtual_time && theirs.get() == kTurns) {
    ::fcntl(kTurns, F_SETFD, 0);
  } else if (in_virtual_time) {
    ::dup2(theirs.get(), kTurns);
  }
  ::close_range(in_virtual_time ? kTurns + 1 : kTurns, ~0U, 0);
  if (in_virtual_time) ::personality(ADDR_NO_RANDOMIZE);  // hashes of addresses decide orders in some languages
  ::execvpe(argv[0], argv.data(), envp.data());
  const char* const why = std::strerror(errno);
  (void)!::write(2, argv[0], std::strlen(argv[0]));
  (void)!::write(2, ": ", 2);
  (void)!::write(2, why, std::strlen(why));
  ::_exit(127);
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::fail(std::string why) {
  if (why_.empty()) why_ = std::move(why);
}

// Its end of the turns is closed: mostly because the process has ended.
void ChildProcess::fail_by_its_end() {
  constexpr int kPatienceMs = 500;
  int status = 0;
  pid_t ended = 0;
  for (int waited = 0; waited < kPatienceMs && ended == 0; ++waited) {
    ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == 0) ::poll(nullptr, 0, 1);
  }
  if (ended != pid_) return fail("it closed the descriptor of its turns");
  fail_by_status(status);
}

void ChildProcess::fail_by_status(int status) {
  ::kill(-pid_, SIGKILL);  // its forks
  pid_ = -1;
  if (WIFSIGNALED(status)) return fail(fmt::format("it was ended by signal {}", WTERMSIG(status)));
  fail(fmt::format("it ended with exit status {}", WEXITSTATUS(status)));
}

void ChildProcess::signal(int number) const {
  if (pid_ > 0) ::kill(-pid_, number);
}

bool ChildProcess::has_ended() {
  hear_output();
  if (!why_.empty()) return true;
  int status = 0;
  if (pid_ <= 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  fail_by_status(status);
  return true;
}

void ChildProcess::hear_output() {
  char buffer[4096];
  ssize_t got = 0;
  while ((got = ::read(output_.get(), buffer, sizeof buffer)) > 0) {
    said_.append(buffer, static_cast<std::size_t>(got));
    if (said_.size() > 2 * kMostLastWords) said_.erase(0, said_.size() - kMostLastWords);
  }
  if (got == 0) output_ = Descriptor();  // the program has closed it
}

std::string ChildProcess::last_words() {
  hear_output();
  std::string words = std::move(said_);
  said_.clear();
  while (words.ends_with('\n')) words.pop_back();
  return words;
}

std::optional<TurnEnd> ChildProcess::take_turn(std::int64_t now_ns, std::int64_t wall_ns, const std::string& news,
                                               std::span<const int> watched, const Meanwhile& meanwhile) {
  if (!why_.empty()) return std::nullopt;
  const std::string line = fmt::format("{} {}{}\n", now_ns, wall_ns, news);
  if (::send(turns_.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
    fail_by_its_end();
    return std::nullopt;
  }
  return await_end(longest_turn_ms(), watched, meanwhile);
}

std::optional<TurnEnd> ChildProcess::first_turn() {
  return await_end(std::max(kUsualLimitMs, longest_turn_ms()), {}, [](int) {});
}

std::optional<TurnEnd> ChildProcess::await_end(int limit_ms, std::span<const int> watched, const Meanwhile& meanwhile) {
  using Clock = std::chrono::steady_clock;
  line_.clear();
  std::vector<pollfd> fds{{turns_.get(), POLLIN, 0}, {output_.get(), POLLIN, 0}};
  for (const int fd : watched) fds.push_back({fd, POLLIN, 0});
  const auto limit = Clock::now() + std::chrono::milliseconds(limit_ms);
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit - Clock::now()).count();
    const int found = left <= 0 ? 0 : ::poll(fds.data(), fds.size(), static_cast<int>(left));
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) {
      fail(fmt::format("it came to no wait within {} ms of real time", limit_ms));
      return std::nullopt;
    }
    for (std::size_t i = 1; i < fds.size(); ++i) {
      if (fds[i].revents == 0) continue;
      i == 1 ? hear_output() : meanwhile(fds[i].fd);
      if ((fds[i].revents & (POLLHUP | POLLERR)) != 0) fds[i].fd = -1;  // told once
    }
    if (fds[0].revents == 0) continue;
    char buffer[512];
    const ssize_t got = ::recv(turns_.get(), buffer, sizeof buffer, 0);
    if (got <= 0) {
      fail_by_its_end();
      return std::nullopt;
    }
    line_.append(buffer, static_cast<std::size_t>(got));
    if (auto end = read_lines(); end || !why_.empty()) return end;
  }
}

// Takes whole lines; nothing: the turn goes on, or has failed.
std::optional<TurnEnd> ChildProcess::read_lines() {
  for (std::size_t size; (size = line_.find('\n')) != std::string::npos;) {
    std::istringstream words(line_.substr(0, size));
    line_.erase(0, size + 1);
    std::string word;
    words >> word;
    if (word == "refused") {
      std::getline(words >> std::ws, word);
      fail(word);
      return std::nullopt;
    }
    TurnEnd end;
    bool good = word == "idle" && words >> word;
    if (good && word != "-") end.next_deadline = std::strtoll(word.c_str(), nullptr, 10);
    while (good && words >> word) {
      TurnEnd::Connection connection;
      good = (word == "connect" && words >> connection.number >> connection.port) ||
             (word == "drop" && words >> connection.number);
      end.connections.push_back(connection);
    }
    if (good) return end;
    fail("it wrote to the descriptor of its turns");
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace picklock
