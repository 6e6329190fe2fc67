// The servers of a scenario as a program's connections reach them: one protocol between its bytes and the simulated requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algorithms/reach.hpp"
#include "bridge/child.hpp"
#include "sim/task/combinators.hpp"
#include "sim/task/redis_values.hpp"
#include "sim/zookeeper/wire.hpp"

namespace picklock {

struct Errand;

// One whole request of a program.
struct ProgramRequest {
  std::uint64_t number = 0;  // number of the request on its connection
  std::variant<RedisCommand, ZooRequest> content;
};
// Whether the request has this word as one of its arguments: a key, a value, a part of a path.
bool names(const ProgramRequest& request, std::string_view word);
// Its arguments: the words of a command, or the parts of each path, and the data.
std::vector<std::string> words_of(const ProgramRequest& request);

// Its destruction touches nothing: it comes with the end of the process, whose kernel closes what is open.
class ProgramConnection {
 public:
  enum class State : std::uint8_t { opening, open, closed };  // closed: refused, ended, or given up
  struct Piece {                                              // bytes on their way to the program
    std::string bytes;
    Errand* errand = nullptr;  // errand that it answers; null: the server sent it unasked
  };
  explicit ProgramConnection(const Host& host) : host_(host) {}
  virtual ~ProgramConnection() = default;
  const Host& host() const { return host_; }

  // Begins to open it, on behalf of the running task's operation. `changed` is notified when its state changes and when something
  // has come.
  virtual void open(Event& changed) = 0;
  virtual State state() const = 0;
  virtual void close() = 0;

  // Bytes of the program; then its next whole request.
  virtual void feed(std::string_view bytes) = 0;
  virtual std::optional<ProgramRequest> next() = 0;
  // The server ends it once take() has nothing more: its bytes were wrong, or it said good-bye.
  virtual bool over() const = 0;
  // Sends the request; ends when its answer can be taken, or will never come.
  virtual Task<void> ask(ProgramRequest request, Errand* errand) = 0;
  // The next bytes for the program.
  virtual std::optional<Piece> take() = 0;

 private:
  Host host_;
};

class ProgramServers {
 public:
  virtual ~ProgramServers() = default;
  // Each machine that a program may connect to.
  virtual std::vector<ProgramServer> known() const = 0;
  // Tells the program where they are: the same machines, at the addresses that they have for it.
  virtual void tell(const std::vector<ProgramServer>& servers, nlohmann::json& to) const = 0;
  virtual std::unique_ptr<ProgramConnection> connection_to(std::size_t server) = 0;
};

// For a lock of this service; null: no program can reach such a service.
std::unique_ptr<ProgramServers> servers_of(std::string_view service, const Host& host, const Reach& reach);
bool is_service_of_programs(std::string_view service);

}  // namespace picklock
