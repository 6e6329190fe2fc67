// Commands about the server itself: INFO, ROLE, REPLICAOF, REPLCONF, PSYNC, WAIT, CONFIG, CLIENT KILL.
//
// A host is named as its node is, and its port is 6379.
#include <algorithm>
#include <string>
#include <vector>

#include "sim/redis/errors.hpp"
#include "sim/redis/server.hpp"

namespace picklock {
namespace {

constexpr std::string_view kPort = "6379";

void line(std::string& to, std::string_view name, std::string_view value) {
  ((to += name) += ':') += value;
  to += "\r\n";
}
void line(std::string& to, std::string_view name, std::int64_t value) { line(to, name, std::to_string(value)); }

std::string_view to_string(MasterLink::State state) {
  switch (state) {
    case MasterLink::State::none:
      return "none";
    case MasterLink::State::connect:
      return "connect";
    case MasterLink::State::connecting:
      return "connecting";
    case MasterLink::State::connected:
      return "connected";
    default:
      return "handshake";
  }
}

}  // namespace

RedisReply RedisServer::control(RedisControlCommand command, RedisCall& call) {
  switch (command) {
    case RedisControlCommand::client_kill:
      return client_kill(call);
    case RedisControlCommand::config:
      return config_command(call);
    case RedisControlCommand::info:
      return info(call);
    case RedisControlCommand::psync:
      return psync(call);
    case RedisControlCommand::replconf:
      return replconf(call);
    case RedisControlCommand::replicaof:
      return replicaof(call);
    case RedisControlCommand::role:
      return role();
    case RedisControlCommand::wait:
      return wait(call);
  }
  return {};
}

// An empty reply does not leave: it comes later, or never.
RedisReply RedisServer::answer_now_or_later(std::optional<RedisReply> reply) {
  answers_later_ |= !reply;
  return reply ? std::move(*reply) : RedisReply();
}

RedisReply RedisServer::replicaof(RedisCall& call) {
  if (is_redis_word(call.arg(1), "NO") && is_redis_word(call.arg(2), "ONE")) {
    if (!replica_side_.is_master()) replica_side_.promote();
    return RedisReply::ok();
  }
  const std::optional<NodeId> master = process_.world().nodes.find(call.arg(1));
  if (!master) return RedisReply::error("ERR no such host in this world");
  if (call.arg(2) != kPort) return RedisReply::error("ERR Invalid master port");
  if (replica_side_.master() == *master) return RedisReply::status("OK Already connected to specified master");
  become_replica(*master);
  return RedisReply::ok();
}

void RedisServer::become_replica(NodeId master) {
  if (replica_side_.is_master()) {
    waits_.end_all(RedisReply::error(
        "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)"));
  }
  replica_side_.follow(master);
}

RedisReply RedisServer::replconf(RedisCall& call) {
  if (!is_redis_word(call.arg(1), "ACK")) return call.argc() % 2 == 1 ? RedisReply::ok() : redis_error::syntax();
  std::int64_t offset = 0;
  if (parse_redis_integer(call.arg(2), offset)) master_side_.acknowledged(request_->connection, offset);
  return answer_now_or_later(std::nullopt);
}

RedisReply RedisServer::psync(RedisCall& call) {
  const bool has_data = replica_side_.is_master() || link().connected();
  return answer_now_or_later(master_side_.attach(call, request_->connection, has_data));
}

RedisReply RedisServer::wait(RedisCall& call) {
  if (replica_side_.is_master()) return answer_now_or_later(waits_.wait(call, *request_));
  return RedisReply::error(
      "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is "
      "configured to be writable (which is not the default) writes to replicas are just local and are not "
      "propagated.");
}

RedisReply RedisServer::role() const {
  if (!replica_side_.is_master()) {
    return RedisReply::array({RedisReply::bulk("slave"), RedisReply::bulk(process_.world().nodes.name(link().master)),
                              RedisReply::integer(6379), RedisReply::bulk(to_string(link().state)),
                              RedisReply::integer(link().connected() ? stream().offset() : -1)});
  }
  RedisReply online = RedisReply::array();
  for (const RedisReplica& r : replicas().all()) {
    if (!r.online) continue;
    online.push_back(RedisReply::array({RedisReply::bulk(process_.world().nodes.name(r.node)), RedisReply::bulk(kPort),
                                        RedisReply::bulk(std::to_string(r.ack_offset))}));
  }
  return RedisReply::array({RedisReply::bulk("master"), RedisReply::integer(stream().offset()), std::move(online)});
}

RedisReply RedisServer::info(RedisCall& call) const {
  const auto wanted = [&](std::string_view section) {
    bool yes = call.argc() == 1;
    for (std::size_t i = 1; i < call.argc(); ++i) {
      yes |= is_redis_word(call.arg(i), section) || is_redis_word(call.arg(i), "ALL");
    }
    return yes;
  };
  std::string text;
  if (wanted("SERVER")) {
    text += "# Server\r\n";
    line(text, "redis_version", "7.0.15");
    line(text, "redis_mode", mode());
    line(text, "run_id", ReplicationId{process_.draw_id(0)}.to_string());
    line(text, "tcp_port", kPort);
    line(text, "hz", config_.options().hz);
  }
  const auto begin = [&text] { text += text.empty() ? "" : "\r\n"; };
  if (wanted("REPLICATION")) begin(), text += info_on_replication();
  if (bus_.is_taken() ? wanted("CLUSTER") : call.argc() > 1 && wanted("CLUSTER")) {
    begin();
    text += "# Cluster\r\n";
    line(text, "cluster_enabled", bus_.is_taken() ? 1 : 0);
  }
  return RedisReply::bulk(text);
}

std::string RedisServer::info_on_replication() const {
  const RedisOptions& options = config_.options();
  const ReplicationStream& stream = master_side_.stream();
  const std::vector<RedisReplica>& replicas = master_side_.replicas().all();
  std::string text = "# Replication\r\n";
  line(text, "role", replica_side_.is_master() ? "master" : "slave");
  const std::int64_t now = process_.now_s();
  if (!replica_side_.is_master()) {
    line(text, "master_host", process_.world().nodes.name(link().master));
    line(text, "master_port", kPort);
    line(text, "master_link_status", link().connected() ? "up" : "down");
    line(text, "master_last_io_seconds_ago", link().connected() ? now - link().heard_s : -1);
    line(text, "master_sync_in_progress", 0);
    line(text, "slave_read_repl_offset", stream.offset());
    line(text, "slave_repl_offset", stream.offset());
    if (!link().connected()) {
      line(text, "master_link_down_since_seconds", link().down_since_s ? now - *link().down_since_s : -1);
    }
    line(text, "slave_priority", options.replica_priority);
    line(text, "slave_read_only", options.replica_read_only ? 1 : 0);
    line(text, "replica_announced", 1);
  }
  line(text, "connected_slaves", static_cast<std::int64_t>(replicas.size()));
  if (options.min_replicas_to_write != 0 && options.min_replicas_max_lag >= seconds(1)) {
    line(text, "min_slaves_good_slaves", master_side_.good_replicas());
  }
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const RedisReplica& r = replicas[i];
    std::string value = "ip=" + process_.world().nodes.name(r.node);
    ((value += ",port=") += kPort) += r.online ? ",state=online" : ",state=wait_bgsave";
    (value += ",offset=") += std::to_string(r.ack_offset);
    (value += ",lag=") += std::to_string(r.online ? now - r.acked_s : 0);
    line(text, "slave" + std::to_string(i), value);
  }
  line(text, "master_failover_state", "no-failover");
  line(text, "master_replid", stream.id().to_string());
  line(text, "master_replid2", stream.id2().to_string());
  line(text, "master_repl_offset", stream.offset());
  line(text, "second_repl_offset", stream.second_offset());
  line(text, "repl_backlog_active", stream.has_backlog() ? 1 : 0);
  line(text, "repl_backlog_size", options.repl_backlog_size);
  line(text, "repl_backlog_first_byte_offset", stream.has_backlog() ? stream.backlog_start() + 1 : 0);
  line(text, "repl_backlog_histlen", stream.backlog_bytes());
  return text;
}

RedisReply RedisServer::config_command(RedisCall& call) {
  if (is_redis_word(call.arg(1), "REWRITE") && call.argc() == 2) {
    config_.rewrite(replica_side_.master());
    return RedisReply::ok();
  }
  if (is_redis_word(call.arg(1), "GET") && call.argc() == 3) return config_.get(call.arg(2));
  if (!is_redis_word(call.arg(1), "SET") || call.argc() < 4 || call.argc() % 2 != 0) return redis_error::syntax();
  std::optional<RedisReply> error = config_.set(call);
  if (error) return std::move(*error);
  master_side_.follow_config();
  return RedisReply::ok();
}

// CLIENT KILL TYPE spares the client that asks for it (SKIPME yes).
RedisReply RedisServer::client_kill(RedisCall& call) {
  if (call.argc() != 4 || !is_redis_word(call.arg(2), "TYPE")) return redis_error::syntax();
  const bool normal = is_redis_word(call.arg(3), "NORMAL"), pubsub = is_redis_word(call.arg(3), "PUBSUB");
  const bool replicas = is_redis_word(call.arg(3), "REPLICA") || is_redis_word(call.arg(3), "SLAVE");
  const bool master = is_redis_word(call.arg(3), "MASTER");
  if (!normal && !pubsub && !replicas && !master) {
    return RedisReply::error("ERR Unknown client type '" + std::string(call.arg(3)) + "'");
  }
  if (master) {
    const bool had = link().connected();
    if (had) replica_side_.lose_link(true);
    return RedisReply::integer(had ? 1 : 0);
  }
  std::vector<ConnectionId> killed;
  sessions_.for_each([&](ConnectionId connection, const RedisSession& session) {
    const bool is_replica = master_side_.replicas().of(connection) != nullptr;
    const bool subscribes = !is_replica && session.subscribes();
    const bool meant = is_replica ? replicas : subscribes ? pubsub : normal;
    if (meant && connection != request_->connection) killed.push_back(connection);
  });
  for (const ConnectionId c : killed) {
    master_side_.forget_killed(c);
    waits_.forget(c);
    sessions_.close(c);
  }
  master_side_.count_good_replicas();
  return RedisReply::integer(static_cast<std::int64_t>(killed.size()));
}

}  // namespace picklock
