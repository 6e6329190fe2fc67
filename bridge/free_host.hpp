// A program in real time: it runs freely, and a turn takes up what it has said meanwhile.
#pragma once

#include <poll.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bridge/child.hpp"
#include "bridge/program_host.hpp"
#include "bridge/program_socket.hpp"

namespace picklock {

class World;

class FreeHost final : public ProgramHost {
 public:
  // Starts it, and does not wait for it.
  FreeHost(const std::string& command, const std::vector<ProgramServer>& servers);
  ~FreeHost() override;
  const Json& head() const override { return head_; }
  const std::string& command() const override { return command_; }
  const std::vector<ProgramServer>& servers() const override { return known_servers_; }
  void begin_run() override {}
  void end_run() override {}
  bool is_used_up() const override { return true; }
  void play(const Host& machine, Event& news) override;
  bool runs_freely() const override { return true; }
  void give_line(const Json& line) override;
  void give_bytes(SocketId socket, std::string_view bytes) override;
  void open(SocketId socket) override;
  void refuse(SocketId socket) override;
  void close(SocketId socket) override;
  Turn take_turn(std::int64_t now_ns, std::int64_t wall_ns) override;
  std::optional<std::int64_t> next_deadline() const override { return std::nullopt; }
  std::int64_t wall_of_machine(std::int64_t wall_of_program_ns) const override;

  // Waits until it has greeted. Throws std::runtime_error, with what the program said.
  void hear_greeting();

  // --- for the pace
  // Adds what to poll for this program.
  void poll_for(std::vector<pollfd>& descriptors) const;
  void has_news() { part_.has_news = true; }
  // Tells the machine's task of news, and stops or continues the process with its machine.
  void exchange(World& world);
  void end() { child_->signal(9); }

 private:
  struct Connection {
    ProgramSocket socket;
    bool open = false;  // true: the simulated network has opened it, and it is read
  };
  // What it plays in a run.
  struct Part {
    std::optional<Host> machine;
    Event* news = nullptr;
    std::optional<std::uint32_t> incarnation;  // number of the machine's process that it is
    bool has_news = false, stopped = false, dead = false;
  };
  void accept_all(Turn& turn);
  void write_all();
  [[noreturn]] void fail(const std::string& why);

  std::string command_;
  std::vector<ProgramServer> known_servers_;  // addresses are ports of the loopback
  LoopbackListener control_door_;
  std::vector<std::unique_ptr<LoopbackListener>> servers_;
  std::unique_ptr<ChildProcess> child_;
  ProgramSocket control_;
  std::map<SocketId, Connection> connections_;
  SocketId last_ = 0;
  Json head_;
  Part part_;
  std::string broken_;  // the fault that real time cannot play; empty: none
};

}  // namespace picklock
