// CLUSTER …: what a node tells clients of its cluster.
//
// A host is named as its node is, its port is 6379, and its id is made of its name.
#include "base/sha1.hpp"
#include "sim/redis/cluster/cluster_bus.hpp"
#include "sim/redis/errors.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kPort = 6379;

void line(std::string& to, std::string_view name, std::string_view value) {
  (((to += name) += ':') += value) += "\r\n";
}

}  // namespace

// The slots of a shard, as cluster_shard() cuts them.
std::int64_t ClusterBus::first_slot(std::uint32_t shard) const {
  return (std::int64_t{shard} * kClusterSlots + shards() - 1) / shards();
}

RedisReply ClusterBus::command(const RedisCommandView& c) const {
  if (c.argc() < 2) return redis_error::wrong_arity("cluster");
  const auto is = [&](std::string_view name) { return is_redis_word(c.arg(1), name); };
  const std::size_t expected = is("KEYSLOT") ? 3 : 2;
  const bool is_known = is("INFO") || is("KEYSLOT") || is("MYID") || is("NODES") || is("SHARDS") || is("SLOTS");
  if (!is_known) return redis_error::unknown_subcommand("cluster", c.arg(1));
  if (c.argc() != expected) return redis_error::wrong_arity("cluster|" + in_lower_case(c.arg(1)));
  if (is("INFO")) return info();
  if (is("KEYSLOT")) return RedisReply::integer(cluster_slot(c.arg(2)));
  if (is("MYID")) return RedisReply::bulk(sha1_hex(host_of(me_)));
  if (is("NODES")) return list_of_nodes();
  return is("SHARDS") ? shards_and_nodes() : slots();
}

// Each shard's first and last slot, its master, and the replicas that are not known to have failed.
RedisReply ClusterBus::slots() const {
  const auto endpoint = [&](ClusterIndex i) {
    return RedisReply::array({RedisReply::bulk(host_of(i)), RedisReply::integer(kPort),
                              RedisReply::bulk(sha1_hex(host_of(i))), RedisReply::array()});
  };
  RedisReply all = RedisReply::array();
  for (std::uint32_t shard = 0; shard < shards(); ++shard) {
    const ClusterIndex owner = node_->owner(shard);
    RedisReply range = RedisReply::array(
        {RedisReply::integer(first_slot(shard)), RedisReply::integer(first_slot(shard + 1) - 1), endpoint(owner)});
    for (ClusterIndex i = 0; i < nodes_.size(); ++i) {
      if (node_->stored().masters[i] == owner && !node_->knows_failed(i)) range.push_back(endpoint(i));
    }
    all.push_back(std::move(range));
  }
  return all;
}

// Each master's ranges of slots, and with it its replicas.
RedisReply ClusterBus::shards_and_nodes() const {
  const auto text = [](std::string_view value) { return RedisReply::bulk(value); };
  const auto node = [&](ClusterIndex i, bool is_master) {
    return RedisReply::array({text("id"), text(sha1_hex(host_of(i))), text("port"), RedisReply::integer(kPort),
                              text("ip"), text(host_of(i)), text("endpoint"), text(host_of(i)), text("role"),
                              text(is_master ? "master" : "replica"), text("replication-offset"),
                              RedisReply::integer(0), text("health"),
                              text(node_->knows_failed(i) ? "fail" : "online")});
  };
  RedisReply all = RedisReply::array();
  for (ClusterIndex master = 0; master < nodes_.size(); ++master) {
    if (node_->stored().masters[master] != kNobody) continue;
    RedisReply ranges = RedisReply::array(), nodes = RedisReply::array({node(master, true)});
    for (std::uint32_t shard = 0; shard < shards(); ++shard) {
      if (node_->owner(shard) != master) continue;
      ranges.push_back(RedisReply::integer(first_slot(shard)));
      ranges.push_back(RedisReply::integer(first_slot(shard + 1) - 1));
    }
    for (ClusterIndex i = 0; i < nodes_.size(); ++i) {
      if (node_->stored().masters[i] == master) nodes.push_back(node(i, false));
    }
    all.push_back(RedisReply::array({text("slots"), std::move(ranges), text("nodes"), std::move(nodes)}));
  }
  return all;
}

std::string ClusterBus::flags_of(ClusterIndex i) const {
  std::string flags = i == me_ ? "myself," : "";
  flags += node_->stored().masters[i] == kNobody ? "master" : "slave";
  if (node_->knows_failed(i)) {
    flags += ",fail";
  } else if (i != me_ && node_->suspects(i)) {
    flags += ",fail?";
  }
  return flags;
}

RedisReply ClusterBus::list_of_nodes() const {
  std::string text;
  for (ClusterIndex i = 0; i < nodes_.size(); ++i) {
    const ClusterIndex master = node_->stored().masters[i];
    text += sha1_hex(host_of(i)) + ' ' + host_of(i) + ":6379@16379 " + flags_of(i) + ' ';
    text += (master == kNobody ? "-" : sha1_hex(host_of(master))) + " 0 0 ";
    text += std::to_string(node_->stored().config_epochs[master == kNobody ? i : master]);
    text += node_->knows_failed(i) ? " disconnected" : " connected";
    for (std::uint32_t shard = 0; shard < shards(); ++shard) {
      if (node_->owner(shard) != i) continue;
      text += ' ' + std::to_string(first_slot(shard)) + '-' + std::to_string(first_slot(shard + 1) - 1);
    }
    text += '\n';
  }
  return RedisReply::bulk(text);
}

RedisReply ClusterBus::info() const {
  std::string text;
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  line(text, "cluster_state", serving() ? "ok" : "fail");
  line(text, "cluster_slots_assigned", number(kClusterSlots));
  line(text, "cluster_known_nodes", number(nodes_.size()));
  line(text, "cluster_size", number(shards()));
  line(text, "cluster_current_epoch", number(node_->epoch()));
  line(text, "cluster_my_epoch", number(node_->config_epoch()));
  return RedisReply::bulk(text);
}

}  // namespace picklock
