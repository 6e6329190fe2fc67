#include "algorithms/redisson/redisson_channels.hpp"

#include <algorithm>
#include <utility>

namespace picklock {
namespace {

constexpr std::string_view kReadUnlock = "1";

// Counts a waiter for as long as its frame lives.
class Counted {
 public:
  explicit Counted(std::uint32_t& count) : count_(count) { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count_; }

 private:
  std::uint32_t& count_;
};

Task<Nothing> event_is_set(Host, std::shared_ptr<RedissonChannel> channel) {
  co_await channel->ready.wait();
  co_return Nothing{};
}

}  // namespace

struct RedissonChannel::Registered {
  Registered(RedissonChannel& c, Listener& l) : channel(c), listener(l) { channel.listeners_.push_back(&listener); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  ~Registered() { std::erase(channel.listeners_, &listener); }
  RedissonChannel& channel;
  Listener& listener;
};

Task<Nothing> RedissonChannel::next_permit(Host, std::shared_ptr<RedissonChannel> channel) {
  RedissonLatch& latch = channel->latch;
  while (!latch.try_acquire()) {
    const Counted waiting(latch.waiting_);
    co_await latch.changed_.wait();
  }
  co_return Nothing{};
}

Task<bool> RedissonChannel::wait_for_permit(Host host, std::shared_ptr<RedissonChannel> channel, Duration limit) {
  if (channel->latch.try_acquire()) co_return true;
  if (limit.ns <= 0) co_return false;
  const auto got = co_await with_timeout(host, next_permit(host, channel), limit);
  co_return got.has_value();
}

Task<Nothing> RedissonChannel::next_message(Host, Listener* listener) {
  co_await listener->told.wait();
  co_return Nothing{};
}

Task<bool> RedissonChannel::wait_as_listener(Host host, std::shared_ptr<RedissonChannel> channel, Duration limit,
                                             bool checked) {
  if (channel->latch.try_acquire()) co_return true;
  co_await host.yield("the latch was looked at, the listener is not registered");
  Listener listener(host);
  const Registered registered(*channel, listener);
  if (checked && channel->latch.try_acquire()) co_return true;
  const auto told = co_await with_timeout(host, next_message(host, &listener), limit);
  co_return told.has_value();
}

void RedissonChannel::run_listener() {
  if (listeners_.empty()) return;
  Listener* const first = listeners_.front();
  listeners_.pop_front();
  first->told.set();
}

void RedissonChannel::receive(std::string_view message) {
  if (message == kReadUnlock) {
    while (!listeners_.empty()) run_listener();
    latch.release(latch.waiting());
  } else {
    run_listener();
    latch.release();
  }
}

RedissonSubscription::RedissonSubscription(std::shared_ptr<RedissonChannel> channel) : channel_(std::move(channel)) {
  ++channel_->users_;
}

RedissonSubscription::~RedissonSubscription() {
  if (--channel_->users_ == 0 && channel_->changed_ != nullptr) channel_->changed_->notify();
}

RedissonChannels::RedissonChannels(const Host& host, const Redis& connection, Duration timeout)
    : host_(host), connection_(connection.within(timeout)), changed_(host, "subscriptions") {}

RedissonChannels::~RedissonChannels() {
  for (const auto& channel : channels_) channel->changed_ = nullptr;
}

std::shared_ptr<RedissonChannel> RedissonChannels::join(const std::string& name) {
  for (const auto& channel : channels_) {
    if (channel->name() == name) return channel;
  }
  auto channel = std::make_shared<RedissonChannel>(host_, name);
  channel->changed_ = &changed_;
  channels_.push_back(channel);
  if (!std::exchange(serving_, true)) {
    connection_.arrivals().notify_pushes(&changed_);
    host_.spawn("subscriptions", serve());
  }
  changed_.notify();
  return channel;
}

void RedissonChannels::deliver() {
  while (const auto message = connection_.published()) {
    for (const auto& channel : channels_) {
      if (channel->name() == message->channel) channel->receive(message->message);
    }
  }
}

void RedissonChannels::note_reconnection() {
  const std::uint64_t number = connection_.arrivals().connections_opened();
  if (number == connection_number_ && connection_.arrivals().connected()) return;
  connection_number_ = number;
  for (const auto& channel : channels_) channel->ready.clear();
}

// Makes and ends subscriptions one after the other, hands messages on, and ends without listeners.
// Messages that arrive while a request is under way are handed on after it.
Task<void> RedissonChannels::serve() {
  constexpr std::int64_t kMostDoublings = 12;
  std::int64_t failures = 0;
  for (;;) {
    deliver();
    note_reconnection();
    std::shared_ptr<RedissonChannel> next;
    for (const auto& channel : channels_) {
      if (!next && (channel->users_ == 0 || !channel->ready.is_set())) next = channel;
    }
    if (!next && channels_.empty()) break;
    if (!next) {
      co_await changed_.wait();
      continue;
    }
    if (next->users_ == 0 && !next->ready.is_set()) {
      next->changed_ = nullptr;
      std::erase(channels_, next);
      continue;
    }
    if (next->users_ == 0) {
      // A failure means that the connection is gone, and the subscription with it.
      (void)co_await connection_.unsubscribe(next->name());
      note_reconnection();
      next->ready.clear();
      continue;
    }
    const auto subscribed = co_await connection_.subscribe(next->name());
    note_reconnection();
    if (subscribed.yes()) {
      failures = 0;
      next->ready.set();
      continue;
    }
    failures = std::min(failures + 1, kMostDoublings);
    co_await host_.sleep(milliseconds(std::int64_t{1} << failures));
  }
  serving_ = false;
}

Task<bool> redisson_subscribed(Host host, std::shared_ptr<RedissonChannel> channel, Duration limit) {
  if (channel->ready.is_set()) co_return true;
  if (limit.ns <= 0) co_return false;
  const auto ready = co_await with_timeout(host, event_is_set(host, channel), limit);
  co_return ready.has_value();
}

}  // namespace picklock
