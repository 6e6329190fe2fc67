#include "sim/zookeeper/client.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "sim/zookeeper/client_handle.hpp"

namespace picklock {

void ZooClientOptions::fields(FieldVisitor& v) {
  v.field(
      {.name = "expiry",
       .help = "party that can end a session: only a server, or also the client after a silence of 4/3 of the timeout"},
      expiry);
  v.field({.name = "connect-timeout",
           .help = "time that a client tries one server; none = session timeout divided by the number of servers",
           .least = 1'000'000},
          connect_timeout);
  v.field(
      {.name = "clean-up", .help = "time from the end of a connection until the client tells its tasks", .least = 0},
      clean_up);
  v.field({.name = "reconnect-delay", .help = "pause before each attempt to connect, except the first", .least = 0},
          reconnect_delay);
  v.field({.name = "round-delay", .help = "additional pause once the client has tried all servers", .least = 0},
          round_delay);
  v.field({.name = "after-expiry", .help = "fate of a handle whose session has expired: dead, or a new session"},
          after_expiry);
}

ZooClientOptions go_zookeeper_options() {
  ZooClientOptions o;
  o.connect_timeout = seconds(1);
  o.clean_up = Duration{};
  o.reconnect_delay = Law::constant(Duration{});
  o.after_expiry = ZooAfterExpiry::new_session;
  return o;
}

ZooClient::ZooClient() = default;
ZooClient::~ZooClient() = default;

void ZooClient::boot(World& world, NodeId node, std::vector<NodeId> servers, ZooClientOptions options) {
  PICKLOCK_CHECK(!servers.empty());
  world_ = &world;
  node_ = node;
  servers_ = std::move(servers);
  options_ = std::move(options);
  handles_.clear();
  called_.forget();
  running_ = false;
  if (world.nodes.incarnation(node) == 0) steps_ = 0;  // a run begins
}

ZooKeeper ZooClient::connect(Duration timeout, ZooWatcher watcher) {
  const Service service(*world_, node_);
  handles_.push_back(std::make_unique<ZooClientHandle>(*this, service, servers_, timeout, std::move(watcher)));
  if (!std::exchange(running_, true)) service.host().spawn("zk-io", run(service));
  wake();
  return ZooKeeper(*handles_.back());
}

bool ZooClient::handles_dead_time(std::int64_t now_ms) const {
  return std::any_of(handles_.begin(), handles_.end(), [=](const auto& h) { return h->silent_too_long(now_ms); });
}

Task<void> ZooClient::run(Service service) {
  World& world = service.world();
  const Host host = service.host();
  const auto now_ms = [&host] { return host.monotonic_now().ns / 1'000'000; };
  StandingWait wait = service.standing_wait({.bell = &called_, .what = "ZooKeeper", .timer = "its ZooKeeper timer"});
  for (;;) {
    std::int64_t due_ms = INT64_MAX / 2'000'000;
    for (const auto& handle : handles_) {
      if (!handle->dead()) due_ms = std::min(due_ms, handle->due_ms());
    }
    const MonoTime due{due_ms * 1'000'000};
    co_await wait.until(due);
    // A select that times out looks at the socket nevertheless: messages that have arrived by now come first.
    if (world.nodes.inbox(node_).empty() && handles_dead_time(now_ms())) co_await host.sleep(Duration{});
    world.tasks.serve_background(++steps_);
    const std::int64_t now = now_ms();
    Ring<Message>& inbox = world.nodes.inbox(node_);
    if (!inbox.empty()) {
      Message& message = inbox.front();  // nothing else arrives before it has been heard
      const auto hears = [&message](const auto& h) { return h->hears(message); };
      const auto handle = std::find_if(handles_.begin(), handles_.end(), hears);
      if (handle != handles_.end()) (*handle)->heard(message, now);
      message.body.reset();
      inbox.drop_front();
    }
    for (std::size_t i = 0; i < handles_.size(); ++i) handles_[i]->step(now);
  }
}

}  // namespace picklock
