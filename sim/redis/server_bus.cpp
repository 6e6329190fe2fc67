// The server as a node of a cluster: what its thread does for the bus (bus.hpp), after redis 7.0's server.c
// and cluster_legacy.c: clusterCron ten times a second, the configuration stored before anybody hears of it.
#include "sim/redis/server_parts.hpp"
#include "sim/redis/transactions.hpp"

namespace picklock {
namespace {

constexpr Duration kBusPeriod = milliseconds(100);
constexpr std::string_view kNodesFile = "nodes.conf";
constexpr std::uint32_t kTickOrdinal = 0x40000000;  // of what main does at a tick; the cron's are smaller

}  // namespace

Task<void> RedisServer::keep_time_of_bus(Service service) {
  const Host host = service.host();
  const Law phases = Law::uniform(Duration{}, kBusPeriod - nanoseconds(1));
  MonoTime due = host.monotonic_now() + host.draw_duration(Purpose::election, phases);
  host.declare_state(0);
  for (;;) {
    co_await Nap(service, bus_nap_, "the cluster's cron", due);
    if (host.monotonic_now() < due) continue;
    due = host.monotonic_now() + kBusPeriod;
    bus_due_ = true;
    if (main_nap_ != nullptr) main_nap_->ring();
  }
}

void RedisServer::boot_bus() {
  bus_file_ = world_->disk(node_).open(kNodesFile);
  bus_->boot(*world_, node_, world_->disk(node_).contents(bus_file_));
  if (bus_->master() != stored_.master) {
    stored_.master = bus_->master();
    stored_.link_in_place = false;
  }
  bus_serves_ = true;
  bus_due_ = false;
  bus_ticks_ = 0;
  bus_nap_ = nullptr;
  say_whether_bus_serves();
}

void RedisServer::say_whether_bus_serves() {
  if (bus_->serving() == bus_serves_) return;
  bus_serves_ = bus_->serving();
  world_->record(trace::redis_serves, node_, bus_serves_ ? 1 : 0);
}

void RedisServer::tick_bus() {
  world_->serve_background(kTickOrdinal + ++bus_ticks_);
  RedisBus::Replication replication{stream_.offset(), {}};
  if (link_.connected()) {
    replication.age_ms = (now_s() - link_.heard_s) * 1000;
  } else if (link_.down_since_s) {
    replication.age_ms = (now_s() - *link_.down_since_s) * 1000;
  }
  bus_->tick(replication);
  follow_bus();
}

// A role that was lost to another is given up, and one that was won is taken.
void RedisServer::follow_bus() {
  if (bus_->master() != link_.master) {
    if (bus_->master() == 0) {
      become_master();
    } else {
      become_replica(bus_->master());
    }
  }
  say_whether_bus_serves();
}

Task<void> RedisServer::store_bus(Service service) {
  std::string file;
  bus_->store(file);
  world_->disk(node_).replace(bus_file_, file);
  co_await DiskSync(service.world(), service.host(), bus_file_);
}

std::optional<RedisReply> RedisServer::bus_says(RedisSession& session, const RedisCommandView& command,
                                                std::int64_t now_ms) {
  const std::string_view name = command.arg(0);
  if (is_redis_word(name, "CLUSTER")) return bus_->command(command);
  if (is_redis_word(name, "REPLICAOF") || is_redis_word(name, "SLAVEOF")) {
    return RedisReply::error("ERR REPLICAOF not allowed in cluster mode.");
  }
  const bool exec = is_redis_word(name, "EXEC") && session.in_transaction();
  std::optional<RedisReply> refusal =
      bus_->refusal(command, exec ? RedisTransactions::queue_of(session) : std::string_view());
  if (!refusal) return std::nullopt;
  RedisTransactions::spoil(session);
  if (exec) (void)database_.execute(session, command, now_ms, out_);  // ends it, and runs nothing
  return refusal;
}

}  // namespace picklock
