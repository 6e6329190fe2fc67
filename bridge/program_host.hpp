// A program of the user's that plays one client machine at a time: its process, its connections, and what it says.
//
// The program connects to one port for the contract (bridge/README.md) and to one port for each server. TurnHost runs it in virtual
// time, FreeHost in real time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/child.hpp"
#include "sim/task/combinators.hpp"

namespace picklock {

class ProgramHost {
 public:
  using Json = nlohmann::json;
  using SocketId = std::uint32_t;

  // What came out of a turn, in the order in which it is looked at.
  struct Turn {
    struct Wish {  // asks for a connection, or gives it up before it has opened
      SocketId socket = 0;
      std::size_t server = 0;
      bool dropped = false;
    };
    struct Bytes {
      SocketId socket = 0;
      std::string bytes;
      bool ended = false;  // the program has closed the connection
    };
    std::vector<Json> lines;  // lines of the contract
    std::vector<Wish> wishes;
    std::vector<Bytes> bytes;  // bytes of each connection, in the order of the wishes
  };

  virtual ~ProgramHost() = default;
  virtual const Json& head() const = 0;
  virtual const std::string& command() const = 0;
  // The servers that it may connect to, at the addresses that they have for it.
  virtual const std::vector<ProgramServer>& servers() const = 0;

  // Before a run, and after it. Both throw std::runtime_error if the program does not do its part.
  virtual void begin_run() = 0;
  virtual void end_run() = 0;
  virtual bool is_used_up() const = 0;  // another run takes another process
  // It plays the process of this machine from now on; `news` is notified when it has said something between its turns.
  virtual void play(const Host& machine, Event& news) = 0;
  // Whether it runs between its turns as well.
  virtual bool runs_freely() const = 0;

  // Leaves bytes for the program's next turn.
  virtual void give_line(const Json& line) = 0;
  virtual void give_bytes(SocketId socket, std::string_view bytes) = 0;
  virtual void open(SocketId socket) = 0;    // grants the wish
  virtual void refuse(SocketId socket) = 0;  // instead
  virtual void close(SocketId socket) = 0;
  // Throws std::runtime_error, with what the program said, if it ends, hangs or talks nonsense.
  virtual Turn take_turn(std::int64_t now_ns, std::int64_t wall_ns) = 0;
  virtual std::optional<std::int64_t> next_deadline() const = 0;
  // An instant of the program's wall clock, as the machine's clock of the scenario shows it. Nanoseconds since 1970.
  virtual std::int64_t wall_of_machine(std::int64_t wall_of_program_ns) const = 0;
};

}  // namespace picklock
