// Endpoints and requests.  Renewals and watches: client_leases.cpp, client_watches.cpp.
#include "sim/etcd/client.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace picklock {
namespace {

Mark mark_of(const EtcdRequest& request) {
  static constexpr Mark kMarks[] = {mark::etcd_range,
                                    mark::etcd_put,
                                    mark::etcd_delete,
                                    mark::etcd_txn,
                                    mark::etcd_compact,
                                    mark::etcd_lease_grant,
                                    mark::etcd_lease_revoke,
                                    mark::etcd_lease_ttl,
                                    mark::etcd_keep_alive,
                                    mark::none,
                                    mark::none,
                                    mark::none,
                                    mark::etcd_lock,
                                    mark::etcd_unlock,
                                    mark::none,
                                    mark::none};
  static_assert(std::size(kMarks) == std::variant_size_v<EtcdRequest>);
  return kMarks[request.index()];
}

// clientv3's retry policy "repeatable".
bool may_be_repeated(const EtcdRequest& request) {
  if (const auto* txn = std::get_if<EtcdTxn>(&request)) return !txn->writes();
  return std::holds_alternative<EtcdRange>(request) || std::holds_alternative<EtcdLeaseGrant>(request) ||
         std::holds_alternative<EtcdLeaseRevoke>(request) || std::holds_alternative<EtcdLeaseQuery>(request) ||
         std::holds_alternative<EtcdLeaseRenew>(request);
}

bool is_of_no_use(const Outcome<EtcdReply>& answer) {
  if (answer.yes()) return is_unavailable(answer.value().error);
  return answer.why() == Why::not_connected || answer.why() == Why::disconnected;
}

}  // namespace

EtcdClient::EtcdClient(const Host& host, std::vector<Channel*> endpoints, const EtcdClientOptions& options)
    : Etcd(host),
      options_(options),
      renewals_change_(host, "leases to renew"),
      deadlines_change_(host, "leases to renew"),
      renewal_stream_ended_(host, "the end of a stream"),
      watches_(host) {
  PICKLOCK_CHECK(!endpoints.empty());
  for (Channel* channel : endpoints) {
    Endpoint& e = endpoints_.emplace_back();
    e.channel = channel;
    if (options_.dial_keep_alive_time) e.used = std::make_unique<Event>(host, "pings");
    channel->notify_pushes(&watches_.change);
  }
}

EtcdClient::~EtcdClient() {
  for (auto& [id, w] : watches_.by_id) w.watch->notify_cancel(nullptr);
}

// The next one in the round that is connected, or else that may be tried; nothing: all are known to be down.
std::optional<std::size_t> EtcdClient::pick() {
  const std::size_t n = endpoints_.size();
  if (!next_endpoint_) {
    const Law any = Law::uniform(0, static_cast<std::int64_t>(n) - 1);
    next_endpoint_ = static_cast<std::size_t>(host_.draw(Purpose::choice, any));
  }
  const MonoTime now = host_.monotonic_now();
  std::optional<std::size_t> chosen;
  for (std::size_t k = 0; k < n && !chosen; ++k) {
    const std::size_t i = (*next_endpoint_ + k) % n;
    if (endpoints_[i].channel->connected()) chosen = i;
  }
  for (std::size_t k = 0; k < n && !chosen; ++k) {
    const std::size_t i = (*next_endpoint_ + k) % n;
    if (endpoints_[i].down_until <= now) chosen = i;
  }
  if (chosen) next_endpoint_ = (*chosen + 1) % n;
  return chosen;
}

void EtcdClient::went_down(std::size_t endpoint) {
  Endpoint& e = endpoints_[endpoint];
  e.back_off = e.back_off.ns == 0 ? kReconnect : std::min(e.back_off * 8 / 5, kLongestReconnect);
  e.down_until = host_.monotonic_now() + e.back_off;
}

void EtcdClient::came_up(std::size_t endpoint) { endpoints_[endpoint].back_off = {}; }

void EtcdClient::heard_from(std::size_t endpoint) {
  came_up(endpoint);
  endpoints_[endpoint].heard = host_.monotonic_now();
}

// --- pings (grpc-go, http2Client.keepalive)

EtcdClient::InUse EtcdClient::use(std::size_t endpoint) {
  Endpoint& e = endpoints_[endpoint];
  if (e.used && !std::exchange(e.pinged, true)) host_.spawn("ping", ping(host_, this, endpoint));
  if (e.used) e.used->notify();
  return InUse(e.users);
}

bool EtcdClient::in_use(std::size_t endpoint) const {
  const Endpoint& e = endpoints_[endpoint];
  return e.channel->connected() && (*e.users > 0 || (watches_.endpoint == endpoint && !watches_.by_id.empty()));
}

Task<void> EtcdClient::ping(Host host, EtcdClient* self, std::size_t endpoint) {
  const Duration quiet = *self->options_.dial_keep_alive_time;
  Endpoint& e = self->endpoints_[endpoint];
  std::uint64_t connection = 0;
  for (;;) {
    while (!self->in_use(endpoint)) co_await e.used->wait();
    if (std::exchange(connection, e.channel->connections_opened()) != connection) e.heard = host.monotonic_now();
    const MonoTime due = e.heard + quiet;
    if (host.monotonic_now() < due) {
      co_await host.sleep_until(due);
      continue;
    }
    EtcdRequest request = EtcdPing{};
    const auto heard = co_await EtcdVerb(*e.channel, mark::none, request, self->options_.dial_keep_alive_timeout, true);
    if (heard.yes()) {
      e.heard = host.monotonic_now();
    } else {
      self->watches_.change.notify();  // watches of the connection must be asked for anew
    }
  }
}

Task<Outcome<EtcdReply>> EtcdClient::call(EtcdCall&& asked, Duration timeout) {
  EtcdRequest request = to_request(std::move(asked));
  const Mark mark = mark_of(request);
  const bool repeatable = may_be_repeated(request);
  return ask({mark, repeatable, std::move(request)}, timeout.ns != 0 ? timeout : options_.request_timeout);
}

Task<Outcome<EtcdReply>> EtcdClient::ask(Asking what, Duration timeout) {
  const MonoTime until = host_.monotonic_now() + timeout;
  const std::size_t quorum = endpoints_.size() / 2 + 1;
  std::size_t refused = 0;
  for (std::uint32_t attempt = 1;; ++attempt) {
    const Duration left = until - host_.monotonic_now();
    if (left.ns <= 0) co_return Outcome<EtcdReply>::unknown_because(Why::timed_out);
    const bool last = !what.repeatable || attempt >= kMostAttempts;
    const std::optional<std::size_t> endpoint = pick();
    if (endpoint) {
      const InUse in_flight = use(*endpoint);
      EtcdRequest sent = last ? std::move(what.request) : what.request;
      Outcome<EtcdReply> answer = co_await EtcdVerb(*endpoints_[*endpoint].channel, what.mark, sent, left);
      if (answer.why() == Why::not_connected) {
        went_down(*endpoint);
        what.request = std::move(sent);
        if (++refused < endpoints_.size()) continue;
      } else if (answer.yes()) {
        heard_from(*endpoint);
      } else {
        came_up(*endpoint);  // a request that was sent had a connection; silence is no word from the member
      }
      if (last || !is_of_no_use(answer)) co_return answer;
    } else if (last) {
      co_return Outcome<EtcdReply>::refusal(Why::not_connected);
    }
    if (attempt % quorum != 0) continue;
    const Law wait = Law::uniform(kRetry.ns * 9 / 10, kRetry.ns * 11 / 10);
    co_await host_.sleep(host_.draw_duration(Purpose::retry_delay, wait));
  }
}

}  // namespace picklock
