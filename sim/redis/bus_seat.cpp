#include "sim/redis/bus_seat.hpp"

#include <string>
#include <string_view>

#include "sim/redis/inspect.hpp"
#include "sim/redis/transactions.hpp"

namespace picklock {
namespace {

constexpr Duration kPeriod = milliseconds(100);
constexpr std::string_view kNodesFile = "nodes.conf";
constexpr std::uint32_t kTickOrdinal = 0x40000000;  // first operation number of main's ticks; the cron's are smaller

}  // namespace

void RedisBusSeat::boot() {
  if (bus_ == nullptr) return;
  file_ = process_.disk().open(kNodesFile);
  bus_->boot(process_.world(), process_.node(), process_.disk().contents(file_));
  if (bus_->master() != config_.file().master) config_.store_master(bus_->master());
  serves_ = true;
  due_ = false;
  ticks_ = 0;
  record_serving();
}

Task<void> RedisBusSeat::keep_time(Service service) {
  const Host host = service.host();
  const Law phases = Law::uniform(Duration{}, kPeriod - nanoseconds(1));
  MonoTime due = host.monotonic_now() + host.draw_duration(Purpose::election, phases);
  host.declare_state(0);
  for (;;) {
    co_await service.wait({.until = due, .messages = false, .what = "the cluster's cron"});
    if (host.monotonic_now() < due) continue;
    due = host.monotonic_now() + kPeriod;
    due_ = true;
    process_.main().ring();
  }
}

void RedisBusSeat::tick(const RedisBus::Replication& replication, Outbox& packets) {
  process_.world().tasks.serve_background(kTickOrdinal + ++ticks_);
  bus_->tick(replication, packets);
}

void RedisBusSeat::record_serving() {
  if (bus_->serving() == serves_) return;
  serves_ = bus_->serving();
  process_.record(trace::redis_serves, serves_ ? 1 : 0);
}

Task<void> RedisBusSeat::store(Service service) {
  std::string file;
  bus_->store(file);
  process_.disk().replace(file_, file);
  co_await DiskSync(service.world(), service.host(), file_);
}

std::optional<RedisReply> RedisBusSeat::answer(RedisSession& session, const RedisCommandView& command) const {
  const std::string_view name = command.arg(0);
  if (is_redis_word(name, "CLUSTER")) return bus_->command(command);
  if (is_redis_word(name, "REPLICAOF") || is_redis_word(name, "SLAVEOF")) {
    return RedisReply::error("ERR REPLICAOF not allowed in cluster mode.");
  }
  const bool exec = is_redis_word(name, "EXEC") && session.in_transaction();
  std::optional<RedisReply> refusal =
      bus_->refusal(command, exec ? RedisTransactions::queue_of(session) : std::string_view());
  if (refusal) RedisTransactions::spoil(session);
  return refusal;
}

}  // namespace picklock
