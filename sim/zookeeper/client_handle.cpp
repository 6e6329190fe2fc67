#include "sim/zookeeper/client_handle.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/hash.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kLongestWithoutPingMs = 10'000, kEarlyMs = 1'000;

}  // namespace

ZooClientHandle::ZooClientHandle(ZooClient& client, const Service& service, const std::vector<NodeId>& servers,
                                 Duration timeout, ZooWatcher watcher)
    : client_(client),
      service_(service),
      watcher_(std::move(watcher)),
      servers_(servers),
      session_(timeout.ms()),
      last_sent_ms_(now_ms()),
      last_heard_ms_(now_ms()) {}

std::int64_t ZooClientHandle::connect_timeout_ms() const {
  const std::optional<Duration>& limit = client_.options().connect_timeout;
  return limit ? limit->ms() : session_.timeout_ms() / static_cast<std::int64_t>(servers_.size());
}

bool ZooClientHandle::silent_too_long(std::int64_t now_ms) const {
  switch (phase_) {
    case Phase::opening:
    case Phase::greeting:
      return now_ms - last_sent_ms_ >= connect_timeout_ms();
    case Phase::connected:
      return now_ms - last_heard_ms_ >= session_.read_timeout_ms();
    default:
      return false;
  }
}

// --- what time brings ------------------------------------------------------------------------------

void ZooClientHandle::step(std::int64_t now_ms) {
  if (phase_ == Phase::dead) return;
  if (phase_ == Phase::fresh) {
    servers_.shuffle(host());
    rest(now_ms);
  }
  // No server is told: the session will expire.
  if (closing_ && phase_ != Phase::connected) return die(ZooCode::connection_loss, ZooState::closed);
  if (phase_ == Phase::cleans_up && now_ms >= due_ms_) cleaned_up(now_ms);
  if (phase_ == Phase::resting && now_ms >= due_ms_) open(now_ms);
  const bool by_itself = client_.options().expiry == ZooExpiry::by_itself;
  const bool sleeps = phase_ == Phase::resting || phase_ == Phase::cleans_up;
  if (by_itself && !sleeps && now_ms - last_heard_ms_ >= session_.expiry_ms()) return expire(now_ms);
  if (silent_too_long(now_ms)) return connection_ended(now_ms);
  if (phase_ == Phase::opening || phase_ == Phase::greeting) {
    due_ms_ = last_sent_ms_ + connect_timeout_ms();
  } else if (phase_ == Phase::connected) {
    const std::int64_t idle_ms = now_ms - last_sent_ms_;
    std::int64_t to_ping_ms = session_.read_timeout_ms() / 2 - idle_ms - (idle_ms > kEarlyMs ? kEarlyMs : 0);
    if (to_ping_ms <= 0 || idle_ms > kLongestWithoutPingMs) {
      send_own(ZooRequest::ping(), now_ms);
      to_ping_ms = session_.read_timeout_ms() / 2;
    }
    due_ms_ = std::min(now_ms + to_ping_ms, last_heard_ms_ + session_.read_timeout_ms());
  }
}

void ZooClientHandle::rest(std::int64_t now_ms) {
  phase_ = Phase::resting;
  due_ms_ = now_ms + servers_.next(host(), client_.options());
}

void ZooClientHandle::open(std::int64_t now_ms) {
  phase_ = Phase::opening;
  last_sent_ms_ = now_ms;
  link_.open(service_, servers_.current());
}

void ZooClientHandle::greet(std::int64_t now_ms) {
  phase_ = Phase::greeting;
  last_heard_ms_ = now_ms;  // a connection is a sign of life too
  servers_.reached();
  send_own(session_.connect(), now_ms);
}

// --- what the server says ----------------------------------------------------------------------------

void ZooClientHandle::heard(Message& message, std::int64_t now_ms) {
  link_.hear(message);
  switch (message.kind) {
    case SegmentKind::opened:
      if (phase_ == Phase::opening) greet(now_ms);
      return;
    case SegmentKind::data:
      last_heard_ms_ = now_ms;
      if (auto* const reply = message.body.get<ZooReply>()) return heard(*reply, now_ms);
      return connection_ended(now_ms);
    default:
      return connection_ended(now_ms);
  }
}

void ZooClientHandle::heard(ZooReply& reply, std::int64_t now_ms) {
  if (phase_ == Phase::greeting) return greeted(reply, now_ms);
  if (reply.xid == kZooNotificationXid) return notified(reply);
  if (reply.xid == kZooPingXid || reply.xid == kZooSetWatchesXid) return;
  answered(reply, now_ms);
}

void ZooClientHandle::greeted(const ZooReply& reply, std::int64_t now_ms) {
  if (reply.timeout_ms <= 0) return expire(now_ms);
  session_.begin(reply);
  servers_.take_session();
  phase_ = Phase::connected;
  record_link(Link::good);
  host().announce_deadline(DeadlineKind::session_timeout, host().monotonic_now() + milliseconds(session_.timeout_ms()));
  tell_all(ZooState::connected);
  if (!watches_.empty()) send_own(watches_.set_watches(session_.last_zxid()), now_ms);
  while (ZooClientRequest* const request = requests_.next()) transmit(*request, now_ms);
}

void ZooClientHandle::answered(ZooReply& reply, std::int64_t now_ms) {
  ZooClientRequest* const request = requests_.answered(reply.xid);
  if (request == nullptr) return connection_ended(now_ms);
  session_.saw(reply.zxid);
  if (request->watcher) watches_.leave(request->op, reply.code, request->path, request->watcher);
  if (request->exchange != nullptr) {
    request->exchange->answered = true;
    request->exchange->reply = std::move(reply);
    host().runtime().wake(request->exchange->wait);
  }
  const bool closes = request->op == ZooOp::close_session;
  requests_.take_out_answered();
  if (closes) die(ZooCode::session_expired, ZooState::closed);
}

void ZooClientHandle::notified(const ZooReply& reply) {
  world().record(trace::zoo_watch_fired, host().node(), static_cast<std::uint32_t>(reply.event),
                 remembered_hash_of(reply.path));
  for (const ZooWatcher& w : watches_.take(reply.event, reply.path)) {
    w.push({reply.event, ZooState::connected, reply.path});
  }
}

// --- ends --------------------------------------------------------------------------------------------

void ZooClientHandle::die(ZooCode code, ZooState state) {
  record_link(Link::given_up);
  fail_all(code);
  link_.close(service_);
  phase_ = Phase::dead;
  tell_all(state);
}

void ZooClientHandle::expire(std::int64_t now_ms) {
  if (client_.options().after_expiry == ZooAfterExpiry::handle_is_dead) {
    return die(ZooCode::session_expired, ZooState::expired);
  }
  record_link(Link::given_up);
  fail_all(ZooCode::session_expired);
  link_.close(service_);
  tell_all(ZooState::expired);
  session_.forget();
  watches_.clear();
  rest(now_ms);
}

void ZooClientHandle::connection_ended(std::int64_t now_ms) {
  if (phase_ == Phase::connected) record_link(Link::ended);
  link_.close(service_);
  phase_ = Phase::cleans_up;
  due_ms_ = now_ms + client_.options().clean_up.ms();
  if (due_ms_ <= now_ms) cleaned_up(now_ms);
}

void ZooClientHandle::cleaned_up(std::int64_t now_ms) {
  fail_all(ZooCode::connection_loss);
  tell_all(ZooState::disconnected);
  rest(now_ms);
}

void ZooClientHandle::record_link(Link link) const {
  world().record(trace::zoo_client_link, host().node(), static_cast<std::uint32_t>(link),
                 static_cast<std::uint64_t>(session_.id()));
}

// The default watcher, and every other that waits for anything, once.
void ZooClientHandle::tell_all(ZooState state) {
  state_ = state;
  world().record(trace::zoo_client_state, host().node(), static_cast<std::uint32_t>(state),
                 static_cast<std::uint64_t>(session_.id()));
  for (const ZooWatcher& w : watches_.everyone(watcher_)) w.push({ZooEventType::none, state, {}});
}

// --- what the process asks ---------------------------------------------------------------------------

void ZooClientHandle::submit(ZooExchange& e) {
  e.wait = host().runtime().wait(host().node(), e.waiter, "reply");
  if (phase_ == Phase::dead || closing_) {
    e.reply.code = ZooCode::session_expired;
    return host().runtime().wake(e.wait);
  }
  const ZooClientRequest& added = requests_.add(e, world());
  if (added.op == ZooOp::close_session) closing_ = true;
  if (phase_ == Phase::connected) return transmit(*requests_.next(), now_ms());
  if (closing_) client_.wake();
}

void ZooClientHandle::withdraw(ZooExchange& e) noexcept {
  requests_.withdraw(e);
  host().runtime().release(std::exchange(e.wait, 0));
}

void ZooClientHandle::transmit(ZooClientRequest& request, std::int64_t now_ms) {
  last_sent_ms_ = now_ms;
  if (request.exchange != nullptr) request.exchange->sent = true;
  const SegmentName& name = request.name;
  world().network.send(link_.end().connection, link_.end().side,
                       Payload::of(world().tasks.arena(), std::move(request.request)), 0, name.operation, name.n);
}

void ZooClientHandle::send_own(const ZooRequest& request, std::int64_t now_ms) {
  last_sent_ms_ = now_ms;
  (void)link_.send(service_, Payload::of(world().tasks.arena(), request));
}

}  // namespace picklock
