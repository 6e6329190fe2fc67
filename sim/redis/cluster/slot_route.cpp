#include "sim/redis/cluster/slot_route.hpp"

#include <algorithm>

#include "sim/core/greeting.hpp"
#include "sim/redis/wire.hpp"
#include "sim/task/combinators.hpp"
#include "sim/task/redis.hpp"

namespace picklock {
namespace {

constexpr std::uint32_t kMostMoved = 16, kMostDown = 3;
constexpr Duration kDownPause = milliseconds(250);
constexpr Duration kPause = milliseconds(50), kLongestPause = seconds(1);

}  // namespace

// Event that the search waits for; gone with its frame, whatever ends it.
struct SlotRoute::Changed {
  Changed(const Host& host, SlotRoute& r) : route(r), event(host, "the owner's connection") { r.changed_ = &event; }
  ~Changed() { route.changed_ = nullptr; }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;
  SlotRoute& route;
  Event event;
};

void SlotRoute::wanted(RpcChannel& channel) {
  const Host& host = channel.host();
  if (searching_ && incarnation_ == world_.nodes.incarnation(host.node())) return;
  const auto left = std::find(nodes_.begin(), nodes_.end(), channel.server());
  next_ = left == nodes_.end() ? 0 : static_cast<std::size_t>(left - nodes_.begin() + 1) % nodes_.size();
  searching_ = true;
  incarnation_ = world_.nodes.incarnation(host.node());
  host.spawn("find-owner", search(host, &channel));
}

void SlotRoute::opened(RpcChannel&) {
  if (changed_ != nullptr) changed_->notify();
}

void SlotRoute::lost(RpcChannel&) {
  if (changed_ != nullptr) changed_->notify();
}

Route::Reaction SlotRoute::heard(const Payload& reply) {
  const auto* const told = reply.get<RedisReply>();
  const std::string_view text = told != nullptr && told->is_error() ? told->text() : std::string_view();
  if (text.substr(0, 6) == "MOVED " && moved_ < kMostMoved) {
    const std::string_view address = text.substr(text.rfind(' ') + 1);
    told_ = world_.nodes.find(address.substr(0, address.find(':')));
    ++moved_;
    ++redirections_;
    return Reaction::again;
  }
  if (text.substr(0, 11) == "CLUSTERDOWN" && down_ < kMostDown) {
    ++down_;
    wait_first_ = true;
    return Reaction::again;
  }
  const bool elsewhere = moved_ == kMostMoved || down_ == kMostDown;
  moved_ = down_ = 0;
  return elsewhere ? Reaction::leave : Reaction::deliver;
}

Task<void> SlotRoute::search(Host host, RpcChannel* channel) {
  world_.tasks.serve_background(++searches_);
  if (std::exchange(wait_first_, false)) co_await host.sleep(kDownPause);
  std::int64_t failures = 0;
  while (channel->seeking()) {
    const bool trusted = told_.has_value();
    const NodeId to = trusted ? *told_ : nodes_[next_];
    told_.reset();
    {
      Changed changed(host, *this);
      channel->connect_to(to);
      co_await changed.event.wait();
    }
    if (channel->greeting() && trusted) {
      channel->admit();
    } else if (channel->greeting()) {
      Greeting greeting(*channel);
      const Redis redis(greeting);
      const RedisCommand question("CLUSTER", "SLOTS");
      const auto answer = co_await redis.command(question);
      if (answer.yes()) told_ = owner_in(answer.value());
      if (channel->greeting() && told_ == to) {
        told_.reset();
        channel->admit();
      } else if (channel->greeting()) {
        channel->drop();
      }
    }
    if (!channel->seeking()) break;
    if (told_) continue;
    next_ = (next_ + 1) % nodes_.size();
    co_await host.sleep(std::min(kPause * ++failures, kLongestPause));
  }
  searching_ = false;
}

std::optional<NodeId> SlotRoute::owner_in(const RedisReply& slots) const {
  for (const RedisReply& range : slots.elements()) {
    const auto parts = range.elements();
    if (parts.size() < 3 || parts[0].integer() > slot_ || parts[1].integer() < slot_) continue;
    return world_.nodes.find(parts[2].elements()[0].text());
  }
  return std::nullopt;
}

}  // namespace picklock
