// The requests of one client handle that have no answer yet.
//
//   requests.add(exchange, world);                            // requests are sent in the order of add()
//   while (ZooClientRequest* r = requests.next()) …send it…   // those that waited for a connection
//   if (auto r = requests.answered(reply.xid)) …              // answers come in the order of requests
//   requests.fail_all(host, ZooCode::connection_loss);
//
// From:      outgoingQueue and pendingQueue of ClientCnxn, ZooKeeper 3.8.
// Left out:  packets of several writes, a request timeout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/core/ring.hpp"
#include "sim/core/send.hpp"
#include "sim/task/zookeeper.hpp"
#include "sim/zookeeper/wire.hpp"

namespace picklock {

struct ZooClientRequest {
  ZooExchange* exchange = nullptr;  // null: its task has withdrawn it
  ZooOp op = ZooOp::none;
  std::int32_t xid = 0;
  std::string path;
  ZooWatcher watcher;
  ZooRequest request;  // request that waits for a connection, until it is sent
  SegmentName name;
};

// Keeps the requests that are queued or under way, in their order, and the last number that one was given.
class ZooClientRequests {
 public:
  ZooClientRequest& add(ZooExchange& exchange, World& world);  // queued
  void withdraw(ZooExchange& exchange) noexcept;

  ZooClientRequest* next();  // the oldest queued one, under way from now on; null: none
  // The request that the answer `xid` belongs to, to be taken out; null: the answer is out of order.
  ZooClientRequest* answered(std::int32_t xid);
  void take_out_answered();
  void fail_all(const Host& host, ZooCode code);

 private:
  Ring<ZooClientRequest> requests_;  // requests under way, then those queued
  std::size_t under_way_ = 0;
  std::int32_t last_xid_ = 0;
};

}  // namespace picklock
