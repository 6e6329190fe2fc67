#include "services/redis/redis_client.hpp"

#include "sim/redis/wire.hpp"

namespace picklock {

void RedisServiceClient::add(RpcChannel& commands, RpcChannel* subscriptions) {
  servers_.emplace_back(commands, decode_redis_reply);
  if (subscriptions != nullptr) subscribers_.emplace_back(*subscriptions, decode_redis_reply);
}

void RedisServiceClient::follow_master(World& world, RpcChannel& channel, const std::vector<RpcChannel*>& sentinels) {
  master_routes_.push_back(std::make_unique<MasterRoute>(world, sentinels));
  channel.follow(*master_routes_.back());
}

void RedisServiceClient::follow_slot(World& world, RpcChannel& channel, std::uint32_t slot,
                                     const std::vector<NodeId>& nodes) {
  slot_routes_.push_back(std::make_unique<SlotRoute>(world, slot, nodes));
  channel.follow(*slot_routes_.back());
}

void RedisServiceClient::give(Reach& reach) {
  given_ = {servers_, subscribers_};
  reach.put<RedisServers>(given_);
}

}  // namespace picklock
