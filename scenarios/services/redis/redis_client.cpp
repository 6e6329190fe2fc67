#include "scenarios/services/redis/redis_client.hpp"

#include <algorithm>

#include "sim/redis/wire.hpp"

namespace picklock {

void RedisServiceClient::add(RpcChannel& commands, RpcChannel* subscriptions) {
  servers_.emplace_back(commands);
  if (subscriptions != nullptr) subscribers_.emplace_back(*subscriptions);
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

std::size_t RedisServiceClient::open(std::size_t server, Event& changed) {
  auto free =
      std::find_if(opened_.begin(), opened_.end(), [&](const Opened& o) { return !o.in_use && o.server == server; });
  if (free == opened_.end()) {
    ChannelOptions options;
    options.request_timeout = options.connect_timeout = kForever;  // the library decides how long it waits
    options.connected_at_start = false;
    RpcChannel& channel = world_->channels.open(from_, leads_to_[server], options);
    opened_.push_back({server, &channel, std::make_unique<Redis>(channel)});
    free = opened_.end() - 1;
  }
  free->in_use = true;
  free->channel->notify_pushes(&changed);
  free->channel->open();
  return static_cast<std::size_t>(free - opened_.begin());
}

RedisConnections::State RedisServiceClient::state(std::size_t number) const {
  const RpcChannel& channel = *opened_[number].channel;
  if (channel.connected()) return State::open;
  return channel.seeking() ? State::opening : State::closed;
}

void RedisServiceClient::close(std::size_t number) {
  Opened& opened = opened_[number];
  opened.channel->notify_pushes(nullptr);
  opened.channel->disconnect();
  while (opened.redis->take_push()) {
  }
  opened.in_use = false;
}

void RedisServiceClient::give(Reach& reach) {
  given_ = {servers_, subscribers_};
  reach.put<RedisServers>(given_);
  reach.put<RedisConnections>(*this);
  reach.put<RedisAddresses>(addresses_);
}

}  // namespace picklock
