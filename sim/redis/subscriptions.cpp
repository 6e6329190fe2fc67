// SUBSCRIBE, UNSUBSCRIBE, PUBLISH: at most once, only to present subscribers.
#include "sim/redis/commands.hpp"
#include "sim/redis/database.hpp"

namespace picklock {
namespace {

RedisReply confirmation(std::string_view kind, const RedisReply& channel, std::size_t count) {
  return RedisReply::array({RedisReply::bulk(kind), channel, RedisReply::integer(static_cast<std::int64_t>(count))});
}

// One confirmation stands alone; several, which a real server sends one by one, form an array.
RedisReply joined(std::vector<RedisReply> confirmations) {
  if (confirmations.size() == 1) return std::move(confirmations.front());
  return RedisReply::array(std::move(confirmations));
}

}  // namespace

RedisReply redis_subscribe(RedisCall& call) {
  std::vector<RedisReply> confirmations;
  for (std::size_t i = 1; i < call.argc(); ++i) {
    call.database.subscribe(call.session, call.arg(i));
    confirmations.push_back(confirmation("subscribe", RedisReply::bulk(call.arg(i)), call.session.subscriptions()));
  }
  return joined(std::move(confirmations));
}

// Without arguments: from all channels, in order of their names.
RedisReply redis_unsubscribe(RedisCall& call) {
  std::vector<RedisReply> confirmations;
  const auto leave = [&](std::string_view channel) {
    call.database.unsubscribe(call.session, channel);
    confirmations.push_back(confirmation("unsubscribe", RedisReply::bulk(channel), call.session.subscriptions()));
  };
  for (std::size_t i = 1; i < call.argc(); ++i) leave(call.arg(i));
  if (call.argc() == 1) {
    for (const RedisText& channel : call.database.channels_of(call.session)) leave(channel.view());
    if (confirmations.empty()) {
      confirmations.push_back(confirmation("unsubscribe", RedisReply::nil(), 0));
    }
  }
  return joined(std::move(confirmations));
}

RedisReply redis_publish(RedisCall& call) {
  const std::int64_t receivers = call.database.deliver(call.arg(1), call.arg(2), call.out);
  call.propagate_to_replicas_only();
  return RedisReply::integer(receivers);
}

}  // namespace picklock
