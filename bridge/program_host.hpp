// A program of the user's that plays one client machine at a time: its process, its connections, and its turns.
//
// A run of a program that can fork is played by a fork of the process, which then is as it was before; of another, by a new
// process. The program connects to one port for the contract (bridge/README.md) and to one port for each server.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bridge/child.hpp"

namespace picklock {

class ProgramHost {
 public:
  using Json = nlohmann::json;
  using SocketId = std::uint32_t;

  // What came out of a turn, in the order in which it is looked at.
  struct Turn {
    struct Wish {  // for a connection to a server, or to give it up before it has opened
      SocketId socket = 0;
      std::size_t server = 0;
      bool dropped = false;
    };
    struct Bytes {
      SocketId socket = 0;
      std::string bytes;
      bool ended = false;  // the program has closed the connection
    };
    std::vector<Json> lines;  // of the contract
    std::vector<Wish> wishes;
    std::vector<Bytes> bytes;  // by connection, in the order in which they were wished for
  };

  // Starts the program, and hears its greeting. Throws std::runtime_error, with what the program said.
  ProgramHost(const std::string& command, const std::vector<ProgramServer>& servers);
  const Json& head() const { return head_; }
  const std::string& command() const { return command_; }
  const std::vector<ProgramServer>& servers() const { return known_servers_; }

  // Before a run, and after it. Both throw std::runtime_error if the program does not do its part.
  void begin_run();
  void end_run();
  bool is_used_up() const { return used_up_; }  // another run takes another process

  // Leaves bytes for the program's next turn.
  void give_line(const Json& line);
  void give_bytes(SocketId socket, std::string_view bytes);
  void open(SocketId socket);    // as it wished
  void refuse(SocketId socket);  // instead
  void close(SocketId socket);
  // Throws std::runtime_error, with what the program said, if it ends, hangs or talks nonsense.
  Turn take_turn(std::int64_t now_ns, std::int64_t wall_ns);
  std::optional<std::int64_t> next_deadline() const { return next_deadline_; }

 private:
  struct Socket {
    Descriptor connection;
    std::string to_write, read;
    bool ended = false;
  };
  Turn collect(const TurnEnd& end);
  void take_lines(Turn& turn);
  void take_wishes(const TurnEnd& end, Turn& turn);
  void take_bytes(Turn& turn);
  void hear(int fd);
  void read_from(Socket& socket);
  void accept_from(std::size_t server);
  void write_all();
  [[noreturn]] void fail(const std::string& why);
  Json answer_to(const Json& request);  // in a turn of its own

  std::string command_;
  std::vector<ProgramServer> known_servers_;
  LoopbackListener control_door_, nowhere_{false};
  std::vector<std::unique_ptr<LoopbackListener>> servers_;
  std::unique_ptr<ChildProcess> child_;
  Socket control_;
  std::map<SocketId, Socket> sockets_;
  std::optional<std::int64_t> next_deadline_;
  std::string news_;        // of connections, for its next turn
  SocketId to_accept_ = 0;  // opens in this turn; 0: none
  Json head_;
  bool forks_ = false, used_up_ = false;
  bool in_run_ = false;
  std::int64_t now_ns_ = 0, wall_ns_ = 0;
};

}  // namespace picklock
