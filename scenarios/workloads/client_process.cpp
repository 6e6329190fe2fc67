#include "scenarios/workloads/client_process.hpp"

#include "algorithms/curator/curator_client.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

void ClientProcess::prepare(RunState& state, MachineChannels c) {
  run = &state;
  channels = std::move(c);
  redis.clear();
  subscriptions.clear();
  etcd.reset();
  for (RpcChannel* channel : channels.redis) redis.emplace_back(*channel, decode_redis_reply);
  for (RpcChannel* channel : channels.subscriptions) subscriptions.emplace_back(*channel, decode_redis_reply);
  servers = {redis, subscriptions};
}

void ClientProcess::boot(World& world, NodeId node) {
  locals.clear();
  etcd.reset();
  if (!channels.zookeeper.empty()) zookeeper.boot(world, node, channels.zookeeper, channels.zookeeper_options);
  if (channels.etcd.empty()) return;
  etcd = std::make_unique<EtcdClient>(
      world.host(node), std::vector<Channel*>(channels.etcd.begin(), channels.etcd.end()), channels.etcd_options);
}

std::unique_ptr<Lock> ClientProcess::make_lock(const Host& host, const LockUse& use, std::uint32_t thread) {
  LockContext context{host, use.names.front()};
  if (!redis.empty()) context.reach.put<RedisServers>(servers);
  if (etcd) context.reach.put<Etcd>(*etcd);
  if (!channels.zookeeper.empty()) context.reach.put<ZooConnector>(zookeeper);
  context.process = &locals;
  context.thread = thread;
  if (use.several()) context.names = use.names;
  context.sharing = use.sharing;
  return run->lock_kind->make(context, *run->lock_options);
}

Stores ClientProcess::stores(const Host& host) {
  Stores all{Storage(*channels.storage)};
  all.etcd = etcd.get();
  const auto& kept = run->workload_kind->kept_in;
  if (kept && kept->service == "zookeeper") {
    LockContext context{host, ""};
    context.reach.put<ZooConnector>(zookeeper);
    context.process = &locals;
    all.curator = &CuratorClient::of(context, {});
  }
  return all;
}

}  // namespace picklock
