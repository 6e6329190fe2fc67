// The way in which a Redisson client hears that a lock is free: one subscription for each channel and client, and
// behind it one latch that all threads of the process share.
//
//   a waiter     joins the channel, waits for the subscription, looks once more, then waits on the latch
//   a message 0  (unlock) runs one listener and gives one permit: one waiter of this process looks again
//   a message 1  (read unlock) runs all listeners and gives a permit to each waiter
//
// From:     Redisson, LockPubSub, PublishSubscribeService, RedissonLockEntry.
// Does not: notice a connection that has gone silent (Redisson pings every 30 s): until a request on
//           it times out, messages are missed, and waiters sleep through their ttl.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/task/combinators.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

// Plays java.util.concurrent.Semaphore for the waiters of one channel.  It has no permits at first.
class RedissonLatch {
 public:
  explicit RedissonLatch(const Host& host) : changed_(host, "a message that the lock is free") {}
  bool try_acquire() {
    if (permits_ == 0) return false;
    --permits_;
    return true;
  }
  void release(std::uint32_t permits = 1) {
    permits_ += permits;
    changed_.notify();
  }
  std::uint32_t waiting() const { return waiting_; }
  std::uint32_t permits() const { return permits_; }

 private:
  friend class RedissonChannel;
  Event changed_;
  std::uint32_t permits_ = 0, waiting_ = 0;
};

// One channel, while it has a listener; it outlives the client if a waiter's frame does.
class RedissonChannel {
 public:
  RedissonChannel(const Host& host, std::string name)
      : latch(host), ready(host, "a subscription"), name_(std::move(name)), host_(host) {}
  RedissonLatch latch;
  Event ready;  // set while subscribed

  // True if a permit was got within `limit`.
  static Task<bool> wait_for_permit(Host host, std::shared_ptr<RedissonChannel> channel, Duration limit);
  // Waits like lockAsync: for a message that finds it registered.  `checked`: whether it looks at the
  // latch once more when it is.
  static Task<bool> wait_as_listener(Host host, std::shared_ptr<RedissonChannel> channel, Duration limit, bool checked);
  void receive(std::string_view message);
  const std::string& name() const { return name_; }

 private:
  friend class RedissonChannels;
  friend class RedissonSubscription;
  struct Listener {  // lives in the waiter's frame
    explicit Listener(const Host& host) : told(host, "a message that the lock is free") {}
    Event told;
  };
  struct Registered;  // takes it out again
  static Task<Nothing> next_permit(Host host, std::shared_ptr<RedissonChannel> channel);
  static Task<Nothing> next_message(Host host, Listener* listener);
  void run_listener();

  std::string name_;
  Host host_;
  std::deque<Listener*> listeners_;
  std::uint32_t users_ = 0;
  Event* changed_ = nullptr;  // event of the client; null once the client is gone
};

// A waiter's share in a channel; the last one to go lets it be unsubscribed.
class RedissonSubscription {
 public:
  explicit RedissonSubscription(std::shared_ptr<RedissonChannel> channel);
  RedissonSubscription(const RedissonSubscription&) = delete;
  RedissonSubscription& operator=(const RedissonSubscription&) = delete;
  ~RedissonSubscription();
  const std::shared_ptr<RedissonChannel>& channel() const { return channel_; }

 private:
  std::shared_ptr<RedissonChannel> channel_;
};

// All channels of a client and the task "subscriptions" that serves them, on a connection of its own.
class RedissonChannels {
 public:
  RedissonChannels(const Host& host, const Redis& connection, Duration timeout);
  RedissonChannels(const RedissonChannels&) = delete;
  RedissonChannels& operator=(const RedissonChannels&) = delete;
  ~RedissonChannels();
  const Host& host() const { return host_; }

  std::shared_ptr<RedissonChannel> join(const std::string& name);

 private:
  Task<void> serve();
  void deliver();
  void note_reconnection();

  Host host_;
  Redis connection_;
  Event changed_;
  std::vector<std::shared_ptr<RedissonChannel>> channels_;  // ordered by arrival
  std::uint64_t connection_number_ = 0;
  bool serving_ = false;
};

// True once the subscription stands, false if `limit` passes first.
Task<bool> redisson_subscribed(Host host, std::shared_ptr<RedissonChannel> channel, Duration limit);

}  // namespace picklock
