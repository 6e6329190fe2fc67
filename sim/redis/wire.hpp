// How commands and replies travel between a Redis client and a server.
//
// The packed bytes carry what the protocol means, not how RESP spells it.  Decoding does not trust its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/text.hpp"
#include "sim/task/redis_request.hpp"
#include "sim/task/redis_values.hpp"

namespace picklock {

// A command as found in received bytes, which must outlive the view.
// Bytes that are no well-formed command give an invalid view: argc() == 0, every arg() empty.
class RedisCommandView {
 public:
  RedisCommandView() = default;
  explicit RedisCommandView(std::string_view packed) { read(packed); }
  explicit RedisCommandView(const Payload& request) {  // what its sender knew, or else its content
    if (const auto* const known = request.known<RedisKnownCommand>()) {
      take(*known, request.view());
    } else {
      read(request.view());
    }
  }
  RedisCommandView(const RedisCommand& command)  // NOLINT: a command is its own view
      : RedisCommandView(command.bytes()) {}
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
  RedisShape shape() const { return shape_; }
  // The argument as Redis reads a number; false: it is none.
  bool integer(std::size_t index, std::int64_t& value) const {
    if (number_ == nullptr || index + 1 != argc_) return parse_redis_integer(arg(index), value);
    value = *number_;
    return true;
  }
  std::string_view bytes() const { return packed_; }
  std::string to_string() const;

 private:
  static constexpr std::size_t kRead = 12;  // arguments beyond are found by walking
  void read(std::string_view packed);
  void take(const RedisKnownCommand& known, std::string_view packed) {
    packed_ = packed;
    argc_ = placed_ = known.argc;
    verb_ = known.verb;
    shape_ = known.shape;
    places_ = known.places();
    number_ = known.ends_in_number ? &known.number : nullptr;
  }
  std::string_view distant_arg(std::size_t index) const;

  std::string_view packed_;
  std::uint32_t argc_ = 0, placed_ = 0;
  Mark verb_;
  RedisShape shape_ = RedisShape::any;
  const RedisArgumentPlace* places_ = nullptr;  // of the first placed_ arguments
  const std::int64_t* number_ = nullptr;        // the last argument, if it is known to be one
  RedisArgumentPlace read_[kRead];              // left as it is if the places are known
};

// --- replies
std::size_t encoded_size(const RedisReply& reply);
char* encode(const RedisReply& reply, char* to);  // writes encoded_size() bytes, returns the end
std::string encode(const RedisReply& reply);
// False, and `reply` is nil, if `bytes` is not exactly one encoded reply.
bool decode(std::string_view bytes, RedisReply& reply);
RedisReply decode_redis_reply(std::string_view bytes);  // then an error: "ERR malformed reply"
// Whether it may be an error: mostly it is none, and need not be decoded to know that.
inline bool begins_as_error(std::string_view bytes) {
  return !bytes.empty() && bytes.front() == static_cast<char>(RedisReply::Kind::error);
}

}  // namespace picklock
