// A command of Redis on its way to a server of the same world: packed, and with it what its sender knows anyway, the
// verb as a number and where each argument lies.  So the server looks neither for its arguments nor for its name.
//
// The bytes are those of a RedisCommand: what hashes, keeps or shows them sees no difference, and a server that gets
// bytes alone, from a file or a real connection, reads them.  An answer comes back in the same way: its kind, its
// number and where its text lies go before its bytes.
#pragma once

#include <array>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/task/mark.hpp"
#include "sim/task/payload.hpp"
#include "sim/task/redis_values.hpp"

namespace picklock {

struct RedisArgumentPlace {
  std::uint32_t offset, size;
};

// A shape of its verb that is sent again and again, and then need not be looked for among its words.
enum class RedisShape : std::uint8_t { any, set_nx_px };  // SET key value NX PX milliseconds

struct RedisKnownCommand {
  Mark verb;               // none: only the name tells
  std::uint16_t argc = 0;  // places follow
  bool ends_in_number = false;
  RedisShape shape = RedisShape::any;
  std::int64_t number = 0;  // the last argument

  RedisArgumentPlace* places() { return reinterpret_cast<RedisArgumentPlace*>(this + 1); }
  const RedisArgumentPlace* places() const { return const_cast<RedisKnownCommand*>(this)->places(); }
};

struct RedisKnownReply {
  RedisReply::Kind kind;  // not an array
  std::uint32_t text;     // where it lies; it reaches to the end of the bytes
  std::int64_t integer;
};

// A reply as a verb looks at it, which lives elsewhere.
struct RedisAnswer {
  RedisReply::Kind kind = RedisReply::Kind::nil;
  std::int64_t integer = 0;
  std::string_view text;
  RedisReply* whole = nullptr;  // if it was read from bytes; only an array needs it

  explicit RedisAnswer(RedisReply& reply)
      : kind(reply.kind()), integer(reply.integer()), text(reply.text()), whole(&reply) {}
  explicit RedisAnswer(const RedisKnownReply& known, std::string_view bytes)
      : kind(known.kind), integer(known.integer), text(bytes.substr(known.text)) {}
  bool is_nil() const { return kind == RedisReply::Kind::nil; }
  bool is_error() const { return kind == RedisReply::Kind::error; }
  RedisReply reply() const;
};

// Texts of 128 letters in all, or more.
Payload redis_long_request(Arena& arena, std::span<const std::string_view> texts);
// Any number of texts.
Payload redis_request(Arena& arena, Mark verb, std::span<const std::string_view> texts);

// Written out for each number of texts: a polling lock comes here for every attempt.
template <class... Texts>
[[gnu::always_inline]] inline Payload redis_request_of(Arena& arena, Mark verb, const Texts&... texts) {
  constexpr std::size_t kCount = sizeof...(texts), kShort = 128;  // a length below it takes one byte
  const std::size_t all = (texts.size() + ...);
  if (all >= kShort) return redis_long_request(arena, std::array<std::string_view, kCount>{texts...});
  Payload bytes =
      Payload::knowing(arena, RedisKnownCommand{verb, kCount}, 2 + kCount + all, kCount * sizeof(RedisArgumentPlace));
  RedisArgumentPlace* place = bytes.known<RedisKnownCommand>()->places();
  char* const begin = bytes.data();
  char* to = begin;
  const auto put = [&](std::string_view text) __attribute__((always_inline)) {
    const auto size = static_cast<std::uint32_t>(text.size());
    *to++ = static_cast<char>(size);
    *place++ = {static_cast<std::uint32_t>(to - begin), size};
    if (__builtin_constant_p(size)) {
      std::memcpy(to, text.data(), size);
    } else {
      copy_short(to, text.data(), size);
    }
    to += size;
  };
  *to++ = static_cast<char>(kCount & 255);
  *to++ = static_cast<char>(kCount >> 8);
  (put(texts), ...);
  return bytes;
}

template <RedisArgument... Args>
[[gnu::always_inline]] inline Payload redis_request(Arena& arena, Mark verb, std::string_view name,
                                                    const Args&... args) {
  const auto request = [&](const auto&... texts) __attribute__((always_inline)) {
    return redis_request_of(arena, verb, name, texts.text()...);
  };
  Payload bytes = request(RedisArgumentText(args)...);
  if constexpr (sizeof...(args) > 0) {
    const auto& last = std::get<sizeof...(args) - 1>(std::tie(args...));
    using Last = std::remove_cvref_t<decltype(last)>;
    auto* const known = bytes.known<RedisKnownCommand>();
    if constexpr (std::same_as<Last, RedisNumber>) {
      if (known != nullptr) known->ends_in_number = true, known->number = last.value();
    } else if constexpr (std::integral<Last>) {
      if (known != nullptr) {
        known->ends_in_number = std::in_range<std::int64_t>(last);
        known->number = static_cast<std::int64_t>(last);
      }
    }
  }
  return bytes;
}
inline Payload redis_request(Arena& arena, const RedisCommand& command) { return Payload(arena, command.bytes()); }

Payload redis_request(Arena& arena, Mark verb, const RedisScript& script, std::span<const std::string_view> keys,
                      std::span<const std::string_view> arguments);

}  // namespace picklock
