#include "sim/zookeeper/client.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "sim/zookeeper/client_handle.hpp"

namespace picklock {

void ZooClientOptions::fields(FieldVisitor& v) {
  v.field({.name = "expiry",
           .help = "who can end a session: only a server, or the client by itself after 4/3 of the timeout"},
          expiry);
  v.field(
      {.name = "connect-timeout", .help = "for one server; none: the session's timeout / servers", .least = 1'000'000},
      connect_timeout);
  v.field({.name = "clean-up", .help = "from the end of a connection until anybody is told", .least = 0}, clean_up);
  v.field({.name = "reconnect-delay", .help = "pause before every attempt but the first", .least = 0}, reconnect_delay);
  v.field({.name = "round-delay", .help = "pause more once all servers have been tried", .least = 0}, round_delay);
  v.field({.name = "after-expiry", .help = "what becomes of a handle whose session has expired"}, after_expiry);
}

ZooClientOptions go_zookeeper_options() {
  ZooClientOptions o;
  o.connect_timeout = seconds(1);
  o.clean_up = Duration{};
  o.reconnect_delay = Law::constant(Duration{});
  o.after_expiry = ZooAfterExpiry::new_session;
  return o;
}

// co_await Nap(…): until a message has come, somebody called, or the time has come.
class [[nodiscard]] ZooClient::Nap {
 public:
  Nap(ZooClient& client, const Host& host, MonoTime until) : client_(client), host_(host), until_(until) {}
  ~Nap() { reset(); }
  bool await_ready() const { return !client_.world_->inbox(host_.node()).empty() || client_.awake_; }
  void await_suspend(std::coroutine_handle<> me) {
    World& world = *client_.world_;
    wait_.set(world, world.wait(host_.node(), me, "ZooKeeper"));
    timer_.set(world, world.wait_until(host_.node(), me, until_, "its ZooKeeper timer"));
    world.set_receiver(host_.node(), wait_.id());
    client_.nap_ = wait_.id();
  }
  void await_resume() {
    reset();
    client_.awake_ = false;
  }

 private:
  void reset() {
    if (wait_.id() == 0) return;
    client_.world_->set_receiver(host_.node(), 0);
    client_.nap_ = 0;
    timer_.reset();
    wait_.reset();
  }
  ZooClient& client_;
  Host host_;
  MonoTime until_;
  OwnedWait wait_, timer_;
};

ZooClient::ZooClient() = default;
ZooClient::~ZooClient() = default;

void ZooClient::boot(World& world, NodeId node, std::vector<NodeId> servers, ZooClientOptions options) {
  PICKLOCK_CHECK(!servers.empty());
  world_ = &world;
  node_ = node;
  servers_ = std::move(servers);
  options_ = std::move(options);
  handles_.clear();
  nap_ = 0;
  awake_ = running_ = false;
  if (world.incarnation(node) == 0) steps_ = 0;  // a run begins
}

ZooKeeper ZooClient::connect(Duration timeout, ZooWatcher watcher) {
  const Host host = world_->host(node_);
  handles_.push_back(std::make_unique<ZooClientHandle>(*this, host, timeout, std::move(watcher)));
  if (!std::exchange(running_, true)) host.spawn("zk-io", run(host));
  wake();
  return ZooKeeper(*handles_.back());
}

void ZooClient::wake() {
  if (nap_ != 0) {
    world_->wake(nap_);
  } else {
    awake_ = true;
  }
}

bool ZooClient::handles_dead_time(std::int64_t now_ms) const {
  return std::any_of(handles_.begin(), handles_.end(), [=](const auto& h) { return h->silent_too_long(now_ms); });
}

Task<void> ZooClient::run(Host host) {
  World& world = *world_;
  const auto now_ms = [&host] { return host.monotonic_now().ns / 1'000'000; };
  for (;;) {
    std::int64_t due_ms = INT64_MAX / 2'000'000;
    for (const auto& handle : handles_) {
      if (!handle->dead()) due_ms = std::min(due_ms, handle->due_ms());
    }
    co_await Nap(*this, host, MonoTime{due_ms * 1'000'000});
    // A select that times out looks at the socket all the same: what has come by now comes first.
    if (world.inbox(node_).empty() && handles_dead_time(now_ms())) co_await host.sleep(Duration{});
    world.serve_background(++steps_);
    if (!world.inbox(node_).empty()) {
      const Message message = world.inbox(node_).pop();
      for (const auto& handle : handles_) {
        if (handle->connection() != message.connection) continue;
        handle->heard(message, now_ms());
        break;
      }
    }
    for (std::size_t i = 0; i < handles_.size(); ++i) handles_[i]->step(now_ms());
  }
}

}  // namespace picklock
