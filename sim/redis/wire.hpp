// Commands as a server reads them, and replies as bytes.
//
// Commands and replies travel as values.  Bytes are of logs, replication streams, digests and pictures; they carry what
// the protocol means, not how RESP spells it.  Decoding does not trust its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/text.hpp"
#include "sim/task/payload.hpp"
#include "sim/task/redis_values.hpp"

namespace picklock {

// A command as found in a message or in bytes, which must outlive the view.
// Bytes that are no well-formed command give an invalid view: argc() == 0, every arg() empty.
class RedisCommandView {
 public:
  RedisCommandView() = default;
  explicit RedisCommandView(std::string_view packed) { read(packed); }
  RedisCommandView(const RedisCommand& command) : verb_(command.verb()) {  // NOLINT: a command is its own view
    read(command.bytes());
  }
  explicit RedisCommandView(const Payload& request) {  // invalid if it is not a command
    if (const auto* const command = request.get<RedisCommand>()) {
      verb_ = command->verb();
      read(command->bytes());
    }
  }
  RedisCommandView(RedisCommand&&) = delete;  // the view would dangle
  RedisCommandView(const RedisCommandView& other) { *this = other; }
  RedisCommandView& operator=(const RedisCommandView& other);

  bool valid() const { return argc_ > 0; }
  std::size_t argc() const { return argc_; }
  [[gnu::always_inline]] std::string_view arg(std::size_t index) const {
    if (index >= argc_) return {};
    if (index >= placed_) return distant_arg(index);
    return {packed_.data() + places_[index].offset, places_[index].size};
  }
  Mark verb() const { return verb_; }  // none: only the name tells
  // The argument as Redis reads a number; false: it is none.
  bool integer(std::size_t index, std::int64_t& value) const { return parse_redis_integer(arg(index), value); }
  std::string_view bytes() const { return packed_; }
  std::string to_string() const;

 private:
  static constexpr std::size_t kRead = 12;  // arguments beyond are found by walking
  struct Place {
    std::uint32_t offset, size;
  };
  void read(std::string_view packed);
  std::string_view distant_arg(std::size_t index) const;

  std::string_view packed_;
  std::uint32_t argc_ = 0, placed_ = 0;
  Mark verb_;
  Place places_[kRead];  // places of the first placed_ arguments
};

// --- replies
void encode(const RedisReply& reply, std::string& to);  // appends
std::string encode(const RedisReply& reply);
// False, and `reply` is nil, if `bytes` is not exactly one encoded reply.
bool decode(std::string_view bytes, RedisReply& reply);

}  // namespace picklock
