#include "sim/task/redis_request.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

RedisReply RedisAnswer::reply() const {
  if (whole != nullptr) return std::move(*whole);
  RedisReply reply;
  if (kind == RedisReply::Kind::integer) {
    reply.become(integer);
  } else if (kind != RedisReply::Kind::nil) {
    reply.become(kind, text);
  }
  return reply;
}

Payload redis_long_request(Arena& arena, std::span<const std::string_view> texts) {
  RedisCommand command;
  for (const std::string_view text : texts) command.add(text);
  return Payload(arena, command.bytes());
}

Payload redis_request(Arena& arena, Mark verb, std::span<const std::string_view> texts) {
  const auto numbered = [&]<std::size_t... i>(std::index_sequence<i...>) {
    return redis_request_of(arena, verb, texts[i]...);
  };
  switch (texts.size()) {
    case 4:
      return numbered(std::make_index_sequence<4>());
    case 5:
      return numbered(std::make_index_sequence<5>());
    case 6:
      return numbered(std::make_index_sequence<6>());
    case 7:
      return numbered(std::make_index_sequence<7>());
    case 8:
      return numbered(std::make_index_sequence<8>());
    default:
      return redis_long_request(arena, texts);
  }
}

Payload redis_request(Arena& arena, Mark verb, const RedisScript& script, std::span<const std::string_view> keys,
                      std::span<const std::string_view> arguments) {
  constexpr std::size_t kHead = 3;
  std::array<std::string_view, 16> texts;
  const std::size_t count = kHead + keys.size() + arguments.size();
  if (count > texts.size()) return Payload(arena, script.call(keys, arguments).bytes());
  const RedisArgumentText keys_follow(keys.size());
  texts[0] = "EVAL";
  texts[1] = script.sent_as();
  texts[2] = keys_follow.text();
  std::copy(arguments.begin(), arguments.end(), std::copy(keys.begin(), keys.end(), texts.begin() + kHead));
  return redis_request(arena, verb, std::span(texts).first(count));
}

}  // namespace picklock
