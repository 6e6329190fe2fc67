// An etcd client, after clientv3: several endpoints, requests, renewals, watches.
//
//   EtcdClient etcd(host, channels, options);   // one for each process, made anew when it boots
//
// Requests go round robin over the endpoints, connected ones first (gRPC's balancer, 3.4 and later).  A
// member that hangs or is cut off in silence stays in the round, and its share of the requests runs into
// the timeout.  Reads, and grants and ends of leases, are sent again if the answer may not come or
// says that no leader was there; writes are not, and are unknown.
// Renewals of all leases share one stream, watches another; a stream stays with its endpoint until that
// connection ends, then goes on with another one: renewals after 500 ms, watches with the revision after
// the last that they have seen.  The stream of renewals requires a leader: a member that knows none refuses it at once,
// or ends it when it has known none for three election timeouts.  Renewals of one stream are served one after the
// other: one that waits for a stopped leader holds up those behind it.  A lease is renewed once a third of its TTL
// has passed since the last answer, as seen every 500 ms, and again at every look until it is answered; it is given up
// when no answer has come for its TTL, as seen every second.
// With dial_keep_alive_time the client pings a connection in use on which it has heard nothing for that long, and ends
// it after dial_keep_alive_timeout without an answer: so it notices a machine that fell silent.
//
// From:      etcd, client/v3: lease.go, watch.go, retry_interceptor.go, client.go; grpc-go,
//            internal/transport/http2_client.go, keepalive.
// Left out:  jitter of gRPC's reconnections, pings on idle connections (PermitWithoutStream), a message other than the
//            answer that comes while a ping is out (it saves the connection there), streams of several Lease or Watcher
//            objects of one client (each would have its own).
// Channels must be like etcd_channel().
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sim/core/rpc_channel.hpp"
#include "sim/etcd/wire.hpp"
#include "sim/task/etcd.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

struct EtcdClientOptions {
  Duration request_timeout = seconds(5);  // the context's deadline
  Duration connect_timeout = seconds(2);
  Duration first_renewal = seconds(5);  // a lease is given up if the first answer takes longer: DialTimeout + 1 s
  // gRPC's pings, which Go's client leaves off; grpc-go takes less than 10 s for 10 s.
  std::optional<Duration> dial_keep_alive_time = {};
  Duration dial_keep_alive_timeout = seconds(20);
  // Streams of renewals require a leader, as Go's do (clientv3/lease.go).  jetcd's (0.4.1) do not: their member
  // keeps them, leader or not.
  bool requires_leader = true;
  bool floods = false;  // up to 3.2: a reader that does not drain its renewals makes the client renew at every scan

  void fields(FieldVisitor& v) {
    v.field({.name = "request-timeout", .help = "longest time that a client waits for an answer", .least = 1},
            request_timeout);
    v.field({.name = "connect-timeout", .help = "longest time that a client waits for a connection", .least = 1},
            connect_timeout);
    v.field({.name = "first-renewal",
             .help = "longest time that a client waits for the first renewal of a new lease",
             .least = 1},
            first_renewal);
    v.field({.name = "dial-keep-alive-time",
             .help = "silence after which a client pings a connection in use; none: never",
             .least = 10'000'000'000},
            dial_keep_alive_time);
    v.field({.name = "dial-keep-alive-timeout",
             .help = "longest time that a client waits for the answer to a ping before it ends the connection",
             .least = 1},
            dial_keep_alive_timeout);
    v.field({.name = "requires-leader",
             .help = "a member without a leader ends streams of renewals (Go's clients ask for that, jetcd's do not)"},
            requires_leader);
    v.field({.name = "floods", .help = "a client whose answers are not read renews at every scan (3.2)"}, floods);
  }
  bool operator==(const EtcdClientOptions&) const = default;
};

// A timeout ends the wait of one request; gRPC's connection goes on.
inline ChannelOptions etcd_channel(const EtcdClientOptions& options) {
  ChannelOptions channel;
  channel.request_timeout = options.request_timeout;
  channel.connect_timeout = options.connect_timeout;
  channel.timeout_breaks_connection = false;
  return channel;
}

class EtcdClient final : public Etcd {
 public:
  static constexpr Duration kScanRenewals = milliseconds(500), kRetryStream = milliseconds(500);
  static constexpr Duration kScanDeadlines = seconds(1);
  static constexpr Duration kRetry = milliseconds(25);  // pause between rounds of a request that may be repeated
  static constexpr std::uint32_t kMostAttempts = 100;
  static constexpr Duration kReconnect = seconds(1), kLongestReconnect = seconds(120);

  // All objects that the channels refer to must outlive the process.
  EtcdClient(const Host& host, std::vector<Channel*> endpoints, const EtcdClientOptions& options = {});
  ~EtcdClient() override;

  std::shared_ptr<EtcdKeepAlive> keep_alive(EtcdLeaseId lease) override;
  std::shared_ptr<EtcdWatch> watch(EtcdWatchCreate what) override;

  // --- for tests
  std::uint64_t renewals_sent() const { return renewals_sent_; }

 protected:
  Task<Outcome<EtcdReply>> call(EtcdCall&& asked, Duration timeout) override;

 private:
  struct Asking {  // a request, as it is sent again and again
    Mark mark;
    bool repeatable = false;
    EtcdRequest request;
  };
  struct Endpoint {
    Channel* channel = nullptr;
    MonoTime down_until{};
    Duration back_off{};
    MonoTime heard{};                                       // time of the last message, as grpc-go's lastRead
    std::shared_ptr<int> users = std::make_shared<int>(0);  // calls and streams of renewals in flight
    std::unique_ptr<Event> used;                            // notified whenever that grows; null: no pings
    bool pinged = false;
  };
  // Marks a call or stream as under way; may outlive the client.
  class InUse {
   public:
    explicit InUse(std::shared_ptr<int> users) : users_(std::move(users)) { ++*users_; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;
    ~InUse() { --*users_; }

   private:
    std::shared_ptr<int> users_;
  };
  struct Renewed {
    std::vector<std::shared_ptr<EtcdKeepAlive>> readers;
    MonoTime next{}, deadline{};
  };
  struct Watching {
    std::shared_ptr<EtcdWatch> watch;
    EtcdRevision next = 0;         // first revision that it has not seen yet; 0: the next one
    std::uint64_t stream = 0;      // stream that has been asked for it; 0: none
    std::uint64_t connection = 0;  // connection of the endpoint's channel that granted it; 0: none yet
  };

  struct Watches {
    explicit Watches(const Host& host) : change(host, "watches") {}

    std::map<std::int64_t, Watching> by_id;
    std::int64_t last_id = 0;
    bool running = false;
    std::uint64_t stream = 0;
    std::optional<std::size_t> endpoint;
    bool broken = false;  // the stream is
    Event change;
  };

  // client.cpp
  Task<Outcome<EtcdReply>> ask(Asking what, Duration timeout);
  std::optional<std::size_t> pick();
  void went_down(std::size_t endpoint);
  void came_up(std::size_t endpoint);     // its connection did
  void heard_from(std::size_t endpoint);  // a message came
  InUse use(std::size_t endpoint);
  bool in_use(std::size_t endpoint) const;
  static Task<void> ping(Host host, EtcdClient* self, std::size_t endpoint);
  // client_leases.cpp
  static Task<void> send_renewals(Host host, EtcdClient* self);
  static Task<void> hold_renewals(Host host, EtcdClient* self, std::size_t endpoint, std::uint64_t stream);
  void end_stream(std::uint64_t stream);
  static Task<void> renew(Host host, EtcdClient* self, EtcdLeaseId lease, std::size_t endpoint, std::uint64_t stream);
  static Task<void> watch_deadlines(Host host, EtcdClient* self);
  std::vector<EtcdLeaseId> due_renewals();
  void answered(const EtcdLeaseReply& reply);
  void end_renewals(EtcdLeaseId lease);
  // client_watches.cpp
  static Task<void> run_watches(Host host, EtcdClient* self);
  static Task<void> open_watch(Host host, EtcdClient* self, std::int64_t id, std::size_t endpoint,
                               std::uint64_t stream);
  static Task<void> close_watch(Host host, EtcdClient* self, std::int64_t id, std::size_t endpoint);
  void break_watches(std::uint64_t stream);
  bool lost_watches(const Channel& channel) const;
  void hear_event(Payload& event);
  void dispatch(EtcdWatchReply reply);
  void drop_closed(std::size_t endpoint);

  EtcdClientOptions options_;
  std::vector<Endpoint> endpoints_;
  std::optional<std::size_t> next_endpoint_;

  std::map<EtcdLeaseId, Renewed> renewed_;
  bool renewing_ = false;
  std::uint64_t renewal_stream_ = 0, renewals_sent_ = 0;  // a stream that was given up has an older number
  Event renewals_change_, deadlines_change_, renewal_stream_ended_;

  Watches watches_;
};

// One request on one connection.  It is moved away; if there is no connection, it is put back.
class [[nodiscard]] EtcdVerb : public ExchangeAwaiter {
 public:
  EtcdVerb(Channel& channel, Mark m, EtcdRequest& request, Duration timeout = kForever, bool breaks = false)
      : ExchangeAwaiter(channel, m, timeout), request_(request) {
    exchange_.breaks = breaks;
    exchange_.request = Payload::of(arena(), EtcdTimedRequest{std::move(request), timeout});
  }
  void await_suspend(std::coroutine_handle<> me) { send(me); }
  Outcome<EtcdReply> await_resume() {
    if (exchange_.state == Exchange::State::not_connected) {
      request_ = std::move(exchange_.request.get<EtcdTimedRequest>()->request);
      return Outcome<EtcdReply>::refusal(Why::not_connected);
    }
    if (!replied()) return Outcome<EtcdReply>::unknown_because(why_not());
    auto* const reply = exchange_.reply.get<EtcdReply>();
    return Outcome<EtcdReply>::of(reply != nullptr ? std::move(*reply) : EtcdReply::failed(EtcdError::malformed));
  }

 private:
  EtcdRequest& request_;  // request of the caller, which awaits this
};

}  // namespace picklock
