// One handle of a ZooClient: a session, its connection, what is under way on it, its watches.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sim/zookeeper/client.hpp"
#include "sim/zookeeper/wire.hpp"

namespace picklock {

class ZooClientHandle final : public ZooHandle {
 public:
  ZooClientHandle(ZooClient& client, Host host, Duration timeout, ZooWatcher watcher);

  // --- ZooHandle
  const Host& host() const override { return host_; }
  void submit(ZooExchange& exchange) override;
  void withdraw(ZooExchange& exchange) noexcept override;
  ZooState state() const override { return state_; }
  std::int64_t session() const override { return session_; }
  Duration timeout() const override { return negotiated_ ? milliseconds(timeout_ms_) : Duration{}; }
  void forget(const ZooWatcher& watcher) override;
  void inject_expiration() override {
    if (phase_ != Phase::dead) expire(now_ms());
  }

  // --- for the I/O task
  ConnectionId connection() const { return connection_; }
  void heard(const Message& message, std::int64_t now_ms);
  void step(std::int64_t now_ms);                  // what time has come for
  std::int64_t due_ms() const { return due_ms_; }  // when to step again at the latest
  bool silent_too_long(std::int64_t now_ms) const;
  bool dead() const { return phase_ == Phase::dead; }

 private:
  enum class Phase : std::uint8_t { fresh, resting, opening, greeting, connected, cleans_up, dead };
  // A request in the order in which it was made; `exchange` is null once nobody waits for it.
  struct Pending {
    ZooExchange* exchange = nullptr;
    ZooOp op = ZooOp::none;
    std::int32_t xid = 0;
    std::string path;
    ZooWatcher watcher;
    std::string packed;  // until it is sent
    Operation operation;
    std::uint32_t n = 0;
  };
  using Watches = std::map<std::string, std::vector<ZooWatcher>, std::less<>>;

  void rest(std::int64_t now_ms);  // until the next attempt
  void open(std::int64_t now_ms);
  void greet(std::int64_t now_ms);
  void greeted(const ZooReply& reply, std::int64_t now_ms);
  void expire(std::int64_t now_ms);
  void connection_ended(std::int64_t now_ms);
  void cleaned_up(std::int64_t now_ms);
  void answered(ZooReply& reply, std::int64_t now_ms);
  void notified(const ZooReply& reply);
  void transmit(Pending& pending, std::int64_t now_ms);
  void send(std::string_view bytes, const Operation& operation, std::uint32_t n);
  void send_own(const ZooRequest& request, std::int64_t now_ms);  // on nobody's behalf
  void finish(Pending& pending, ZooCode code);
  void fail_all(ZooCode code);
  void tell_all(ZooState state);
  void close_connection();
  static void leave(Watches& watches, const std::string& path, const ZooWatcher& watcher);
  static void merge(Watches& from, Watches& to, const std::string& path);
  std::int64_t read_timeout_ms() const { return timeout_ms_ * 2 / 3; }
  std::int64_t connect_timeout_ms() const;
  std::int64_t now_ms() const { return host_.monotonic_now().ns / 1'000'000; }

  ZooClient& client_;
  Host host_;
  ZooWatcher watcher_;
  ZooState state_ = ZooState::disconnected;
  Phase phase_ = Phase::fresh;
  ConnectionId connection_ = kNoConnection;
  std::int64_t session_ = 0;
  std::uint64_t password_ = 0;
  std::int64_t timeout_ms_;
  std::int64_t asked_ms_;
  bool negotiated_ = false;
  bool closing_ = false;
  std::int64_t last_zxid_ = 0;
  std::int64_t last_sent_ms_ = 0, last_heard_ms_ = 0, due_ms_ = 0;
  std::int32_t last_xid_ = 0;
  std::vector<NodeId> servers_;  // in this handle's own order
  std::size_t current_ = 0;
  std::optional<std::size_t> last_good_;  // where the round of attempts began
  bool never_connected_ = true;
  std::deque<Pending> queued_, under_way_;
  Watches data_, exist_, child_;
  ZooReply reply_;
};

}  // namespace picklock
