// RESP, the protocol between Redis clients and servers, without any input or output of its own: bytes in, values out, and back.
//
//   RespRequests requests;                        // a server's side
//   requests.feed(bytes);
//   while (auto command = requests.next()) …
//   if (requests.failed()) …                      // answer error(), then close the connection
//   RespReplies replies;                          // one for each connection, in the order of its commands
//   bytes += replies.reply(command, reply);
//   bytes += replies.push(message);
//
// Requests may be arrays of bulk strings or lines of words. Replies are written as version 2 has them, and after HELLO 3 as version 3
// has them: with maps, sets, numbers with a fraction, and pushes.
//
// Left out: streamed texts and arrays, attributes, and big numbers, which no server of Redis 7 sends.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/task/redis_values.hpp"

namespace picklock {

class RespRequests {
 public:
  // More than a lock ever sends; a real server's limit is 512 MiB a word.
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  void feed(std::string_view bytes);
  // The next whole command; nothing: the rest has not come yet, or the bytes are wrong.
  std::optional<RedisCommand> next();
  bool failed() const { return !error_.empty(); }
  // In the words of a real server: "ERR Protocol error: invalid bulk length".
  const std::string& error() const { return error_; }

 private:
  std::optional<std::string_view> line(std::size_t& at) const;  // without its end; `at` moves behind it
  std::optional<RedisCommand> next_array();
  std::optional<RedisCommand> next_line();
  std::optional<RedisCommand> fail(std::string why);

  std::string bytes_;
  std::size_t at_ = 0;  // bytes before it are taken
  std::string error_;
};

// Values that version 3 has kinds for, and version 2 tells as arrays and texts.
enum class RespShape : std::uint8_t {
  plain,
  map,          // elements in pairs
  maps,         // an array of them
  set,          // …
  fraction,     // a text that is a number
  scored,       // an array of members and scores in turn: of pairs in version 3
  best_scored,  // one member and its score
  document,     // a text for people
  none_of_many  // a nil is that of an array
};
// The shape of a command's reply. Other parts of the reply are plain.
RespShape resp_shape_of(const RedisCommand& command);
std::string to_resp(const RedisReply& reply, int version = 2, RespShape shape = RespShape::plain);

class RespReplies {
 public:
  // The bytes of a reply. HELLO and RESET change how later ones are written.
  std::string reply(const RedisCommand& command, const RedisReply& reply);
  // … of a message that the server sends unasked.
  std::string push(const RedisReply& message) const;
  int version() const { return version_; }
  bool are_over() const { return over_; }  // after QUIT the server closes the connection

 private:
  std::string confirmations(const RedisReply& reply) const;
  std::string results_of_transaction(const RedisReply& reply) const;

  int version_ = 2;
  bool over_ = false;
  std::vector<RespShape> queued_;  // commands of the open transaction
};

}  // namespace picklock
