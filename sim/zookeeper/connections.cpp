#include "sim/zookeeper/connections.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock {
namespace {

constexpr std::uint32_t kEnded = 0, kGood = 1, kGivenUp = 2;  // trace::zoo_client_link

}  // namespace

void ZooConnections::boot(World& world, NodeId node, std::vector<NodeId> servers) {
  world_ = &world;
  node_ = node;
  servers_ = std::move(servers);
  all_.clear();
  running_ = false;
}

std::size_t ZooConnections::open(std::size_t server, Event& changed) {
  PICKLOCK_CHECK(server < servers_.size());
  const Service service(*world_, node_);
  auto free = std::find_if(all_.begin(), all_.end(), [](const Connection& c) { return c.changed == nullptr; });
  if (free == all_.end()) free = all_.emplace(all_.end());
  *free = {};
  free->changed = &changed;
  free->link.open(service, servers_[server]);
  if (!std::exchange(running_, true)) service.host().spawn("zk-io", run(service));
  return static_cast<std::size_t>(free - all_.begin());
}

ZooConnections::State ZooConnections::state(std::size_t number) const {
  switch (all_[number].link.state()) {
    case PeerLink::State::opening:
      return State::opening;
    case PeerLink::State::open:
      return State::open;
    default:
      return State::closed;
  }
}

void ZooConnections::send(std::size_t number, const ZooRequest& request) {
  Connection& connection = all_[number];
  if (request.op == ZooOp::close_session) connection.closing = true;
  (void)connection.link.send(Service(*world_, node_), Payload::of(world_->tasks.arena(), request));
}

std::optional<ZooReply> ZooConnections::take(std::size_t number) {
  std::deque<ZooReply>& came = all_[number].came;
  if (came.empty()) return std::nullopt;
  ZooReply oldest = std::move(came.front());
  came.pop_front();
  return oldest;
}

void ZooConnections::close(std::size_t number) {
  Connection& connection = all_[number];
  if (connection.changed == nullptr) return;
  if (!connection.link.is_closed()) record_link(connection, connection.closing ? kGivenUp : kEnded);
  connection.link.close(Service(*world_, node_));
  connection.changed = nullptr;
}

Task<void> ZooConnections::run(Service service) {
  while (true) {
    Message message = co_await service.receive();
    const auto is_of = [&message](const Connection& c) { return c.link.is_of(message); };
    const auto found = std::find_if(all_.begin(), all_.end(), is_of);
    if (found != all_.end()) hear(service, *found, message);
  }
}

void ZooConnections::hear(const Service& service, Connection& connection, Message& message) {
  connection.link.hear(message);
  if (connection.link.is_closed()) record_link(connection, connection.closing ? kGivenUp : kEnded);
  if (message.kind == SegmentKind::data) {
    auto* const came = message.body.get<ZooReply>();
    PICKLOCK_CHECK(came != nullptr);  // our own servers send nothing else
    ZooReply reply = std::move(*came);
    if (connection.session == 0 && reply.timeout_ms > 0) {
      connection.session = reply.session;
      record_link(connection, kGood);
      const MonoTime now = service.host().monotonic_now();
      service.host().announce_deadline(DeadlineKind::session_timeout, now + milliseconds(reply.timeout_ms));
    }
    if (reply.event != ZooEventType::none) {
      world_->record(trace::zoo_watch_fired, node_, static_cast<std::uint32_t>(reply.event),
                     remembered_hash_of(reply.path));
    }
    connection.came.push_back(std::move(reply));
  }
  connection.changed->notify();
}

void ZooConnections::record_link(Connection& connection, std::uint32_t state) {
  if (connection.session == 0) return;
  world_->record(trace::zoo_client_link, node_, state, static_cast<std::uint64_t>(connection.session));
}

}  // namespace picklock
