#include "sim/zookeeper/store_client_lab.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace picklock::testing {
namespace {

std::string path_of(std::int64_t n) { return std::string("/") + "abcd"[n % 4]; }

ZooRequest draw_request(std::int64_t die, std::int64_t path, std::int64_t value) {
  ZooRequest r;
  r.path = path_of(path);
  r.data = std::to_string(value);
  const std::int32_t version = value % 3 == 0 ? static_cast<std::int32_t>(value / 3 % 3) : kZooAnyVersion;
  if (die < 18) {
    r.op = ZooOp::create;
    r.mode = value % 2 == 0 ? ZooMode::persistent : ZooMode::ephemeral;
  } else if (die < 24) {
    r.op = ZooOp::create;
    r.path = "/s-";
    r.mode = ZooMode::ephemeral_sequential;
  } else if (die < 34) {
    r.op = ZooOp::remove;
    r.version = version;
  } else if (die < 50) {
    r.op = ZooOp::set_data;
    r.version = version;
  } else if (die < 56) {
    r.op = ZooOp::multi;
    ZooRequest check, set;
    check.op = ZooOp::check;
    check.path = r.path;
    check.version = version;
    set.op = ZooOp::set_data;
    set.path = path_of(path + 1);
    set.data = r.data;
    r.parts = {check, set};
  } else if (die < 62) {
    r.op = ZooOp::sync;
  } else if (die < 78) {
    r.op = ZooOp::exists;
    r.watch = value % 2 == 0;
  } else if (die < 94) {
    r.op = ZooOp::get_data;
    r.watch = value % 2 == 0;
  } else if (die < 99) {
    r.op = ZooOp::get_children;
    r.path = "/";
  } else {
    r.op = ZooOp::close_session;
  }
  return r;
}

}  // namespace

void StoreClient::boot(World& world, NodeId node) {
  link_.forget();
  session_ = seen_ = 0;
  world.tasks.start(node, "main", run(Service(world, node)));
}

Task<void> StoreClient::run(Service service) {
  World& world = service.world();
  const Host host = service.host();
  std::uint32_t step = world.nodes.incarnation(service.node()) << 16;
  while (world.now() - TrueTime{} < setup_.until) {
    world.tasks.begin_operation(++step, 0);
    bool good = !link_.is_closed();
    if (!good) good = co_await connect(service);
    if (!good) {
      co_await host.sleep(milliseconds(20));
      continue;
    }
    const std::int64_t batch = host.draw(Purpose::choice, Law::uniform(std::int64_t{1}, std::int64_t{3}));
    std::vector<std::size_t> sent;
    bool closes = false;
    for (std::int64_t i = 0; i < batch && !closes; ++i) {
      sent.push_back(send(service));
      closes = setup_.history->ops[sent.back()].request.op == ZooOp::close_session;
    }
    const MonoTime patience = host.monotonic_now() + setup_.timeout;
    std::size_t answered = 0;
    while (answered < sent.size() && !link_.is_closed()) {
      co_await next_message(service, patience);
      const std::optional<Message> m = service.take_message();
      if (!m) {
        link_.close(service);
      } else if (heard(service, *m, sent[answered])) {
        ++answered;
      }
    }
    if (closes) session_ = seen_ = 0;  // answered or not, it is not used again
    if (closes) link_.close(service);
    const std::int64_t mood = host.draw(Purpose::think, Law::uniform(std::int64_t{0}, std::int64_t{99}));
    if (mood < 3) link_.close(service);
    const Duration rest = mood >= 97 && setup_.vanishes ? setup_.timeout * 3 : milliseconds(mood % 40);
    const MonoTime until = host.monotonic_now() + rest;
    for (;;) {  // events come meanwhile
      co_await next_message(service, until);
      const std::optional<Message> m = service.take_message();
      if (!m) break;
      (void)heard(service, *m, StoreSight::kEvent);
    }
  }
}

Task<bool> StoreClient::connect(Service service) {
  const Host host = service.host();
  const std::int64_t which = host.draw(
      Purpose::application, Law::uniform(std::int64_t{0}, static_cast<std::int64_t>(setup_.servers.size()) - 1));
  link_.open(service, setup_.servers[static_cast<std::size_t>(which)]);
  const MonoTime patience = host.monotonic_now() + setup_.timeout / 2;
  for (;;) {
    co_await next_message(service, patience);
    const std::optional<Message> m = service.take_message();
    if (!m) break;
    if (!link_.is_of(*m)) continue;
    if (m->kind == SegmentKind::opened) {
      link_.hear(*m);
      ZooRequest greeting;
      greeting.op = ZooOp::connect;
      greeting.session = session_;
      greeting.password = password_;
      greeting.timeout_ms = setup_.timeout.ms();
      greeting.relative_zxid = seen_;
      transmit(service, greeting);
      continue;
    }
    const auto* const reply = m->body.get<ZooReply>();
    if (m->kind != SegmentKind::data || reply == nullptr) break;
    if (reply->timeout_ms <= 0) {
      session_ = seen_ = 0;
      break;
    }
    session_ = reply->session;
    password_ = reply->password;
    connection_number_ = setup_.history->connections++;
    co_return true;
  }
  link_.close(service);
  co_return false;
}

std::size_t StoreClient::send(const Service& service) {
  const Host& host = service.host();
  const std::int64_t die = host.draw(Purpose::application, Law::uniform(std::int64_t{0}, std::int64_t{99}));
  const std::int64_t path = host.draw(Purpose::application, Law::uniform(std::int64_t{0}, std::int64_t{3}));
  const std::int64_t value = host.draw(Purpose::application, Law::uniform(std::int64_t{0}, std::int64_t{999}));
  StoreOp op;
  op.request = draw_request(die, path, value);
  op.request.xid = ++xid_;
  op.session = session_;
  op.invoked = service.world().now();
  transmit(service, op.request);
  setup_.history->ops.push_back(std::move(op));
  return setup_.history->ops.size() - 1;
}

void StoreClient::transmit(const Service& service, const ZooRequest& request) {
  (void)link_.send(service, Payload::of(service.world().tasks.arena(), request));
}

// True if it answers operation `expected`.
bool StoreClient::heard(const Service& service, const Message& m, std::size_t expected) {
  if (!link_.is_of(m)) return false;
  const auto* const told = m.body.get<ZooReply>();
  if (m.kind != SegmentKind::data || told == nullptr) {
    link_.forget();
    return false;
  }
  ZooReply reply = *told;
  StoreHistory& history = *setup_.history;
  if (reply.xid == kZooNotificationXid) {
    history.sights.push_back({connection_number_, StoreSight::kEvent, reply.path});
    return false;
  }
  if (expected == StoreSight::kEvent) return false;
  StoreOp& op = history.ops[expected];
  if (op.request.xid != reply.xid) std::abort();  // answers come in the order of requests
  op.replied = service.world().now();
  op.answered = true;
  seen_ = std::max(seen_, reply.zxid);
  if (reply.code == ZooCode::session_expired) session_ = seen_ = 0;
  op.reply = std::move(reply);
  history.sights.push_back({connection_number_, expected, {}});
  if (session_ == 0) link_.close(service);
  return true;
}

}  // namespace picklock::testing
