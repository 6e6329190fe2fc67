// One handle of a ZooClient: a session, its connection, and the times at which something is due.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/peer_link.hpp"
#include "sim/zookeeper/client.hpp"
#include "sim/zookeeper/client_requests.hpp"
#include "sim/zookeeper/client_servers.hpp"
#include "sim/zookeeper/client_session.hpp"
#include "sim/zookeeper/client_watches.hpp"
#include "sim/zookeeper/wire.hpp"

namespace picklock {

// Keeps the state of one connection to one server after the other, and when it was last used.
class ZooClientHandle final : public ZooHandle {
 public:
  ZooClientHandle(ZooClient& client, const Service& service, const std::vector<NodeId>& servers, Duration timeout,
                  ZooWatcher watcher);

  // --- ZooHandle
  const Host& host() const override { return service_.host(); }
  void submit(ZooExchange& exchange) override;
  void withdraw(ZooExchange& exchange) noexcept override;
  ZooState state() const override { return state_; }
  std::int64_t session() const override { return session_.id(); }
  Duration timeout() const override { return session_.negotiated() ? milliseconds(session_.timeout_ms()) : Duration{}; }
  void forget(const ZooWatcher& watcher) override { watches_.forget(watcher); }
  void inject_expiration() override {
    if (phase_ != Phase::dead) expire(now_ms());
  }

  // --- for the I/O task
  bool hears(const Message& message) const { return link_.is_of(message); }
  void heard(Message& message, std::int64_t now_ms);
  void step(std::int64_t now_ms);                  // does everything that is due
  std::int64_t due_ms() const { return due_ms_; }  // latest instant of the next step
  bool silent_too_long(std::int64_t now_ms) const;
  bool dead() const { return phase_ == Phase::dead; }

 private:
  enum class Phase : std::uint8_t { fresh, resting, opening, greeting, connected, cleans_up, dead };

  void rest(std::int64_t now_ms);  // rests until the next attempt
  void open(std::int64_t now_ms);
  void greet(std::int64_t now_ms);
  void heard(ZooReply& reply, std::int64_t now_ms);
  void greeted(const ZooReply& reply, std::int64_t now_ms);
  void expire(std::int64_t now_ms);
  void connection_ended(std::int64_t now_ms);
  void cleaned_up(std::int64_t now_ms);
  void answered(ZooReply& reply, std::int64_t now_ms);
  void notified(const ZooReply& reply);
  void transmit(ZooClientRequest& request, std::int64_t now_ms);
  void send_own(const ZooRequest& request, std::int64_t now_ms);  // sends a request of the library itself
  void die(ZooCode code, ZooState state);
  void fail_all(ZooCode code) { requests_.fail_all(host(), code); }
  enum class Link : std::uint8_t { ended, good, given_up };
  void record_link(Link link) const;
  void tell_all(ZooState state);
  std::int64_t connect_timeout_ms() const;
  std::int64_t now_ms() const { return host().monotonic_now().ns / 1'000'000; }
  World& world() const { return service_.world(); }

  ZooClient& client_;
  Service service_;
  ZooWatcher watcher_;  // the default one
  ZooState state_ = ZooState::disconnected;
  Phase phase_ = Phase::fresh;
  bool closing_ = false;
  ZooClientServers servers_;
  PeerLink link_;
  ZooClientSession session_;
  ZooClientRequests requests_;
  ZooClientWatches watches_;
  std::int64_t last_sent_ms_, last_heard_ms_, due_ms_ = 0;
};

}  // namespace picklock
