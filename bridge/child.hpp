// A program of the user's as a process of its own, without this process's descriptors and environment. It ends with this process,
// however that ends.
//
// In virtual time it is started with bridge/preload/virtual_time.c before all else, in an environment that is the same each time,
// and runs in its turns only: between them it is blocked.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace picklock {

// A descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }

 private:
  int fd_;
};

// A listening socket on the loopback, on a free port. Throws std::runtime_error without one.
class LoopbackListener {
 public:
  // `listens` false: the port is taken, and every connection to it is refused.
  explicit LoopbackListener(bool listens = true);
  std::uint16_t port() const { return port_; }
  Descriptor accept();  // a waiting connection; -1: none
  int descriptor() const { return socket_.get(); }

 private:
  Descriptor socket_;
  std::uint16_t port_ = 0;
};

// What a program did in a turn, beside its traffic.
struct TurnEnd {
  struct Connection {
    std::uint32_t number = 0;
    std::uint16_t port = 0;  // 0: the program gives up this connection, which has not opened yet
  };
  std::optional<std::int64_t> next_deadline;
  std::vector<Connection> connections;
};

// A server as a program knows it: by an address of its own on the loopback, and by the name of its machine.
struct ProgramServer {
  std::string name, address;
  std::uint16_t port = 0;
  bool operator==(const ProgramServer&) const = default;
};

class ChildProcess {
 public:
  struct Start {
    std::vector<std::string> words;  // the command
    std::uint16_t control_port = 0, nowhere_port = 0;
    std::vector<ProgramServer> servers;
    std::vector<std::uint16_t> server_ports;  // where they are listened for, of each
    bool in_virtual_time = true;
  };
  // Reads from a descriptor that the program has written to, lest it wait for room.
  using Meanwhile = std::function<void(int)>;

  // Runs to its first wait. Throws std::runtime_error if it cannot be started.
  explicit ChildProcess(const Start& start);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();  // ends it

  // Lets it run from this instant to its next wait; `news`: of its connections. Nothing: it has ended, did what it may not do,
  // or did not come to a wait within the limit of real time; why() tells.
  std::optional<TurnEnd> take_turn(std::int64_t now_ns, std::int64_t wall_ns, const std::string& news,
                                   std::span<const int> watched, const Meanwhile& meanwhile);
  // Waits for the end of its first turn, in which a program loads its libraries: it has more time than others.
  std::optional<TurnEnd> first_turn();
  const std::string& why() const { return why_; }
  // --- in real time
  void signal(int number) const;                // sends it to the process and its children
  int output() const { return output_.get(); }  // where its last words come; to be polled
  bool has_ended();                             // true: why() tells the reason
  // The last lines that it wrote to its standard error and output.
  std::string last_words();

 private:
  std::optional<TurnEnd> await_end(int limit_ms, std::span<const int> watched, const Meanwhile& meanwhile);
  std::optional<TurnEnd> read_lines();
  void fail(std::string why);
  void fail_by_its_end();
  void fail_by_status(int status);
  void hear_output();

  pid_t pid_ = -1;
  Descriptor turns_, output_;
  std::string line_, said_, why_;
};

// A command as words, apart by blanks, with quotes as a shell has them; nothing more of a shell. Empty: a quote does not end.
std::vector<std::string> words_of_command(std::string_view command);

}  // namespace picklock
