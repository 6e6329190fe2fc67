// A program in virtual time: it runs in its turns only.
//
// A run of a program that can fork is played by a fork of the process, which then is as it was before; of another, by a new
// process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bridge/child.hpp"
#include "bridge/program_host.hpp"
#include "bridge/program_socket.hpp"

namespace picklock {

class TurnHost final : public ProgramHost {
 public:
  // Starts the program, and hears its greeting. Throws std::runtime_error, with what the program said.
  TurnHost(const std::string& command, const std::vector<ProgramServer>& servers);
  const Json& head() const override { return head_; }
  const std::string& command() const override { return command_; }
  const std::vector<ProgramServer>& servers() const override { return known_servers_; }

  void begin_run() override;
  void end_run() override;
  bool is_used_up() const override { return state_.used_up; }

  void give_line(const Json& line) override;
  void give_bytes(SocketId socket, std::string_view bytes) override;
  void open(SocketId socket) override;
  void refuse(SocketId socket) override;
  void close(SocketId socket) override;
  Turn take_turn(std::int64_t now_ns, std::int64_t wall_ns) override;
  std::optional<std::int64_t> next_deadline() const override { return next_deadline_; }

  void play(const Host&, Event&) override {}
  bool runs_freely() const override { return false; }
  std::int64_t wall_of_machine(std::int64_t wall_ns) const override { return wall_ns; }

 private:
  Turn collect(const TurnEnd& end);
  void take_lines(Turn& turn);
  void take_wishes(const TurnEnd& end, Turn& turn);
  void take_bytes(Turn& turn);
  void hear(int fd);
  void read_from(ProgramSocket& socket);
  void accept_from(std::size_t server);
  void write_all();
  [[noreturn]] void fail(const std::string& why);
  Json answer_to(const Json& request);  // the answer; takes a turn of its own

  std::string command_;
  std::vector<ProgramServer> known_servers_;
  LoopbackListener control_door_, nowhere_{false};
  std::vector<std::unique_ptr<LoopbackListener>> servers_;
  std::unique_ptr<ChildProcess> child_;
  ProgramSocket control_;
  std::map<SocketId, ProgramSocket> sockets_;
  std::optional<std::int64_t> next_deadline_;
  std::string news_;        // news of connections for the next turn
  SocketId to_accept_ = 0;  // opens in this turn; 0: none
  Json head_;
  struct {
    bool forks = false, used_up = false, in_run = false;
    std::int64_t now_ns = 0, wall_ns = 0;
  } state_;
};

}  // namespace picklock
