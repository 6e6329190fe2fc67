// The session of one client handle, as its client knows it.
#pragma once

#include <cstdint>

#include "sim/task/zookeeper.hpp"
#include "sim/zookeeper/wire.hpp"

namespace picklock {

// Keeps the session's number and password, its timeout, and the last zxid that its client has seen.
class ZooClientSession {
 public:
  explicit ZooClientSession(std::int64_t asked_ms) : asked_ms_(asked_ms), timeout_ms_(asked_ms) {}

  std::int64_t id() const { return id_; }  // 0: none so far
  bool negotiated() const { return negotiated_; }
  std::int64_t timeout_ms() const { return timeout_ms_; }  // the timeout asked for, until a server has answered
  std::int64_t read_timeout_ms() const { return timeout_ms_ * 2 / 3; }
  std::int64_t expiry_ms() const { return timeout_ms_ * 4 / 3; }  // expiry by the client's own clock
  std::int64_t last_zxid() const { return last_zxid_; }

  ZooRequest connect() const {
    ZooRequest request;
    request.op = ZooOp::connect;
    request.session = id_;
    request.password = password_;
    request.timeout_ms = asked_ms_;
    request.relative_zxid = last_zxid_;
    return request;
  }
  void begin(const ZooReply& reply) {  // begins the session, or resumes it at another server
    id_ = reply.session;
    password_ = reply.password;
    timeout_ms_ = reply.timeout_ms;
    negotiated_ = true;
  }
  void saw(std::int64_t zxid) {
    if (zxid > 0) last_zxid_ = zxid;
  }
  void forget() {  // it has expired; the handle asks for another
    id_ = last_zxid_ = 0;
    password_ = 0;
  }

 private:
  std::int64_t id_ = 0;
  std::uint64_t password_ = 0;
  std::int64_t asked_ms_, timeout_ms_;
  bool negotiated_ = false;
  std::int64_t last_zxid_ = 0;
};

}  // namespace picklock
