// SUBSCRIBE, PSUBSCRIBE, SSUBSCRIBE and their ends, PUBLISH, SPUBLISH: at most once, only to present subscribers.
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

std::size_t count_of(const RedisSession& session, RedisTopic kind) {
  return kind == RedisTopic::shard_channel ? session.shard_subscriptions() : session.subscriptions();
}

RedisReply subscribe(RedisCall& call, RedisTopic kind, std::string_view word) {
  std::vector<RedisReply> confirmations;
  for (std::size_t i = 1; i < call.argc(); ++i) {
    call.database.subscribe(call.session, kind, call.arg(i));
    confirmations.push_back(confirmation(word, RedisReply::bulk(call.arg(i)), count_of(call.session, kind)));
  }
  return joined(std::move(confirmations));
}

// A command without arguments leaves all topics of this kind, in order of their names.
RedisReply unsubscribe(RedisCall& call, RedisTopic kind, std::string_view word) {
  std::vector<RedisReply> confirmations;
  const auto leave = [&](std::string_view topic) {
    call.database.unsubscribe(call.session, kind, topic);
    confirmations.push_back(confirmation(word, RedisReply::bulk(topic), count_of(call.session, kind)));
  };
  for (std::size_t i = 1; i < call.argc(); ++i) leave(call.arg(i));
  if (call.argc() == 1) {
    for (const RedisText& topic : call.database.topics_of(call.session, kind)) leave(topic.view());
    if (confirmations.empty()) {
      confirmations.push_back(confirmation(word, RedisReply::nil(), count_of(call.session, kind)));
    }
  }
  return joined(std::move(confirmations));
}

}  // namespace

RedisReply redis_subscribe(RedisCall& call) { return subscribe(call, RedisTopic::channel, "subscribe"); }
RedisReply redis_psubscribe(RedisCall& call) { return subscribe(call, RedisTopic::pattern, "psubscribe"); }
RedisReply redis_unsubscribe(RedisCall& call) { return unsubscribe(call, RedisTopic::channel, "unsubscribe"); }
RedisReply redis_punsubscribe(RedisCall& call) { return unsubscribe(call, RedisTopic::pattern, "punsubscribe"); }

RedisReply redis_ssubscribe(RedisCall& call) { return subscribe(call, RedisTopic::shard_channel, "ssubscribe"); }
RedisReply redis_sunsubscribe(RedisCall& call) { return unsubscribe(call, RedisTopic::shard_channel, "sunsubscribe"); }

RedisReply redis_spublish(RedisCall& call) {
  const std::int64_t receivers = call.database.deliver_in_shard(call.arg(1), call.arg(2), call.out);
  call.propagate_to_replicas_only();
  return RedisReply::integer(receivers);
}

RedisReply redis_publish(RedisCall& call) {
  const std::int64_t receivers = call.database.deliver(call.arg(1), call.arg(2), call.out);
  call.propagate_to_replicas_only();
  return RedisReply::integer(receivers);
}

}  // namespace picklock
