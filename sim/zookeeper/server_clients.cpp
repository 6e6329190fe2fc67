#include "sim/zookeeper/server_clients.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock {
namespace {

std::uint64_t password_of(std::int64_t session) { return mix(static_cast<std::uint64_t>(session)) | 1; }

bool is_read(ZooOp op) { return op == ZooOp::exists || op == ZooOp::get_data || op == ZooOp::get_children; }

ZooReply refused(ZooCode code) {
  ZooReply reply;
  reply.code = code;
  return reply;
}

}  // namespace

ZooServerClients::ZooServerClients(const ZooServerContext& context, const ZooTree& tree, ZooServerSessions& sessions,
                                   ZooServerRequests& requests)
    : context_(context),
      tree_(tree),
      sessions_(sessions),
      requests_(requests),
      events_(context, tree),
      last_ticket_(std::uint64_t{context.world().nodes.incarnation(context.service.node())} << 40) {}

void ZooServerClients::hear(Message& message) {
  const ConnectionId connection = message.connection;
  if (!requests_.serves()) return drop(connection);
  auto* const heard = message.body.get<ZooRequest>();
  if (heard == nullptr) return drop(connection);
  ZooRequest& request = *heard;
  Client& client = clients_[connection];
  if (request.op == ZooOp::connect) return greet(connection, client, request);
  if (client.session == 0) return drop(connection);
  // A leader drops what comes for a session that is ending, unanswered: submitRequestNow, MissingSessionException.
  if (!sessions_.touch(client.session, client.timeout_ms)) return;
  if (request.op == ZooOp::close_session) context_.judge.asked_to_close(client.session);
  // A leader knows what was committed; a follower's sync goes there and back.
  const bool passes_on = is_write(request.op) || (request.op == ZooOp::sync && !requests_.leads());
  if (passes_on) return pass_on(client, message, request);
  // PrepRequestProcessor asks of all that a leader's clients send, reads and pings too, whether it may come this way.
  const ZooCode may = requests_.leads() ? sessions_.check(client.session, kZooSelf) : ZooCode::ok;
  if (client.queue.empty()) {  // it is its turn
    ZooReply reply = may == ZooCode::ok ? execute(connection, request) : refused(may);
    answer(connection, client, request.op, request.xid, reply);
    return;
  }
  Waiting& w = client.add(request.op, request.xid, 0);
  w.request = std::make_unique<ZooRequest>(std::move(request));
  if (may != ZooCode::ok) w.reply = refused(may);
}

// Its request is a write or a sync.
void ZooServerClients::pass_on(Client& client, const Message& message, ZooRequest& request) {
  const ZooTicket ticket = ++last_ticket_;
  tickets_.emplace_back(ticket, message.connection);
  Waiting& w = client.add(request.op, request.xid, ticket);
  if (request.op != ZooOp::sync) {
    return requests_.write(ticket, client.session, message.operation.hold, request);
  }
  w.request = std::make_unique<ZooRequest>(std::move(request));
  requests_.sync(ticket);
}

// --- connecting

void ZooServerClients::greet(ConnectionId connection, Client& client, const ZooRequest& request) {
  if (request.relative_zxid > tree_.last_zxid()) return drop(connection);  // the client has seen more than this server
  client.seen = request.relative_zxid;
  const ZooTicket ticket = ++last_ticket_;
  ZooRequest pending = request;
  if (request.session == 0) {
    const std::uint32_t boots = context_.world().nodes.incarnation(context_.service.node());
    pending.op = ZooOp::create_session;
    pending.session =
        std::int64_t{context_.self} << 56 | std::int64_t{boots & 0xffffff} << 32 | std::int64_t{++sessions_made_};
    pending.password = password_of(pending.session);
    pending.timeout_ms = zoo_negotiated_timeout_ms(request.timeout_ms, context_.setup.options.tick.ms());
    pending.xid = 0;
  } else {
    if (request.password != password_of(request.session)) return refuse(connection);
    drop_others(request.session, connection);  // the client has given them up
  }
  client.add(pending.op, pending.xid, ticket);
  tickets_.emplace_back(ticket, connection);
  if (pending.op == ZooOp::create_session) return requests_.write(ticket, pending.session, 0, pending);
  std::optional<ZooReply> reply = requests_.reattach(ticket, pending.session);
  if (reply) complete(ticket, *reply);
}

void ZooServerClients::refuse(ConnectionId connection) {
  ZooReply reply;  // no session, no timeout: it has expired
  send(connection, reply);
  drop(connection);
}

void ZooServerClients::attach(ConnectionId connection, Client& client, std::int64_t session, std::int64_t timeout_ms) {
  client.session = session;
  client.timeout_ms = timeout_ms;
  context_.judge.attached(name_of(connection), client.seen);
  context_.record(trace::zoo_session_attached, 0, static_cast<std::uint64_t>(session));
  sessions_.attached(session, timeout_ms);
}

// --- answering

// Answers what can be answered: reads at the head, and writes that have been applied.
void ZooServerClients::pump(ConnectionId connection, Client& client) {
  while (!client.queue.empty()) {
    Waiting& head = client.queue.front();
    if (head.ticket != 0 && !head.reply) return;
    ZooReply reply = head.reply ? std::move(*head.reply) : execute(connection, *head.request);
    const ZooOp op = head.op;
    const std::int32_t xid = head.xid;
    client.take_first_out();
    if (!answer(connection, client, op, xid, reply)) return;
  }
}

bool ZooServerClients::answer(ConnectionId connection, Client& client, ZooOp op, std::int32_t xid, ZooReply& reply) {
  // The client is not told; its connection is closed instead: it may be the one that is right (ZOOKEEPER-710).
  if (reply.code == ZooCode::session_moved) return drop(connection), false;
  reply.xid = xid;
  reply.zxid = tree_.last_zxid();
  if (op == ZooOp::connect || op == ZooOp::create_session) {
    if (reply.timeout_ms <= 0) return refuse(connection), false;
    attach(connection, client, reply.session, reply.timeout_ms);
    reply.password = password_of(reply.session);
  }
  send(connection, reply);
  if (op == ZooOp::close_session) return drop(connection), false;
  return true;
}

ZooReply ZooServerClients::execute(ConnectionId connection, const ZooRequest& request) {
  if (is_read(request.op)) return read(connection, request);
  ZooReply reply;
  if (request.op == ZooOp::set_watches) events_.set_watches(connection, request);
  if (request.op == ZooOp::sync) reply.path = request.path;
  return reply;
}

std::vector<std::pair<ZooTicket, ConnectionId>>::iterator ZooServerClients::find(ZooTicket ticket) {
  const auto earlier = [](const auto& waits, ZooTicket t) { return waits.first < t; };
  const auto found = std::lower_bound(tickets_.begin(), tickets_.end(), ticket, earlier);
  return found != tickets_.end() && found->first == ticket ? found : tickets_.end();
}

ZooReply ZooServerClients::read(ConnectionId connection, const ZooRequest& request) {
  ZooReply reply = tree_.read(request);
  events_.add(connection, request, reply.code);
  return reply;
}

void ZooServerClients::complete(ZooTicket ticket, ZooReply& reply) {
  const auto waits = find(ticket);
  if (waits == tickets_.end()) return;
  const ConnectionId connection = waits->second;
  tickets_.erase(waits);
  const auto found = clients_.find(connection);
  if (found == clients_.end()) return;
  Client& client = found->second;
  if (!client.queue.empty() && client.queue.front().ticket == ticket) {  // it is its turn
    const ZooOp op = client.queue.front().op;
    const std::int32_t xid = client.queue.front().xid;
    client.take_first_out();
    if (answer(connection, client, op, xid, reply)) pump(connection, client);
    return;
  }
  for (std::size_t i = 0; i < client.queue.size(); ++i) {
    if (client.queue[i].ticket == ticket) client.queue[i].reply = std::move(reply);
  }
}

void ZooServerClients::send(ConnectionId connection, ZooReply& reply) {
  context_.judge.replied(name_of(connection), reply.zxid);
  picklock::send(context_.world(), {connection, 1}, Payload::of(context_.world().tasks.arena(), std::move(reply)));
}

// A sync says up to where its server has caught up, and names the path that was asked for.
void ZooServerClients::synced(ZooTicket ticket) {
  const auto waits = find(ticket);
  if (waits == tickets_.end()) return;
  ZooReply reply;
  const Client& client = clients_.at(waits->second);
  for (std::size_t i = 0; i < client.queue.size(); ++i) {
    if (client.queue[i].ticket == ticket) reply.path = client.queue[i].request->path;
  }
  complete(ticket, reply);
}

// --- ends

void ZooServerClients::drop(ConnectionId connection) {
  context_.service.close(connection);
  forget(connection);
}

void ZooServerClients::forget(ConnectionId connection) {
  const auto found = clients_.find(connection);
  if (found == clients_.end()) return;
  const std::int64_t session = found->second.session;
  std::erase_if(tickets_, [connection](const auto& waits) { return waits.second == connection; });
  clients_.erase(found);
  events_.forget(connection);
  context_.judge.disconnected(name_of(connection));
  const bool vanishes = context_.setup.options.defect == ZooDefect::vanish_on_disconnect;
  if (vanishes && session != 0 && requests_.serves()) requests_.end(session);
}

void ZooServerClients::end(std::int64_t session) { drop_others(session, kNoConnection); }

void ZooServerClients::drop_others(std::int64_t session, ConnectionId kept) {
  std::vector<ConnectionId> ended;
  for (const auto& [connection, client] : clients_) {
    if (connection != kept && client.session == session) ended.push_back(connection);
  }
  for (const ConnectionId c : ended) drop(c);
}

void ZooServerClients::end_all() {
  for (const auto& [connection, client] : clients_) {
    context_.service.close(connection);
    context_.judge.disconnected(name_of(connection));
  }
  clients_.clear();
  tickets_.clear();
  events_.clear();
}

}  // namespace picklock
