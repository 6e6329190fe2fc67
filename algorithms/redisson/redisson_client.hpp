// A Redisson client: what all locks of one process share, for one Redis server.
//
//   identity   a random id; a thread owns a lock as "id:thread"
//   executor   sends a command, and again after `retry-delay` if its answer stays away
//   channels   one subscription for each lock name
//   watchdog   prolongs the leases that have no end
//
// From:     Redisson, CommandAsyncService, RedisExecutor, CommandsQueue, ServiceManager.
// Does not: keep a pool of connections.  All threads share one, and a request that times out breaks
//           it: what others have in flight ends as well, and is sent again if it may be.
//           Wait for `timeout` when the connection ends with a command in flight: it fails at once here.  A
//           channel that closes fails the writes that are not done (CommandsQueue.channelInactive), and who
//           has written waits on (RedisExecutor); what follows is the same.
//           Ping idle connections (every 30 s there): after a server's power loss the first command goes into
//           the dead one, and fails unless it may be sent again.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "algorithms/lock.hpp"
#include "algorithms/redisson/redisson_channels.hpp"
#include "algorithms/redisson/redisson_options.hpp"
#include "algorithms/redisson/redisson_watchdog.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

class RedissonClient {
 public:
  RedissonClient(const Host& host, const Redis& redis, const Redis& subscriptions, const RedissonOptions& options);
  // The client of this process for the server of that number.
  static RedissonClient& of(const LockContext& context, std::size_t server, const RedissonOptions& options);

  const Host& host() const { return host_; }
  const Redis& redis() const { return redis_; }
  std::string owner(std::uint32_t thread) const;
  std::string new_request_id() { return id_ + ':' + std::to_string(++requests_); }
  RedissonChannels& channels() { return channels_; }
  RedissonWatchdog& watchdog() { return watchdog_; }
  // The field internalLockLeaseTime of the RLock object that the threads share.
  Duration& shared_lease(const std::string& name);

  // Sends `command`.  An answer that stays away is asked for again, up to `resends` times; a request
  // that never left is sent again in any case.
  Task<Outcome<RedisReply>> execute(RedisCommand command, std::int64_t resends);
  // Executes, and sends WAIT behind it on the same connection: the replicas that have acknowledged.
  // Unknown if either answer stays away.
  struct Synced {
    RedisReply reply;
    std::int64_t acknowledged = 0;
  };
  Task<Outcome<Synced>> execute_and_wait(RedisCommand command, std::int64_t resends);
  // Sends DEL; no caller waits for its answer.
  void delete_later(std::string key) { host_.spawn("delete", delete_key(std::move(key))); }

 private:
  Task<void> delete_key(std::string key);
  // Pause before the command is sent for the (n + 2)-th time.
  Duration retry_delay(std::int64_t n);
  Task<Outcome<RedisReply>> send_once(RedisCommand command);

  Host host_;
  Redis redis_;
  RedissonOptions options_;
  std::string id_;
  std::uint64_t requests_ = 0;
  RedissonChannels channels_;
  RedissonWatchdog watchdog_;
  std::map<std::string, Duration> shared_leases_;
};

}  // namespace picklock
