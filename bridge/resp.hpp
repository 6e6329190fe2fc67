// RESP, the protocol between Redis clients and servers, without any input or output of its own: bytes in, values out, and back.
//
//   RespRequests requests;                        // a server's side
//   requests.feed(bytes);
//   while (auto command = requests.next()) …
//   if (requests.failed()) …                      // answer error(), then close the connection
//   std::string bytes = to_resp(reply);
//
// Requests may be arrays of bulk strings or lines of words. Replies are written as version 2 has them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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
  std::size_t at_ = 0;  // what lies before has been taken
  std::string error_;
};

std::string to_resp(const RedisReply& reply);

}  // namespace picklock
