// The clients of one server: their connections, requests in the order of each connection, answers, events.
//
//   if (clients.has(message.connection)) clients.hear(message);
//   clients.complete(ticket, reply);      // a write has been applied, a re-attachment answered
//   clients.end(session);                 // it has been closed
//   clients.end_all();                    // this server serves no longer
//
// A read is answered from the server's own tree when its turn comes. A write goes to the leader, and its answer leaves
// once this server has applied it. Requests of one connection are answered in their order, while its writes are under
// way together.
//
// From:      FinalRequestProcessor, CommitProcessor, ZooKeeperServer.processConnectRequest of ZooKeeper 3.8.
// Left out:  throttling of clients and their number (a server takes as many requests as come), local sessions,
//            read-only mode, the four-letter words. A server closes a connection whose client is silent only when the
//            session ends.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/ring.hpp"
#include "sim/zookeeper/server_context.hpp"
#include "sim/zookeeper/server_events.hpp"
#include "sim/zookeeper/server_requests.hpp"
#include "sim/zookeeper/server_sessions.hpp"

namespace picklock {

// Keeps each connection's session and unanswered requests, and which connection waits for which ticket.
class ZooServerClients {
 public:
  ZooServerClients(const ZooServerContext& context, const ZooTree& tree, ZooServerSessions& sessions,
                   ZooServerRequests& requests);

  bool has(ConnectionId connection) const { return clients_.contains(connection); }
  std::size_t size() const { return clients_.size(); }
  void hear(Message& message);
  void complete(ZooTicket ticket, ZooReply& reply);
  void synced(ZooTicket ticket);
  void forget(ConnectionId connection);  // it has ended
  void end(std::int64_t session);
  void end_all();

  // Watches are left by the clients' reads.
  ZooServerEvents& events() { return events_; }
  const ZooServerEvents& events() const { return events_; }

 private:
  struct Waiting {
    ZooOp op = ZooOp::none;
    std::int32_t xid = 0;
    ZooTicket ticket = 0;                 // 0: a read, executed when its turn comes
    std::unique_ptr<ZooRequest> request;  // the request of a read; the path of a sync
    std::optional<ZooReply> reply;        // write: the reply, once applied; read: the refusal, if any
  };
  struct Client {
    std::int64_t session = 0;  // 0: not attached so far
    std::int64_t timeout_ms = 0;
    std::int64_t seen = 0;  // zxid, as it said when it connected
    Ring<Waiting> queue;

    Waiting& add(ZooOp op, std::int32_t xid, ZooTicket ticket) {
      Waiting& w = queue.extend();
      w.op = op;
      w.xid = xid;
      w.ticket = ticket;
      return w;
    }
    void take_first_out() {
      queue.front().request.reset();
      queue.front().reply.reset();
      queue.drop_front();
    }
  };

  std::vector<std::pair<ZooTicket, ConnectionId>>::iterator find(ZooTicket ticket);  // tickets_.end(): no client waits
  void greet(ConnectionId connection, Client& client, const ZooRequest& request);
  void pass_on(Client& client, const Message& message, ZooRequest& request);
  void attach(ConnectionId connection, Client& client, std::int64_t session, std::int64_t timeout_ms);
  void refuse(ConnectionId connection);
  void pump(ConnectionId connection, Client& client);
  // Returns false if the connection has been closed.
  bool answer(ConnectionId connection, Client& client, ZooOp op, std::int32_t xid, ZooReply& reply);
  ZooReply execute(ConnectionId connection, const ZooRequest& request);
  ZooReply read(ConnectionId connection, const ZooRequest& request);
  void send(ConnectionId connection, ZooReply& reply);  // moves the reply out
  void drop(ConnectionId connection);                   // the server closes the connection
  void drop_others(std::int64_t session, ConnectionId kept);
  ZooJudge::ConnectionName name_of(ConnectionId c) const { return {context_.self, c}; }

  const ZooServerContext& context_;
  const ZooTree& tree_;
  ZooServerSessions& sessions_;
  ZooServerRequests& requests_;
  ZooServerEvents events_;
  std::map<ConnectionId, Client> clients_;
  std::vector<std::pair<ZooTicket, ConnectionId>> tickets_;  // sorted by ticket
  ZooTicket last_ticket_;
  std::uint32_t sessions_made_ = 0;
};

}  // namespace picklock
