// A server and its clients: requests in the order of their connections, answers, events.

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "base/packing.hpp"
#include "sim/zookeeper/server.hpp"

namespace picklock {
namespace {

std::uint64_t password_of(std::int64_t session) { return mix(static_cast<std::uint64_t>(session)) | 1; }

}  // namespace

void ZooServer::heard_client(const Message& message) {
  const ConnectionId connection = message.connection;
  if (!serves()) {
    service_->close(connection);
    return forget(connection);
  }
  if (!decode(message.body.view(), request_)) return drop(connection);
  Client& client = clients_[connection];
  if (request_.op == ZooOp::connect) return greet(connection, client, request_);
  if (client.session == 0) return drop(connection);
  // A leader drops what comes for a session that is ending, unanswered: submitRequestNow, MissingSessionException.
  if (!touch(client.session, client.timeout_ms)) return;
  if (request_.op == ZooOp::close_session) judge_->asked_to_close(client.session);
  // The leader has nobody to ask what was committed; a follower's sync goes there and back.
  const bool passes_on = is_write(request_.op) || (request_.op == ZooOp::sync && !zab_->leads());
  Waiting w;
  w.request = request_;
  // PrepRequestProcessor asks of all that a leader's clients send, reads and pings too, whether it may come this way.
  if (zab_->leads() && !is_write(request_.op)) w.reply.code = tracker_->check(client.session, kSelf);
  client.queue.push_back(std::move(w));
  if (passes_on) {
    const Ticket ticket = ++last_ticket_;
    client.queue.back().ticket = ticket;
    tickets_[ticket] = connection;
    const ZooRequest request = client.queue.back().request;
    const std::int64_t session = client.session;
    if (request.op == ZooOp::sync) {
      std::string body;
      Packer(body).number(ticket);
      zab_->sync(std::move(body));
    } else if (zab_->leads()) {
      submit(sid_, kSelf, ticket, session, message.operation.hold, request);
    } else {
      std::string body;
      Packer p(body);
      p.byte(0);
      p.number(ticket);
      p.integer(session);
      p.number(message.operation.hold);
      encode(request, body);
      zab_->request(std::move(body));
    }
  }
  const auto found = clients_.find(connection);
  if (found != clients_.end()) pump(connection, found->second);
}

// --- connecting

void ZooServer::greet(ConnectionId connection, Client& client, const ZooRequest& request) {
  if (request.relative_zxid > tree_.last_zxid()) return drop(connection);  // the client has seen more than this server
  client.seen = request.relative_zxid;
  const Ticket ticket = ++last_ticket_;
  Waiting w;
  w.request = request;
  w.ticket = ticket;
  if (request.session == 0) {
    const std::int64_t session = std::int64_t{sid_} << 56 |
                                 std::int64_t{world().incarnation(service_->node()) & 0xffffff} << 32 |
                                 ++sessions_made_;
    w.request.op = ZooOp::create_session;
    w.request.session = session;
    w.request.password = password_of(session);
    w.request.timeout_ms = zoo_negotiated_timeout_ms(request.timeout_ms, setup_.options.tick.ms());
    w.request.xid = 0;
  } else {
    if (request.password != password_of(request.session)) return refuse(connection);
    // The client has given up its other connection, if this server has it.
    std::vector<ConnectionId> older;
    for (const auto& [other, c] : clients_) {
      if (other != connection && c.session == request.session) older.push_back(other);
    }
    for (const ConnectionId o : older) drop(o);
  }
  const ZooRequest pending = w.request;
  client.queue.push_back(std::move(w));
  tickets_[ticket] = connection;
  const ZooSessionEntry* const entry = tree_.find_session(pending.session);
  const std::int64_t timeout = entry != nullptr ? entry->timeout_ms : 0;
  if (pending.op == ZooOp::create_session) {
    if (zab_->leads()) return submit(sid_, kSelf, ticket, pending.session, 0, pending);
    std::string body;
    Packer p(body);
    p.byte(0);
    p.number(ticket);
    p.integer(pending.session);
    p.number(0);
    encode(pending, body);
    return zab_->request(std::move(body));
  }
  ZooReply reply;
  if (zab_->leads()) {
    const bool valid = reattach(kSelf, pending.session, timeout);
    reply.session = valid ? pending.session : 0;
    reply.timeout_ms = valid ? timeout : 0;
    return complete(ticket, reply);
  }
  std::string body;
  Packer p(body);
  p.byte(1);
  p.number(ticket);
  p.integer(pending.session);
  p.integer(timeout);
  zab_->request(std::move(body));
}

void ZooServer::refuse(ConnectionId connection) {
  ZooReply reply;  // no session, no timeout: it has expired
  send(connection, reply);
  drop(connection);
}

void ZooServer::attach(ConnectionId connection, Client& client, std::int64_t session, std::int64_t timeout_ms) {
  client.session = session;
  client.timeout_ms = timeout_ms;
  judge_->attached(name_of(connection), client.seen);
  world().record(trace::zoo_session_attached, service_->node(), 0, static_cast<std::uint64_t>(session));
  if (tracker_ && !zab_->leads()) tracker_->track(session, timeout_ms, now_ms());
}

// False: it has ended, or is ending.  Only a leader knows.
bool ZooServer::touch(std::int64_t session, std::int64_t timeout_ms) {
  if (zab_->leads()) return note_touch(session, timeout_ms) || setup_.flaw == ZooFlaw::closing_may_create;
  touches_.touch(session, timeout_ms);
  if (tracker_) tracker_->touch(session, timeout_ms, now_ms());
  return true;
}

// --- answering

// Answers what can be answered: reads at the head, and writes that have been applied.
void ZooServer::pump(ConnectionId connection, Client& client) {
  while (!client.queue.empty()) {
    Waiting& head = client.queue.front();
    if (head.ticket != 0 && !head.answered) return;
    const bool executes = head.ticket == 0 && head.reply.code == ZooCode::ok;
    ZooReply reply = executes ? execute(connection, head.request) : std::move(head.reply);
    // Not told to the client, whose connection is closed instead: it may be the one that is right (ZOOKEEPER-710).
    if (reply.code == ZooCode::session_moved) return drop(connection);
    const ZooOp op = head.request.op;
    reply.xid = head.request.xid;
    client.queue.pop_front();
    reply.zxid = tree_.last_zxid();
    if (op == ZooOp::connect || op == ZooOp::create_session) {
      if (reply.timeout_ms <= 0) return refuse(connection);
      attach(connection, client, reply.session, reply.timeout_ms);
      reply.password = password_of(reply.session);
    }
    send(connection, reply);
    if (op == ZooOp::close_session) return drop(connection);
  }
}

ZooReply ZooServer::execute(ConnectionId connection, const ZooRequest& request) {
  ZooReply reply;
  switch (request.op) {
    case ZooOp::exists:
    case ZooOp::get_data:
    case ZooOp::get_children:
      reply = tree_.read(request);
      watches_.add(connection, request, reply.code);
      return reply;
    case ZooOp::set_watches: {
      fired_.clear();
      watches_.set_watches(connection, request, tree_, fired_);
      tell(std::vector<ZooWatches::Fired>(fired_));
      return reply;
    }
    case ZooOp::sync:
      reply.path = request.path;
      return reply;
    default:
      return reply;
  }
}

void ZooServer::complete(Ticket ticket, const ZooReply& reply) {
  const auto waits = tickets_.find(ticket);
  if (waits == tickets_.end()) return;
  const ConnectionId connection = waits->second;
  tickets_.erase(waits);
  const auto found = clients_.find(connection);
  if (found == clients_.end()) return;
  for (Waiting& w : found->second.queue) {
    if (w.ticket != ticket) continue;
    w.answered = true;
    w.reply = reply;
    break;
  }
  pump(connection, found->second);
}

void ZooServer::send(ConnectionId connection, const ZooReply& reply) {
  judge_->replied(name_of(connection), reply.zxid);
  packed_.clear();
  encode(reply, packed_);
  service_->push(connection, packed_);
}

void ZooServer::tell(const std::vector<ZooWatches::Fired>& fired) {
  for (const ZooWatches::Fired& f : fired)
    judge_->fired(name_of(static_cast<ConnectionId>(f.client)), tree_.last_zxid());
  late_.insert(late_.end(), fired.begin(), fired.end());
  if (setup_.flaw != ZooFlaw::watch_after_reply) send_late_events();
}

void ZooServer::send_late_events() {
  for (const ZooWatches::Fired& f : late_) {
    const auto connection = static_cast<ConnectionId>(f.client);
    judge_->sent_event(name_of(connection));
    packed_.clear();
    encode(zoo_notification(f, tree_.last_zxid()), packed_);
    service_->push(connection, packed_);
  }
  late_.clear();
}

// --- ends

void ZooServer::drop(ConnectionId connection) {
  service_->close(connection);
  forget(connection);
}

void ZooServer::forget(ConnectionId connection) {
  const auto found = clients_.find(connection);
  if (found == clients_.end()) return;
  const std::int64_t session = found->second.session;
  for (const Waiting& w : found->second.queue) tickets_.erase(w.ticket);
  clients_.erase(found);
  watches_.forget(connection);
  judge_->disconnected(name_of(connection));
  if (setup_.options.defect != ZooDefect::vanish_on_disconnect || session == 0 || !serves()) return;
  ZooRequest end;
  end.op = ZooOp::close_session;
  if (zab_->leads()) return submit(sid_, kSelf, 0, session, 0, end);
  std::string body;
  Packer p(body);
  p.byte(0);
  p.number(0);
  p.integer(session);
  p.number(0);
  encode(end, body);
  zab_->request(std::move(body));
}

}  // namespace picklock
