#include "sim/redis/sentinel/server.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {
namespace {

constexpr std::string_view kFile = "sentinel.conf";
constexpr std::uint64_t kAskBits = 8;  // a call: its number, and below it what it asks

constexpr std::array<TraceKindInfo, 1> kKinds = {
    {{trace::sentinel_event, "sentinel-event", "event", "epoch", "message"}}};

std::int64_t wall_ms(const Host& host) {
  const std::int64_t ns = host.wall_now().ns;
  return ns / 1'000'000 - (ns % 1'000'000 < 0);
}

bool send(const Service& service, const PeerLink& link, const RedisCommand& command, std::uint64_t call) {
  return link.send(service, Payload::of(service.world().tasks.arena(), command), call);
}

}  // namespace

std::span<const TraceKindInfo> trace::sentinel_kinds() { return kKinds; }

void SentinelServer::boot(World& world, NodeId node) {
  links_.clear();
  clients_.clear();
  connections_.clear();
  connections_.set_control(this);
  sessions_ = 0;
  calls_ = 0;
  performed_ = 0;
  if (world.nodes.incarnation(node) == 0) ticks_ = 0;  // a run begins; nothing of the one before may name its draws
  host_ = world.host(node);
  SentinelDice& dice = *this;
  sentinel_.emplace(world.nodes.name(node), setup_.group, setup_.options, dice, setup_.flaw);
  world.tasks.start(node, "main", serve(Service(world, node)));
}

std::string SentinelServer::first_file() const {
  std::string text;
  for (const std::string& name : setup_.replicas) text += "known-replica " + name + '\n';
  for (const std::string& name : setup_.sentinels) {
    if (name != sentinel_->name()) text += "known-sentinel " + name + '\n';
  }
  return text;
}

Task<void> SentinelServer::serve(Service service) {
  World& world = service.world();
  const Host host = service.host();
  const NodeId node = service.node();
  file_ = world.nodes.disk(node).open(kFile);
  const Duration phase = host.draw_duration(Purpose::start, Law::uniform(Duration{}, milliseconds(100)));
  const std::string& stored = world.nodes.disk(node).contents(file_);
  const std::string file = stored.empty() ? first_file() : stored;
  sentinel_->boot(file, setup_.master, wall_ms(host));
  MonoTime due = host.monotonic_now() + phase;
  StandingWait wait = service.standing_wait({});
  for (;;) {
    co_await wait.until(due);
    if (!world.nodes.inbox(node).empty()) {
      const Message message = world.nodes.inbox(node).pop();
      if (message.direction == 1) {
        if (message.kind == SegmentKind::data) world.tasks.serve(message);
        answer(service, message);
        if (!perform_at_once(service)) co_await perform(service);
      } else if (message.kind == SegmentKind::data) {
        world.tasks.serve(message);
        co_await service.compute();
        RedisReply reply = command(service, message);
        if (!perform_at_once(service)) co_await perform(service);
        service.reply(message, Payload::of(world.tasks.arena(), std::move(reply)));
      } else {
        forget(message.connection);
      }
    }
    if (host.monotonic_now() < due) continue;
    world.tasks.serve_background(++ticks_);
    sentinel_->tick(wall_ms(host));
    const std::int64_t hz = 10 + below(10);  // another each time, so that sentinels do not keep in step
    due = host.monotonic_now() + milliseconds(1000 / hz);
    if (!perform_at_once(service)) co_await perform(service);
  }
}

// Works off what the sentinel wants done, in order, up to what needs the disk.  True: that was all.
bool SentinelServer::perform_at_once(const Service& service) {
  const std::vector<SentinelAction>& actions = sentinel_->actions();
  for (; performed_ < actions.size(); ++performed_) {
    if (actions[performed_].kind == SentinelAction::Kind::persist) return false;
    act(service, actions[performed_]);
  }
  performed_ = 0;
  sentinel_->clear_actions();
  return true;
}

// Goes on from there.
Task<void> SentinelServer::perform(Service service) {
  World& world = service.world();
  while (!perform_at_once(service)) {
    world.nodes.disk(service.node()).replace(file_, sentinel_->actions()[performed_].text);
    ++performed_;
    co_await DiskSync(world, service.host(), file_);
  }
}

void SentinelServer::act(const Service& service, const SentinelAction& a) {
  World& world = service.world();
  const auto link = std::find_if(links_.begin(), links_.end(), [&a](const Link& l) { return l.id == a.link; });
  switch (a.kind) {
    case SentinelAction::Kind::open: {
      const std::optional<NodeId> to = world.nodes.find(a.text);
      if (!to) return sentinel_->closed(a.link);  // no such machine in this world
      links_.push_back({a.link, {}, {}});
      return links_.back().link.open(service, *to);
    }
    case SentinelAction::Kind::close:
      if (link == links_.end()) return;
      link->link.close(service);
      links_.erase(link);
      return;
    case SentinelAction::Kind::send: {
      if (link == links_.end()) return;
      const std::uint64_t call = ++calls_ << kAskBits | static_cast<std::uint64_t>(a.ask);
      if (!send(service, link->link, a.command, call)) link->waiting.emplace_back(call, a.command);
      return;
    }
    case SentinelAction::Kind::announce: {
      world.record(trace::sentinel_event, service.node(), static_cast<std::uint32_t>(a.event), sentinel_->epoch(),
                   hash_of(a.text));
      const std::string_view channel = to_string(a.event);
      RedisOutputs out;
      connections_.deliver(channel, a.text, out);
      for (std::size_t at = 0; at < out.delivery_count(); ++at) {
        const RedisOutputs::Delivery d = out.delivery(at);
        const auto client = std::find_if(clients_.begin(), clients_.end(),
                                         [&d](const Client& c) { return c.session.id() == d.session; });
        if (client != clients_.end()) service.push(client->connection, Payload::of(world.tasks.arena(), redis_push(d)));
      }
      return;
    }
    case SentinelAction::Kind::persist:
      return;
  }
}

void SentinelServer::answer(const Service& service, const Message& message) {
  const auto link = link_of(links_, message);
  if (link == links_.end()) return;  // the link was given up
  link->link.hear(message);
  switch (message.kind) {
    case SegmentKind::opened:
      for (const auto& [call, command] : link->waiting) send(service, link->link, command, call);
      link->waiting.clear();
      return;
    case SegmentKind::data: {
      const auto* const told = message.body.get<RedisReply>();
      if (told == nullptr) return;
      const RedisReply& reply = *told;
      if (message.call != 0) {
        const auto ask = static_cast<SentinelAsk>(message.call & ((1u << kAskBits) - 1));
        return sentinel_->replied(link->id, ask, reply, wall_ms(service.host()));
      }
      const auto parts = reply.elements();
      if (parts.size() == 3 && parts[0].text() == "message") {
        sentinel_->published(link->id, parts[2].text(), wall_ms(service.host()));
      }
      return;
    }
    default: {
      const SentinelLink id = link->id;
      links_.erase(link);
      return sentinel_->closed(id);
    }
  }
}

// Commands that every Redis process answers alike; a sentinel has no others of them.
constexpr std::array<std::string_view, 10> kOfConnections = {
    "AUTH", "CLIENT", "COMMAND", "HELLO", "PING", "PSUBSCRIBE", "PUNSUBSCRIBE", "QUIT", "SUBSCRIBE", "UNSUBSCRIBE"};
constexpr std::array<std::string_view, 4> kOfSentinels = {"INFO", "PUBLISH", "ROLE", "SENTINEL"};

RedisReply SentinelServer::command(const Service& service, const Message& request) {
  const RedisCommandView c(request.body);
  const auto is_among = [&c](const auto& names) {
    return std::any_of(names.begin(), names.end(), [&c](std::string_view n) { return is_redis_word(c.arg(0), n); });
  };
  RedisSession& session = session_of(request.connection);
  if (is_among(kOfConnections)) {
    RedisOutputs out;
    return connections_.execute(session, c, wall_ms(service.host()), out);
  }
  if (!is_among(kOfSentinels)) return redis_error::unknown_command(c);
  if (session.is_limited_to_subscriptions()) return redis_error::only_while_subscribed(in_lower_case(c.arg(0)));
  return sentinel_->command(c, wall_ms(service.host()));
}

RedisSession& SentinelServer::session_of(ConnectionId connection) {
  const auto found =
      std::find_if(clients_.begin(), clients_.end(), [&](const Client& c) { return c.connection == connection; });
  if (found != clients_.end()) return found->session;
  clients_.push_back({connection, RedisSession(++sessions_)});
  return clients_.back().session;
}

void SentinelServer::forget(ConnectionId connection) {
  std::erase_if(clients_, [&](Client& c) {
    if (c.connection != connection) return false;
    connections_.disconnect(c.session);
    return true;
  });
}

RedisReply SentinelServer::control(RedisControlCommand, RedisCall&) {
  return RedisReply::error("ERR a sentinel closes no clients");
}

std::int64_t SentinelServer::below(std::int64_t n) {
  return host_->draw(Purpose::election, Law::uniform(std::int64_t{0}, n - 1));
}

// Its state is the outcome of what it was told.
std::uint64_t SentinelServer::fingerprint(const World& world, NodeId node) const {
  return world.nodes.alive(node) ? world.lives.of(node) : 0;
}

}  // namespace picklock
