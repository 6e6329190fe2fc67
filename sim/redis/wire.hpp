// How commands and replies travel between a Redis client and a server.
//
// The packed bytes carry what the protocol means, not how RESP spells it.  Decoding does not trust its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/task/redis_values.hpp"

namespace picklock {

// A command as found in received bytes, which must outlive the view.
// Bytes that are no well-formed command give an invalid view: argc() == 0, every arg() empty.
class RedisCommandView {
 public:
  RedisCommandView() = default;
  explicit RedisCommandView(std::string_view packed);
  RedisCommandView(const RedisCommand& command)  // NOLINT: a command is its own view
      : RedisCommandView(command.bytes()) {}
  RedisCommandView(RedisCommand&&) = delete;  // the view would dangle

  bool valid() const { return argc_ > 0; }
  std::size_t argc() const { return argc_; }
  std::string_view arg(std::size_t index) const {
    if (index >= argc_) return {};
    if (index >= kIndexed) return distant_arg(index);
    return {packed_.data() + indexed_[index].offset, indexed_[index].size};
  }
  std::string_view bytes() const { return packed_; }
  std::string to_string() const;

 private:
  static constexpr std::size_t kIndexed = 12;  // arguments beyond are found by walking
  struct Slice {
    std::uint32_t offset;
    std::uint32_t size;
  };
  std::string_view distant_arg(std::size_t index) const;

  std::string_view packed_;
  std::uint32_t argc_ = 0;
  Slice indexed_[kIndexed];  // the first min(argc_, kIndexed) are set
};

// --- replies
std::size_t encoded_size(const RedisReply& reply);
char* encode(const RedisReply& reply, char* to);  // writes encoded_size() bytes, returns the end
std::string encode(const RedisReply& reply);
// False, and `reply` is nil, if `bytes` is not exactly one encoded reply.
bool decode(std::string_view bytes, RedisReply& reply);
RedisReply decode_redis_reply(std::string_view bytes);  // then an error: "ERR malformed reply"

}  // namespace picklock
