// Error replies in the words of Redis 7.0.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/redis/wire.hpp"

namespace picklock::redis_error {

inline RedisReply wrong_type() {
  return RedisReply::error("WRONGTYPE Operation against a key holding the wrong kind of value");
}
inline RedisReply syntax() { return RedisReply::error("ERR syntax error"); }
inline RedisReply not_an_integer() { return RedisReply::error("ERR value is not an integer or out of range"); }
inline RedisReply not_a_float() { return RedisReply::error("ERR value is not a valid float"); }
inline RedisReply not_positive() { return RedisReply::error("ERR value is out of range, must be positive"); }
inline RedisReply would_overflow() { return RedisReply::error("ERR increment or decrement would overflow"); }
inline RedisReply no_script() { return RedisReply::error("NOSCRIPT No matching script. Please use EVAL."); }
inline RedisReply no_such_key() { return RedisReply::error("ERR no such key"); }
inline RedisReply read_only() { return RedisReply::error("READONLY You can't write against a read only replica."); }
inline RedisReply not_enough_replicas() { return RedisReply::error("NOREPLICAS Not enough good replicas to write."); }

// `command` in lower case.
inline RedisReply invalid_expire_time(std::string_view command) {
  return RedisReply::error("ERR invalid expire time in '" + std::string(command) + "' command");
}
inline RedisReply wrong_arity(std::string_view command) {
  return RedisReply::error("ERR wrong number of arguments for '" + std::string(command) + "' command");
}
// EXEC itself was refused with this error.
inline RedisReply transaction_discarded(std::string_view error) {
  if (error.substr(0, 4) == "ERR ") error.remove_prefix(4);
  return RedisReply::error("EXECABORT Transaction discarded because of: " + std::string(error));
}
inline RedisReply unknown_command(const RedisCommandView& command) {
  constexpr std::size_t kMostShown = 128;
  std::string shown;
  for (std::size_t i = 1; i < command.argc() && shown.size() < kMostShown; ++i) {
    ((shown += '\'') += command.arg(i).substr(0, kMostShown - shown.size())) += "' ";
  }
  std::string text = "ERR unknown command '";
  ((text += command.arg(0).substr(0, kMostShown)) += "', with args beginning with: ") += shown;
  for (char& c : text) {
    if (c == '\r' || c == '\n') c = ' ';
  }
  return RedisReply::error(text);
}
// `command` in lower case.
inline RedisReply unknown_subcommand(std::string_view command, std::string_view subcommand) {
  constexpr std::size_t kMostShown = 128;
  std::string text = "ERR unknown subcommand '" + std::string(subcommand.substr(0, kMostShown)) + "'. Try ";
  for (const char c : command) text += static_cast<char>(c & ~0x20);
  return RedisReply::error(text + " HELP.");
}
inline RedisReply only_while_subscribed(std::string_view command) {
  return RedisReply::error("ERR Can't execute '" + std::string(command) +
                           "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are "
                           "allowed in this context");
}

}  // namespace picklock::redis_error
