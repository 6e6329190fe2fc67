#include "sim/redis/sentinel/master_route.hpp"

#include <algorithm>

#include "sim/core/greeting.hpp"
#include "sim/redis/wire.hpp"
#include "sim/task/combinators.hpp"
#include "sim/task/redis.hpp"

namespace picklock {
namespace {

constexpr Duration kPause = milliseconds(50), kLongestPause = seconds(2);

}  // namespace

// Event that the search waits for; gone with its frame, whatever ends it.
struct MasterRoute::Changed {
  Changed(const Host& host, MasterRoute& r) : route(r), event(host, "the master's connection") { r.changed_ = &event; }
  ~Changed() { route.changed_ = nullptr; }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;
  MasterRoute& route;
  Event event;
};

void MasterRoute::wanted(RpcChannel& channel) {
  const Host& host = channel.host();
  // A search may go on though no request waits for it any more: it may not have noticed.
  if (searching_ && incarnation_ == world_.nodes.incarnation(host.node())) return;
  searching_ = true;
  incarnation_ = world_.nodes.incarnation(host.node());
  host.spawn("find-master", search(host, &channel));
}

void MasterRoute::opened(RpcChannel&) {
  if (changed_ != nullptr) changed_->notify();
}

void MasterRoute::lost(RpcChannel&) {
  if (changed_ != nullptr) changed_->notify();
}

Route::Reaction MasterRoute::heard(const Payload& reply) {
  const auto* const told = reply.get<RedisReply>();
  const bool refused = told != nullptr && told->is_error() && told->text().substr(0, 8) == "READONLY";
  return refused ? Reaction::leave : Reaction::deliver;
}

Task<void> MasterRoute::search(Host host, RpcChannel* channel) {
  world_.tasks.serve_background(++searches_);
  for (std::int64_t attempt = 1; channel->seeking(); ++attempt) {
    const std::optional<NodeId> master = co_await ask(host);
    if (master && channel->seeking()) {
      {
        Changed changed(host, *this);
        channel->connect_to(*master);
        co_await changed.event.wait();
      }
      if (channel->greeting()) {
        Greeting greeting(*channel);
        const Redis redis(greeting);
        const RedisCommand role("ROLE");
        const auto answer = co_await redis.command(role);
        const bool is_master =
            answer.yes() && !answer.value().elements().empty() && answer.value().elements()[0].text() == "master";
        if (channel->greeting()) is_master ? channel->admit() : channel->drop();
      }
    }
    if (!channel->seeking()) break;
    co_await host.sleep(std::min(kPause * attempt, kLongestPause));
  }
  searching_ = false;
}

Task<std::optional<NodeId>> MasterRoute::ask(Host host) {
  (void)host;
  const RedisCommand question("SENTINEL", "get-master-addr-by-name", group_);
  for (std::size_t i = 0; i < sentinels_.size(); ++i) {
    const Redis sentinel(*sentinels_[i]);
    const auto answer = co_await sentinel.command(question);
    if (!answer.yes() || answer.value().elements().size() != 2) continue;
    std::rotate(sentinels_.begin(), sentinels_.begin() + static_cast<std::ptrdiff_t>(i),
                sentinels_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    co_return world_.nodes.find(answer.value().elements()[0].text());
  }
  co_return std::nullopt;
}

}  // namespace picklock
