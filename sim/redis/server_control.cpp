// What the server says of itself and lets be done to it: INFO, ROLE, REPLICAOF, CONFIG, CLIENT, REPLCONF.
//
// A host is named as its node is, and its port is 6379.
#include "sim/redis/errors.hpp"
#include "sim/redis/server_parts.hpp"

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

// Reads or sets options by the names of redis.conf; durations are whole seconds there.
class ConfigField final : public FieldVisitor {
 public:
  explicit ConfigField(std::string_view pattern) : pattern_(pattern) {}
  ConfigField(std::string_view name, std::string_view value) : pattern_(name), value_(value) {}

  std::vector<std::pair<std::string, std::string>> found;
  bool rejected = false;

  void field(const FieldInfo& info, bool& value) override {
    if (!meant(info, value ? "yes" : "no")) return;
    if (*value_ == "yes" || *value_ == "no") {
      value = *value_ == "yes";
    } else {
      rejected = true;
    }
  }
  void field(const FieldInfo& info, std::int64_t& value) override {
    if (meant(info, std::to_string(value))) number(info, value, 1);
  }
  void field(const FieldInfo& info, Duration& value) override {
    if (meant(info, std::to_string(whole_seconds(value)))) number(info, value.ns, seconds(1).ns);
  }
  void field(const FieldInfo&, std::optional<Duration>&) override {}
  void field(const FieldInfo&, Law&) override {}
  void field(const FieldInfo&, std::string&) override {}
  void choice(const FieldInfo& info, std::span<const std::string_view> names, std::size_t& index) override {
    if (!meant(info, names[index])) return;
    rejected = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == *value_) index = i, rejected = false;
    }
  }

 private:
  bool meant(const FieldInfo& info, std::string_view now) {  // and shall be set
    const bool prefix = !pattern_.empty() && pattern_.back() == '*';
    const bool matches = prefix ? info.name.substr(0, pattern_.size() - 1) == pattern_.substr(0, pattern_.size() - 1)
                                : info.name == pattern_;
    if (matches) found.emplace_back(info.name, now);
    return matches && value_.has_value();
  }
  void number(const FieldInfo& info, std::int64_t& value, std::int64_t unit) {
    std::int64_t given = 0;
    rejected |= !parse_redis_integer(*value_, given) || __builtin_mul_overflow(given, unit, &given) ||
                given < info.least || given > info.most;
    if (!rejected) value = given;
  }
  std::string_view pattern_;
  std::optional<std::string_view> value_;
};

}  // namespace

RedisReply RedisServer::control(RedisControlCommand command, RedisCall& call) {
  switch (command) {
    case RedisControlCommand::client:
      return client_command(call);
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

void RedisServer::close(ConnectionId connection) {
  sessions_.shut(connection);
  world_->network.close(connection, 1);
}

RedisReply RedisServer::replicaof(RedisCall& call) {
  if (is_redis_word(call.arg(1), "NO") && is_redis_word(call.arg(2), "ONE")) {
    if (link_.master != 0) become_master();
    return RedisReply::ok();
  }
  const std::optional<NodeId> master = world_->find_node(call.arg(1));
  if (!master) return RedisReply::error("ERR no such host in this world");
  if (call.arg(2) != kPort) return RedisReply::error("ERR Invalid master port");
  if (link_.master == *master) return RedisReply::status("OK Already connected to specified master");
  become_replica(*master);
  return RedisReply::ok();
}

RedisReply RedisServer::replconf(RedisCall& call) {
  if (!is_redis_word(call.arg(1), "ACK")) return call.argc() % 2 == 1 ? RedisReply::ok() : redis_error::syntax();
  answers_later_ = true;  // never
  std::int64_t offset = 0;
  RedisReplica* const replica = replicas_.of(request_->connection);
  if (replica == nullptr || !parse_redis_integer(call.arg(2), offset)) return {};
  replica->ack_offset = std::max(replica->ack_offset, offset);
  replica->acked_s = now_s();
  return {};
}

RedisReply RedisServer::role() const {
  if (link_.master != 0) {
    return RedisReply::array({RedisReply::bulk("slave"), RedisReply::bulk(world_->node_name(link_.master)),
                              RedisReply::integer(6379), RedisReply::bulk(to_string(link_.state)),
                              RedisReply::integer(link_.connected() ? stream_.offset() : -1)});
  }
  RedisReply online = RedisReply::array();
  for (const RedisReplica& r : replicas_.all()) {
    if (!r.online) continue;
    online.push_back(RedisReply::array({RedisReply::bulk(world_->node_name(r.node)), RedisReply::bulk(kPort),
                                        RedisReply::bulk(std::to_string(r.ack_offset))}));
  }
  return RedisReply::array({RedisReply::bulk("master"), RedisReply::integer(stream_.offset()), std::move(online)});
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
    line(text, "redis_mode", "standalone");
    line(text, "run_id", ReplicationId{run_id()}.to_string());
    line(text, "tcp_port", kPort);
    line(text, "hz", options_.hz);
  }
  if (!wanted("REPLICATION")) return RedisReply::bulk(text);
  if (!text.empty()) text += "\r\n";
  text += "# Replication\r\n";
  line(text, "role", link_.master == 0 ? "master" : "slave");
  const std::int64_t now = now_s();
  if (link_.master != 0) {
    line(text, "master_host", world_->node_name(link_.master));
    line(text, "master_port", kPort);
    line(text, "master_link_status", link_.connected() ? "up" : "down");
    line(text, "master_last_io_seconds_ago", link_.connected() ? now - link_.heard_s : -1);
    line(text, "master_sync_in_progress", 0);
    line(text, "slave_read_repl_offset", stream_.offset());
    line(text, "slave_repl_offset", stream_.offset());
    if (!link_.connected()) {
      line(text, "master_link_down_since_seconds", link_.down_since_s ? now - *link_.down_since_s : -1);
    }
    line(text, "slave_priority", options_.replica_priority);
    line(text, "slave_read_only", options_.replica_read_only ? 1 : 0);
    line(text, "replica_announced", 1);
  }
  line(text, "connected_slaves", static_cast<std::int64_t>(replicas_.all().size()));
  if (options_.min_replicas_to_write != 0 && options_.min_replicas_max_lag >= seconds(1)) {
    line(text, "min_slaves_good_slaves", good_replicas_);
  }
  for (std::size_t i = 0; i < replicas_.all().size(); ++i) {
    const RedisReplica& r = replicas_.all()[i];
    std::string value = "ip=" + world_->node_name(r.node);
    ((value += ",port=") += kPort) += r.online ? ",state=online" : ",state=wait_bgsave";
    (value += ",offset=") += std::to_string(r.ack_offset);
    (value += ",lag=") += std::to_string(r.online ? now - r.acked_s : 0);
    line(text, "slave" + std::to_string(i), value);
  }
  line(text, "master_failover_state", "no-failover");
  line(text, "master_replid", stream_.id().to_string());
  line(text, "master_replid2", stream_.id2().to_string());
  line(text, "master_repl_offset", stream_.offset());
  line(text, "second_repl_offset", stream_.second_offset());
  line(text, "repl_backlog_active", stream_.has_backlog() ? 1 : 0);
  line(text, "repl_backlog_size", options_.repl_backlog_size);
  line(text, "repl_backlog_first_byte_offset", stream_.has_backlog() ? stream_.backlog_start() + 1 : 0);
  line(text, "repl_backlog_histlen", stream_.backlog_bytes());
  return RedisReply::bulk(text);
}

RedisReply RedisServer::config_command(RedisCall& call) {
  if (is_redis_word(call.arg(1), "REWRITE") && call.argc() == 2) {
    stored_ = {options_, link_.master, false};
    return RedisReply::ok();
  }
  if (is_redis_word(call.arg(1), "GET") && call.argc() == 3) {
    ConfigField get(call.arg(2));
    RedisOptions options = options_;
    options.fields(get);
    RedisReply reply = RedisReply::array();
    for (const auto& [name, value] : get.found) {
      reply.push_back(RedisReply::bulk(name));
      reply.push_back(RedisReply::bulk(value));
    }
    return reply;
  }
  if (!is_redis_word(call.arg(1), "SET") || call.argc() < 4 || call.argc() % 2 != 0) return redis_error::syntax();
  RedisOptions options = options_;
  for (std::size_t i = 2; i < call.argc(); i += 2) {
    ConfigField set(call.arg(i), call.arg(i + 1));
    options.fields(set);
    const std::string failed =
        "ERR CONFIG SET failed (possibly related to argument '" + std::string(call.arg(i)) + "') - ";
    if (set.found.size() != 1) {
      return RedisReply::error("ERR Unknown option or number of arguments for CONFIG SET - '" +
                               std::string(call.arg(i)) + "'");
    }
    if (set.rejected) return RedisReply::error(failed + "argument is out of range or of the wrong type");
  }
  const bool at_boot_only = options.appendonly != options_.appendonly || options.hz != options_.hz ||
                            options.auto_aof_load != options_.auto_aof_load ||
                            options.expire_at_deadline != options_.expire_at_deadline ||
                            options.watch_sees_expiry != options_.watch_sees_expiry;
  if (at_boot_only) return RedisReply::error("ERR CONFIG SET failed - can't set immutable config");
  options_ = options;
  apply_config();
  return RedisReply::ok();
}

void RedisServer::apply_config() {
  stream_.set_backlog_size(options_.repl_backlog_size);
  database_.set_role(database_.role(), !options_.replica_read_only);
  count_good_replicas();
}

// KILL TYPE spares who asks for it (SKIPME yes).
RedisReply RedisServer::client_command(RedisCall& call) {
  if (is_redis_word(call.arg(1), "SETNAME") && call.argc() == 3) return RedisReply::ok();
  if (is_redis_word(call.arg(1), "ID") && call.argc() == 2) return RedisReply::integer(call.session.id());
  if (!is_redis_word(call.arg(1), "KILL") || call.argc() != 4 || !is_redis_word(call.arg(2), "TYPE")) {
    return redis_error::syntax();
  }
  const bool normal = is_redis_word(call.arg(3), "NORMAL"), pubsub = is_redis_word(call.arg(3), "PUBSUB");
  const bool replicas = is_redis_word(call.arg(3), "REPLICA") || is_redis_word(call.arg(3), "SLAVE");
  const bool master = is_redis_word(call.arg(3), "MASTER");
  if (!normal && !pubsub && !replicas && !master) {
    return RedisReply::error("ERR Unknown client type '" + std::string(call.arg(3)) + "'");
  }
  if (master) {
    const bool had = link_.connected();
    if (had) lose_master(true);
    return RedisReply::integer(had ? 1 : 0);
  }
  std::vector<ConnectionId> killed;
  sessions_.for_each([&](ConnectionId connection, const RedisSession& session) {
    const bool is_replica = replicas_.of(connection) != nullptr;
    const bool subscribes = !is_replica && session.subscriptions() != 0;
    const bool meant = is_replica ? replicas : subscribes ? pubsub : normal;
    if (meant && connection != request_->connection) killed.push_back(connection);
  });
  for (const ConnectionId c : killed) {
    replicas_.remove(c);
    std::erase_if(waits_, [c](const BlockedWait& w) { return w.connection == c; });
    close(c);
  }
  count_good_replicas();
  return RedisReply::integer(static_cast<std::int64_t>(killed.size()));
}

}  // namespace picklock
