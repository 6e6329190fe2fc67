// For tests: commands of clients in a simulated world, and their replies as text.
#pragma once

#include <string>
#include <utility>

#include "sim/core/rpc_channel.hpp"
#include "sim/core/world.hpp"
#include "sim/redis/wire.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

class CommandIssuer {
 public:
  explicit CommandIssuer(World& world) : world_(world) {}
  void begin() { commands_ = 0; }  // call it after World::reset

  // Starts a command; its reply is in `answer` once it has come.  hold: its provenance.
  void send(RpcChannel& from, RedisCommand command, std::string& answer, std::uint32_t hold = 0, bool stops = false) {
    answer.clear();
    world_.tasks.start(from.host().node(), "command",
                       issue(from.host(), &world_, &from, std::move(command), ++commands_, hold, &answer, stops));
  }
  // Waits for the reply alone.
  std::string run(RpcChannel& from, RedisCommand command, std::uint32_t hold = 0) {
    std::string answer;
    send(from, std::move(command), answer, hold, true);
    world_.run();
    return answer;
  }

 private:
  static Task<void> issue(Host, World* world, RpcChannel* channel, RedisCommand command, std::uint32_t ordinal,
                          std::uint32_t hold, std::string* answer, bool stops) {
    world->tasks.begin_operation(ordinal, hold);
    Redis redis(*channel);
    const Outcome<RedisReply> outcome = co_await redis.command(command);
    *answer = outcome.yes()                        ? outcome.value().to_string()
              : outcome.why() == Why::error        ? "!" + outcome.error()
              : outcome.why() == Why::timed_out    ? "timed out"
              : outcome.why() == Why::disconnected ? "disconnected"
                                                   : "not connected";
    if (stops) world->stop();
  }

  World& world_;
  std::uint32_t commands_ = 0;
};

}  // namespace picklock
