#include "algorithms/redisson/redisson_client.hpp"
#include "algorithms/redis/redis_servers.hpp"

#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "base/check.hpp"

namespace picklock {
namespace {

struct RedissonClients {  // clients of one process, by the server's number
  std::deque<std::unique_ptr<RedissonClient>> of_server;
};

}  // namespace

RedissonClient::RedissonClient(const Host& host, const Redis& redis, const Redis& subscriptions,
                               const RedissonOptions& options)
    : host_(host),
      redis_(redis.within(options.timeout)),
      options_(options),
      id_(owner_value(host)),
      channels_(host, subscriptions, options.timeout),
      watchdog_(*this, options) {}

RedissonClient& RedissonClient::of(const LockContext& context, std::size_t server, const RedissonOptions& options) {
  PICKLOCK_CHECK(context.process != nullptr);
  const RedisServers& redis = context.get<RedisServers>();
  auto& all = context.process->get<RedissonClients>().of_server;
  if (all.size() <= server) all.resize(server + 1);
  if (!all[server]) {
    all[server] = std::make_unique<RedissonClient>(context.host, redis[server], redis.subscription(server), options);
  }
  return *all[server];
}

std::string RedissonClient::owner(std::uint32_t thread) const { return id_ + ':' + std::to_string(thread); }

Duration& RedissonClient::shared_lease(const std::string& name) {
  return shared_leases_.try_emplace(name, options_.lease).first->second;
}

Duration RedissonClient::retry_delay(std::int64_t n) {
  const Duration delay = host_.draw_duration(Purpose::retry_delay, options_.retry_delay);
  return options_.retry_jitter == RetryJitter::equal && n == 0 ? delay / 2 : delay;
}

Task<void> RedissonClient::delete_key(std::string key) {
  const RedisCommand command("DEL", key);
  (void)co_await execute(command, options_.retry_attempts);
}

Task<Outcome<RedisReply>> RedissonClient::execute(RedisCommand command, std::int64_t resends) {
  for (std::int64_t attempt = 0;; ++attempt) {
    auto reply = co_await redis_.command(command);
    const bool may_go_again =
        reply.why() == Why::not_connected ? attempt < options_.retry_attempts : reply.unknown() && attempt < resends;
    if (!may_go_again) co_return reply;
    co_await host_.sleep(retry_delay(attempt));
  }
}

Task<Outcome<RedisReply>> RedissonClient::send_once(RedisCommand command) {
  auto reply = co_await redis_.command(command);
  co_return reply;
}

Task<Outcome<RedissonClient::Synced>> RedissonClient::execute_and_wait(RedisCommand command, std::int64_t resends) {
  for (std::int64_t attempt = 0;; ++attempt) {
    std::vector<Task<Outcome<RedisReply>>> both;
    both.push_back(send_once(command));
    both.push_back(send_once(RedisCommand("WAIT", options_.slaves, options_.slaves_timeout.ms())));
    auto replies = co_await all_of(host_, std::move(both));
    if (replies[0].yes() && replies[1].yes()) {
      Synced synced{std::move(replies[0].value()), replies[1].value().integer()};
      co_return Outcome<Synced>::of(std::move(synced));
    }
    const auto& failed = replies[0].yes() ? replies[1] : replies[0];
    const bool may_go_again =
        failed.why() == Why::not_connected ? attempt < options_.retry_attempts : failed.unknown() && attempt < resends;
    if (!may_go_again) {
      // The script may stand although WAIT never left.
      if (replies[0].yes() && !replies[1].unknown()) co_return Outcome<Synced>::unknown_because(Why::disconnected);
      co_return passed_on<Synced>(failed);
    }
    co_await host_.sleep(retry_delay(attempt));
  }
}

}  // namespace picklock
