#include "sim/redis/replication_lab.hpp"

#include "sim/redis/append_only_file.hpp"
#include "sim/redis/scripts_lab.hpp"

namespace picklock {

void ReplicationLab::begin(std::uint64_t seed) {
  world.reset(seed);
  world.network.set_latency(Law::constant(microseconds(100)));
  servers_.clear();
  channels_.clear();
  issuer_.begin();
}

RedisServer& ReplicationLab::add(const std::string& name, std::string_view master, const RedisOptions& options,
                                 bool in_place) {
  auto server = std::make_unique<RedisServer>(redis_lab_scripts(), options);
  const NodeId node = world.nodes.add(name);
  server->set_master(master.empty() ? NodeId{0} : *world.nodes.find(master), in_place);
  RedisServer& added = *server;
  servers_.emplace(name, std::move(server));
  world.install(node, added);
  return added;
}

void ReplicationLab::start(const RedisOptions& options, int replicas) {
  add("m", {}, options);
  for (int i = 1; i <= replicas; ++i) add("r" + std::to_string(i), "m", options);
  pass(milliseconds(10));
}

RpcChannel& ReplicationLab::channel(const std::string& client, const std::string& server) {
  RpcChannel*& c = channels_[client + ">" + server];
  if (c == nullptr) {
    const std::optional<NodeId> known = world.nodes.find(client);
    ChannelOptions options;
    options.request_timeout = seconds(3);
    c = &world.channels.open(known ? *known : world.nodes.add(client), node(server), options);
  }
  return *c;
}

std::string ReplicationLab::info(const std::string& server, const std::string& key) {
  const std::string text = ask(server, "INFO");
  const std::size_t at = text.find("\\x0a" + key + ":");  // line ends are escaped
  if (at == std::string::npos) return "";
  const std::size_t from = at + key.size() + 5;
  return text.substr(from, text.find('\\', from) - from);
}

std::string ReplicationLab::data(const std::string& server) {
  std::string log;
  const RedisInspect inspect = servers_.at(server)->inspect(world, node(server));
  if (inspect.keys() != nullptr) rewrite_log(*inspect.keys(), log);
  return log;
}

std::size_t ReplicationLab::count(TraceKind kind, NodeId node) const {
  std::size_t n = 0;
  for (const TraceRecord& r : world.trace.journal()) n += r.kind == kind && r.node == node;
  return n;
}

std::uint32_t ReplicationLab::cut(std::string_view a, std::string_view b) {
  NetworkRule there, back;
  there.from.set(node(a));
  there.to.set(node(b));
  back.from.set(node(b));
  back.to.set(node(a));
  const std::uint32_t first = world.network.install(there);
  world.network.install(back);
  return first;
}

void ReplicationLab::heal(std::uint32_t first) {
  world.network.uninstall(first);
  world.network.uninstall(first + 1);
}

}  // namespace picklock
