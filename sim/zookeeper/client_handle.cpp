#include "sim/zookeeper/client_handle.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kLongestWithoutPingMs = 10'000, kEarlyMs = 1'000;

}  // namespace

ZooClientHandle::ZooClientHandle(ZooClient& client, Host host, Duration timeout, ZooWatcher watcher)
    : client_(client),
      host_(host),
      watcher_(std::move(watcher)),
      timeout_ms_(timeout.ms()),
      asked_ms_(timeout.ms()),
      servers_(client.servers_) {
  last_sent_ms_ = last_heard_ms_ = now_ms();
}

std::int64_t ZooClientHandle::connect_timeout_ms() const {
  if (client_.options_.connect_timeout) return client_.options_.connect_timeout->ms();
  return timeout_ms_ / static_cast<std::int64_t>(servers_.size());
}

bool ZooClientHandle::silent_too_long(std::int64_t now_ms) const {
  switch (phase_) {
    case Phase::opening:
    case Phase::greeting:
      return now_ms - last_sent_ms_ >= connect_timeout_ms();
    case Phase::connected:
      return now_ms - last_heard_ms_ >= read_timeout_ms();
    default:
      return false;
  }
}

// --- what time brings ------------------------------------------------------------------------------

void ZooClientHandle::step(std::int64_t now_ms) {
  if (phase_ == Phase::dead) return;
  if (phase_ == Phase::fresh) {
    for (std::size_t i = servers_.size() - 1; i > 0; --i) {  // StaticHostProvider shuffles
      const std::int64_t j = host_.draw(Purpose::choice, Law::uniform(std::int64_t{0}, static_cast<std::int64_t>(i)));
      std::swap(servers_[i], servers_[static_cast<std::size_t>(j)]);
    }
    current_ = servers_.size() - 1;  // the one before the first
    rest(now_ms);
  }
  if (closing_ && phase_ != Phase::connected) {  // nobody is told: the session will expire
    fail_all(ZooCode::connection_loss);
    close_connection();
    phase_ = Phase::dead;
    return tell_all(ZooState::closed);
  }
  if (phase_ == Phase::cleans_up && now_ms >= due_ms_) cleaned_up(now_ms);
  if (phase_ == Phase::resting && now_ms >= due_ms_) open(now_ms);
  const bool by_itself = client_.options_.expiry == ZooExpiry::by_itself;
  const bool sleeps = phase_ == Phase::resting || phase_ == Phase::cleans_up;
  if (by_itself && !sleeps && now_ms - last_heard_ms_ >= timeout_ms_ * 4 / 3) return expire(now_ms);
  if (silent_too_long(now_ms)) return connection_ended(now_ms);
  if (phase_ == Phase::opening || phase_ == Phase::greeting) {
    due_ms_ = last_sent_ms_ + connect_timeout_ms();
  } else if (phase_ == Phase::connected) {
    const std::int64_t idle_ms = now_ms - last_sent_ms_;
    std::int64_t to_ping_ms = read_timeout_ms() / 2 - idle_ms - (idle_ms > kEarlyMs ? kEarlyMs : 0);
    if (to_ping_ms <= 0 || idle_ms > kLongestWithoutPingMs) {
      send_own(ZooRequest::ping(), now_ms);
      to_ping_ms = read_timeout_ms() / 2;
    }
    due_ms_ = std::min(now_ms + to_ping_ms, last_heard_ms_ + read_timeout_ms());
  }
}

void ZooClientHandle::rest(std::int64_t now_ms) {
  phase_ = Phase::resting;
  due_ms_ = now_ms;
  current_ = (current_ + 1) % servers_.size();
  if (last_good_ == current_) {
    due_ms_ += client_.options_.round_delay.ms();
  } else if (!last_good_) {
    last_good_ = 0;
  }
  if (!never_connected_) due_ms_ += host_.draw_duration(Purpose::retry_delay, client_.options_.reconnect_delay).ms();
}

void ZooClientHandle::open(std::int64_t now_ms) {
  World& world = *client_.world_;
  phase_ = Phase::opening;
  last_sent_ms_ = now_ms;
  connection_ = world.network.open(host_.node(), servers_[current_], world.current_operation(), world.next_segment());
}

void ZooClientHandle::greet(std::int64_t now_ms) {
  phase_ = Phase::greeting;
  last_heard_ms_ = now_ms;  // a connection is a sign of life too
  never_connected_ = false;
  ZooRequest connect;
  connect.op = ZooOp::connect;
  connect.session = session_;
  connect.password = password_;
  connect.timeout_ms = asked_ms_;
  connect.relative_zxid = last_zxid_;
  send_own(connect, now_ms);
}

// --- what the server says ----------------------------------------------------------------------------

void ZooClientHandle::heard(const Message& message, std::int64_t now_ms) {
  switch (message.kind) {
    case SegmentKind::opened:
      if (phase_ == Phase::opening) greet(now_ms);
      return;
    case SegmentKind::data:
      last_heard_ms_ = now_ms;
      if (!decode(message.body.view(), reply_)) return connection_ended(now_ms);
      if (phase_ == Phase::greeting) return greeted(reply_, now_ms);
      if (reply_.xid == kZooNotificationXid) return notified(reply_);
      if (reply_.xid == kZooPingXid || reply_.xid == kZooSetWatchesXid) return;
      return answered(reply_, now_ms);
    default:
      connection_ = kNoConnection;
      return connection_ended(now_ms);
  }
}

void ZooClientHandle::greeted(const ZooReply& reply, std::int64_t now_ms) {
  if (reply.timeout_ms <= 0) return expire(now_ms);
  timeout_ms_ = reply.timeout_ms;
  negotiated_ = true;
  session_ = reply.session;
  password_ = reply.password;
  last_good_ = current_;
  phase_ = Phase::connected;
  host_.announce_deadline(DeadlineKind::session_timeout, host_.monotonic_now() + milliseconds(timeout_ms_));
  tell_all(ZooState::connected);
  if (!data_.empty() || !exist_.empty() || !child_.empty()) {
    ZooRequest again;
    again.op = ZooOp::set_watches;
    again.xid = kZooSetWatchesXid;
    again.relative_zxid = last_zxid_;
    for (const auto& [path, watchers] : data_) again.data_watches.push_back(path);
    for (const auto& [path, watchers] : exist_) again.exist_watches.push_back(path);
    for (const auto& [path, watchers] : child_) again.child_watches.push_back(path);
    send_own(again, now_ms);
  }
  while (!queued_.empty()) {
    Pending pending = std::move(queued_.front());
    queued_.pop_front();
    transmit(pending, now_ms);
    under_way_.push_back(std::move(pending));
  }
}

void ZooClientHandle::answered(ZooReply& reply, std::int64_t now_ms) {
  if (under_way_.empty() || under_way_.front().xid != reply.xid) return connection_ended(now_ms);
  if (reply.zxid > 0) last_zxid_ = reply.zxid;
  Pending pending = std::move(under_way_.front());
  under_way_.pop_front();
  if (pending.watcher) {
    if (reply.code == ZooCode::ok) {
      leave(pending.op == ZooOp::get_children ? child_ : data_, pending.path, pending.watcher);
    } else if (reply.code == ZooCode::no_node && pending.op == ZooOp::exists) {
      leave(exist_, pending.path, pending.watcher);
    }
  }
  const bool closed = pending.op == ZooOp::close_session;
  if (pending.exchange != nullptr) {
    pending.exchange->answered = true;
    pending.exchange->reply = std::move(reply);
    host_.runtime().wake(pending.exchange->wait);
  }
  if (!closed) return;
  fail_all(ZooCode::session_expired);
  close_connection();
  phase_ = Phase::dead;
  tell_all(ZooState::closed);
}

void ZooClientHandle::notified(const ZooReply& reply) {
  client_.world_->record(trace::zoo_watch_fired, host_.node(), static_cast<std::uint32_t>(reply.event),
                         hash_of(reply.path));
  const auto tell = [&](Watches& watches) {
    const auto found = watches.find(reply.path);
    if (found == watches.end()) return;
    const std::vector<ZooWatcher> watchers = std::move(found->second);
    watches.erase(found);
    for (const ZooWatcher& w : watchers) w.push({reply.event, ZooState::connected, reply.path});
  };
  // Of one event every watcher hears once, from however many of its watches.
  switch (reply.event) {
    case ZooEventType::created:
    case ZooEventType::data_changed:
      merge(exist_, data_, reply.path);
      return tell(data_);
    case ZooEventType::children_changed:
      return tell(child_);
    case ZooEventType::deleted:
      merge(exist_, data_, reply.path);
      merge(child_, data_, reply.path);
      return tell(data_);
    case ZooEventType::none:
      return;
  }
}

// --- ends --------------------------------------------------------------------------------------------

void ZooClientHandle::expire(std::int64_t now_ms) {
  fail_all(ZooCode::session_expired);
  close_connection();
  if (client_.options_.after_expiry == ZooAfterExpiry::handle_is_dead) {
    phase_ = Phase::dead;
    return tell_all(ZooState::expired);
  }
  tell_all(ZooState::expired);
  session_ = last_zxid_ = 0;
  password_ = 0;
  data_.clear();
  exist_.clear();
  child_.clear();
  rest(now_ms);
}

void ZooClientHandle::connection_ended(std::int64_t now_ms) {
  close_connection();
  phase_ = Phase::cleans_up;
  due_ms_ = now_ms + client_.options_.clean_up.ms();
  if (due_ms_ <= now_ms) cleaned_up(now_ms);
}

void ZooClientHandle::cleaned_up(std::int64_t now_ms) {
  fail_all(ZooCode::connection_loss);
  tell_all(ZooState::disconnected);
  rest(now_ms);
}

void ZooClientHandle::close_connection() {
  if (connection_ == kNoConnection) return;
  client_.world_->network.close(std::exchange(connection_, kNoConnection), 0);
}

void ZooClientHandle::fail_all(ZooCode code) {
  for (std::deque<Pending>* const list : {&under_way_, &queued_}) {
    for (Pending& pending : std::exchange(*list, {})) finish(pending, code);
  }
}

void ZooClientHandle::finish(Pending& pending, ZooCode code) {
  if (pending.exchange == nullptr) return;
  pending.exchange->reply.code = code;
  host_.runtime().wake(pending.exchange->wait);
  pending.exchange = nullptr;
}

// The default watcher, and every other that waits for anything, once.
void ZooClientHandle::tell_all(ZooState state) {
  state_ = state;
  client_.world_->record(trace::zoo_client_state, host_.node(), static_cast<std::uint32_t>(state),
                         static_cast<std::uint64_t>(session_));
  std::vector<ZooWatcher> all;
  if (watcher_) all.push_back(watcher_);
  for (const Watches* const watches : {&data_, &exist_, &child_}) {
    for (const auto& [path, watchers] : *watches) {
      for (const ZooWatcher& w : watchers) {
        if (std::find(all.begin(), all.end(), w) == all.end()) all.push_back(w);
      }
    }
  }
  for (const ZooWatcher& w : all) w.push({ZooEventType::none, state, {}});
}

// --- what the process asks ---------------------------------------------------------------------------

void ZooClientHandle::submit(ZooExchange& e) {
  e.wait = host_.runtime().wait(host_.node(), e.waiter, "reply");
  if (phase_ == Phase::dead || closing_) {
    e.reply.code = ZooCode::session_expired;
    return host_.runtime().wake(e.wait);
  }
  World& world = *client_.world_;
  Pending p;
  p.exchange = &e;
  p.op = e.request.op;
  p.path = e.request.path;
  p.watcher = e.watcher;
  ZooRequest request(std::move(e.request));
  p.xid = request.xid = ++last_xid_;
  encode(request, p.packed);
  p.operation = world.current_operation();
  p.n = world.next_segment();
  if (p.op == ZooOp::close_session) closing_ = true;
  if (phase_ != Phase::connected) {
    if (closing_) client_.wake();
    queued_.push_back(std::move(p));
    return;
  }
  transmit(p, now_ms());
  under_way_.push_back(std::move(p));
}

void ZooClientHandle::withdraw(ZooExchange& e) noexcept {
  for (std::deque<Pending>* const list : {&under_way_, &queued_}) {
    for (Pending& pending : *list) {
      if (pending.exchange == &e) pending.exchange = nullptr;  // it will be sent and answered all the same
    }
  }
  host_.runtime().release(std::exchange(e.wait, 0));
}

void ZooClientHandle::transmit(Pending& pending, std::int64_t now_ms) {
  last_sent_ms_ = now_ms;
  if (pending.exchange != nullptr) pending.exchange->sent = true;
  send(pending.packed, pending.operation, pending.n);
  pending.packed.clear();
}

void ZooClientHandle::send_own(const ZooRequest& request, std::int64_t now_ms) {
  World& world = *client_.world_;
  last_sent_ms_ = now_ms;
  client_.packed_.clear();
  encode(request, client_.packed_);
  send(client_.packed_, world.current_operation(), world.next_segment());
}

void ZooClientHandle::send(std::string_view bytes, const Operation& operation, std::uint32_t n) {
  World& world = *client_.world_;
  Message m;
  m.body = Bytes(world.arena(), bytes);
  m.operation = operation;
  m.n = n;
  m.connection = connection_;
  world.network.send(std::move(m));
}

// --- watches -----------------------------------------------------------------------------------------

void ZooClientHandle::leave(Watches& watches, const std::string& path, const ZooWatcher& watcher) {
  std::vector<ZooWatcher>& all = watches[path];
  if (std::find(all.begin(), all.end(), watcher) == all.end()) all.push_back(watcher);
}

void ZooClientHandle::merge(Watches& from, Watches& to, const std::string& path) {
  const auto found = from.find(path);
  if (found == from.end()) return;
  for (const ZooWatcher& w : found->second) leave(to, path, w);
  from.erase(found);
}

void ZooClientHandle::forget(const ZooWatcher& watcher) {
  for (Watches* const watches : {&data_, &exist_, &child_}) {
    for (auto entry = watches->begin(); entry != watches->end();) {
      std::erase(entry->second, watcher);
      entry = entry->second.empty() ? watches->erase(entry) : std::next(entry);
    }
  }
}

}  // namespace picklock
