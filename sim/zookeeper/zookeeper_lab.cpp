#include "sim/zookeeper/zookeeper_lab.hpp"

#include "base/hash.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock::testing {
namespace {

std::int64_t now_ms(const Service& s) { return s.host().monotonic_now().ns / 1'000'000; }

ZooReply refusal(ZooCode code) {
  ZooReply r;
  r.code = code;
  return r;
}

void send(const Service& service, ConnectionId connection, const ZooReply& reply) {
  service.push(connection, Payload::of(service.world().tasks.arena(), reply));
}

}  // namespace

void ZooStandIn::boot(World& world, NodeId node) {
  attached_.clear();
  watches_.clear();
  changes_.clear();
  tracker_.emplace(tick_ms, world.tasks.monotonic_now(node).ns / 1'000'000, tree);
  world.tasks.start(node, "main", serve(Service(world, node)));
  world.tasks.start(node, "expiry", expire(Service(world, node)));
}

Task<void> ZooStandIn::serve(Service service) {
  for (;;) {
    const Message message = co_await service.receive();
    if (message.kind != SegmentKind::data) {
      detach(message.connection);
      continue;
    }
    if (const auto* const request = message.body.get<ZooRequest>()) {
      handle(service, message, *request);
    } else {
      service.close(message.connection);
    }
  }
}

Task<void> ZooStandIn::expire(Service service) {
  const Host host = service.host();
  for (std::uint32_t n = 1;; ++n) {
    co_await host.sleep_until(MonoTime{tracker_->next_look_ms() * 1'000'000});
    service.world().tasks.serve_background(n);
    while (tracker_->next_look_ms() <= now_ms(service)) {
      for (const std::int64_t session : tracker_->expire(now_ms(service))) end(service, session, 0);
    }
  }
}

void ZooStandIn::handle(const Service& service, const Message& message, const ZooRequest& request) {
  ++requests[std::string(to_string(request.op))];
  if (request.op == ZooOp::connect) return connect(service, message.connection, request);
  const auto found = attached_.find(message.connection);
  if (found == attached_.end()) return;
  const std::int64_t session = found->second;
  const ZooSessionEntry* const entry = tree.find_session(session);
  if (entry != nullptr && tracker_->touch(session, entry->timeout_ms, now_ms(service))) {
    service.world().record(trace::zoo_session_touched, service.node(), 0, static_cast<std::uint64_t>(session),
                           static_cast<std::uint64_t>(entry->timeout_ms));
  }
  ZooReply reply;
  switch (request.op) {
    case ZooOp::ping:
      break;
    case ZooOp::set_watches: {
      std::vector<ZooWatches::Fired> fired;
      watches_.set_watches(message.connection, request, tree, fired);
      notify(service, fired);
      break;
    }
    case ZooOp::exists:
    case ZooOp::get_data:
    case ZooOp::get_children:
      reply = tree.read(request);
      watches_.add(message.connection, request, reply.code);
      break;
    case ZooOp::sync:
      reply.path = request.path;
      break;
    case ZooOp::close_session: {
      reply.xid = request.xid;
      end(service, session, message.operation.hold);
      send(service, message.connection, reply);
      service.close(message.connection);
      return detach(message.connection);
    }
    default:
      reply = tracker_->check(session, 1) == ZooCode::ok ? write(service, request, session, message.operation.hold)
                                                         : refusal(ZooCode::session_expired);
  }
  reply.xid = request.xid;
  reply.zxid = tree.last_zxid();
  send(service, message.connection, reply);
}

void ZooStandIn::connect(const Service& service, ConnectionId connection, const ZooRequest& request) {
  if (request.relative_zxid > tree.last_zxid()) return service.close(connection);
  ZooReply reply;
  if (request.session == 0) {
    const std::int64_t session = (std::int64_t{service.node()} << 56) + ++sessions_made_;
    const std::int64_t timeout = zoo_negotiated_timeout_ms(request.timeout_ms, tick_ms);
    const ZooTxn txn = ZooTreeChanges::prepare_session(session, timeout, mix(static_cast<std::uint64_t>(session)));
    tracker_->track(session, timeout, now_ms(service));
    reply = apply(service, txn);
  } else {
    const ZooSessionEntry* const entry = tree.find_session(request.session);
    if (entry != nullptr && entry->password == request.password && !tracker_->closing(request.session)) {
      tracker_->touch(request.session, entry->timeout_ms, now_ms(service));
      reply.session = request.session;
      reply.password = entry->password;
      reply.timeout_ms = entry->timeout_ms;
      for (auto& [other, session] : attached_) {
        if (session == request.session) session = 0;  // the older connection has lost it
      }
    }
  }
  if (reply.session != 0) attached_[connection] = reply.session;
  send(service, connection, reply);
  if (reply.session == 0) service.close(connection);
}

ZooReply ZooStandIn::write(const Service& service, const ZooRequest& request, std::int64_t session,
                           std::uint32_t hold) {
  ZooTxn txn = changes_.prepare(request, session, tree.last_zxid() + 1);
  txn.hold = hold;
  ZooReply reply = apply(service, txn);
  log.push_back(request.to_string() + " -> " + reply.to_string());
  return reply;
}

void ZooStandIn::end(const Service& service, std::int64_t session, std::uint32_t hold) {
  ZooTxn txn = changes_.prepare_close(session, tree.last_zxid() + 1);
  txn.hold = hold;
  (void)apply(service, txn);
  tracker_->remove(session);
  log.push_back("end of a session");
  for (const auto& [connection, attached] : attached_) {
    if (attached == session && hold == 0) service.close(connection);
  }
  std::erase_if(attached_, [session](const auto& a) { return a.second == session; });
}

ZooReply ZooStandIn::apply(const Service& service, const ZooTxn& txn) {
  std::vector<ZooEffect> effects;
  const std::int64_t zxid = tree.last_zxid() + 1;
  ZooReply reply = tree.apply(txn, zxid, effects);
  changes_.applied(zxid);
  zoo_record_applied(service.world(), service.node(), txn, zxid, effects, tree);
  std::vector<ZooWatches::Fired> fired;
  for (const ZooEffect& effect : effects) watches_.fire(effect, fired);
  notify(service, fired);
  return reply;
}

void ZooStandIn::notify(const Service& service, const std::vector<ZooWatches::Fired>& fired) {
  for (const auto& f : fired) {
    ++requests["notification"];
    send(service, static_cast<ConnectionId>(f.client), zoo_notification(f, tree.last_zxid()));
  }
}

void ZooStandIn::detach(ConnectionId connection) {
  attached_.erase(connection);
  watches_.forget(connection);
}

ZooLab::ZooLab(std::uint64_t seed, std::int64_t tick_ms) : Lab(seed), zk(world.nodes.add("zk")) {
  server.tick_ms = tick_ms;
  world.install(zk, server);
}

void ZooLab::Process::boot(World& world, NodeId n) {
  node = n;
  client.boot(world, n, servers, options);
  for (const auto& start : tasks) start(*this, world);
}

ZooLab::Process& ZooLab::process(std::string_view name, ZooClientOptions options) {
  Process& p = processes.emplace_back();
  p.servers = {zk};
  p.options = std::move(options);
  world.install(world.nodes.add(name), p);
  return p;
}

}  // namespace picklock::testing
