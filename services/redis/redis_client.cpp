#include "services/redis/redis_client.hpp"

#include "sim/redis/wire.hpp"

namespace picklock {

void RedisServiceClient::add(RpcChannel& commands, RpcChannel* subscriptions) {
  commands_.push_back(&commands);
  servers_.emplace_back(commands, decode_redis_reply);
  if (subscriptions == nullptr) return;
  subscriptions_.push_back(subscriptions);
  subscribers_.emplace_back(*subscriptions, decode_redis_reply);
}

template <class Visit>
void RedisServiceClient::for_each_channel(Visit&& visit) {
  for (RpcChannel* const channel : commands_) visit(*channel);
  for (RpcChannel* const channel : subscriptions_) visit(*channel);
}

void RedisServiceClient::follow_master(World& world, const std::vector<RpcChannel*>& sentinels) {
  for_each_channel([&](RpcChannel& channel) {
    master_routes_.push_back(std::make_unique<MasterRoute>(world, sentinels));
    channel.follow(*master_routes_.back());
  });
}

void RedisServiceClient::follow_slot(World& world, std::uint32_t slot, const std::vector<NodeId>& nodes) {
  for_each_channel([&](RpcChannel& channel) {
    slot_routes_.push_back(std::make_unique<SlotRoute>(world, slot, nodes));
    channel.follow(*slot_routes_.back());
  });
}

void RedisServiceClient::give(Reach& reach) {
  given_ = {servers_, subscribers_};
  reach.put<RedisServers>(given_);
}

}  // namespace picklock
