#include "sim/core/rpc_channel.hpp"

#include <algorithm>

#include "sim/task/combinators.hpp"

namespace picklock {

void RpcChannel::reset(NodeId from, NodeId to, const ChannelOptions& options) {
  host_ = world_.host(from);
  to_ = to;
  options_ = options;
  route_ = nullptr;
  in_flight_.clear();
  pushes_.clear();
  pushed_ = nullptr;
  opened_ = 0;
  state_ = State::closed;
  connection_ = kNoConnection;
  if (options_.connected_at_start) {
    connection_ = world_.network.connect(from, to, this);
    state_ = State::open;
    ++opened_;
  }
}

void RpcChannel::process_died() {
  if (route_ != nullptr) route_->lost(*this);
  state_ = State::closed;
  connection_ = kNoConnection;
  in_flight_.clear();
  pushes_.clear();
  pushed_ = nullptr;
}

[[gnu::always_inline]] inline void RpcChannel::transmit(Exchange& e, Payload&& request) {
  e.state = Exchange::State::waiting;
  const Duration timeout = e.timeout.ns != 0 ? e.timeout : options_.request_timeout;
  world_.timers.arm_timeout(e.wait, timeout);
  const std::uint32_t root = world_.scheduler[e.wait].root;
  const std::uint32_t n = world_.tasks.next_segment(root);
  world_.network.send(connection_, 0, std::move(request), e.call, world_.tasks[root].operation, n);
}

void RpcChannel::transmit(Exchange& e) {
  if (route_ == nullptr) return transmit(e, std::move(e.request));
  transmit(e, e.request.copy(world_.tasks.arena()));  // a route may send it again
}

[[gnu::always_inline]] inline void RpcChannel::remember(Exchange& e) {
  e.call = world_.channels.next_call() << 24 | e.wait;
  in_flight_.push_back(&e);
}

void RpcChannel::begin(Exchange& e) {
  remember(e);
  if (state_ == State::open) return transmit(e);
  begin_to_connect(e);
}

// A plain request, as most are, is set apart from what may be in its way.
void RpcChannel::submit(Exchange& e) {
  e.wait = world_.timers.open(SlotKind::exchange, host_.node(), &e, "reply");
  world_.scheduler[e.wait].argument = static_cast<std::uint32_t>(index_);
  const bool plain = state_ == State::open && route_ == nullptr && world_.tasks.passes_unseen(host_.node(), e.mark);
  if (!plain) [[unlikely]]
    return submit_otherwise(e);
  remember(e);
  transmit(e, std::move(e.request));
}

void RpcChannel::submit_otherwise(Exchange& e) {
  const bool goes_on = e.mark == mark::none ? !world_.tasks.is_stopped(world_.scheduler[e.wait])
                                            : world_.tasks.passes(host_.node(), MarkSide::before, e.mark);
  if (!goes_on) {
    e.state = Exchange::State::held;  // the process stops between the check and the write that it guards
    world_.timers.park(e.wait);
    return;
  }
  begin(e);
}

void RpcChannel::withdraw(Exchange& e) noexcept {
  if (e.state == Exchange::State::waiting || e.state == Exchange::State::connecting) forget(e);
  world_.scheduler.close(e.wait);
  e.wait = 0;
}

void RpcChannel::begin_to_connect(Exchange& e) {
  e.state = Exchange::State::connecting;
  const bool hurried = e.timeout.ns != 0 && e.timeout < options_.connect_timeout;
  world_.timers.arm_timeout(e.wait, hurried ? e.timeout : options_.connect_timeout);
  seek(world_.scheduler[e.wait].root);
}

void RpcChannel::seek(std::uint32_t root) {
  if (state_ != State::closed) return;
  state_ = State::opening;
  if (route_ != nullptr) return route_->wanted(*this);
  connection_ =
      world_.network.open(host_.node(), to_, *this, world_.tasks[root].operation, world_.tasks.next_segment(root));
}

void RpcChannel::open() { seek(world_.tasks.current_root()); }

[[gnu::always_inline]] inline void RpcChannel::resume(Exchange& e, std::uint32_t root) {
  world_.scheduler.close(std::exchange(e.wait, 0));
  world_.tasks.execute(root, e.waiter);
}

// The preemption point after the verb, and then its caller.
void RpcChannel::complete(Exchange& e, Exchange::State how) {
  e.state = how;
  if (world_.lives.are_kept()) world_.lives.go_on(e.wait);
  const std::uint32_t root = world_.scheduler[e.wait].root;
  if (!e.passed && e.mark != mark::none) {
    e.passed = true;
    const bool goes_on =
        world_.tasks.passes_unseen(host_.node(), e.mark) || world_.tasks.passes_seen_for(root, MarkSide::after, e.mark);
    if (!goes_on) {
      world_.scheduler.cancel(e.wait);
      return world_.timers.park(e.wait);
    }
  }
  resume(e, root);
}

void RpcChannel::note_unanswered(const Exchange& e, bool sent) {
  const std::uint32_t root = world_.scheduler[e.wait].root;
  world_.channels.note_unanswered({world_.now(), host_.node(), to_, e.mark, world_.tasks[root].operation.hold, sent});
}

void RpcChannel::fired(Exchange& e) {
  switch (e.state) {
    case Exchange::State::held:
      return begin(e);
    case Exchange::State::connecting:
      forget(e);
      if (seeking() && nobody_waits()) give_up_seeking();
      note_unanswered(e, false);
      return complete(e, Exchange::State::not_connected);
    case Exchange::State::waiting:
      forget(e);
      if (state_ == State::greeting) {
        drop();
      } else if (options_.timeout_breaks_connection || e.breaks) {
        disconnect();
      }
      note_unanswered(e, true);
      return complete(e, Exchange::State::timed_out);
    default:
      return complete(e, e.state);
  }
}

// Takes the body, wanted or not, before anything else goes on: its place on the wire is free already.
// The plain answer to the latest request, as most are, is set apart from all others.
void RpcChannel::on_message(ConnectionId connection, std::uint64_t call, Payload& body) {
  const bool has_latest = connection == connection_ && !in_flight_.empty() && in_flight_.back()->call == call;
  if (!has_latest) return on_other_message(connection, call, body);
  Exchange& e = *in_flight_.back();
  const bool plain = e.state == Exchange::State::waiting && route_ == nullptr && !world_.lives.are_kept() &&
                     world_.tasks.passes_unseen(host_.node(), e.mark);
  if (!plain) [[unlikely]]
    return on_other_message(connection, call, body);
  in_flight_.pop_back();
  e.reply = std::move(body);
  e.state = Exchange::State::replied;
  e.passed = true;
  resume(e, world_.scheduler[e.wait].root);
}

void RpcChannel::on_other_message(ConnectionId connection, std::uint64_t call, Payload& body) {
  if (connection != connection_) return body.reset();
  if (call == 0) {
    pushes_.push(std::move(body));
    if (pushed_ != nullptr) pushed_->notify();
    return;
  }
  const SlotId slot = static_cast<SlotId>(call & 0xffffff);
  if (slot >= world_.scheduler.slot_count()) return body.reset();
  Slot& s = world_.scheduler[slot];
  if (s.kind != SlotKind::exchange) return body.reset();
  auto& e = *static_cast<Exchange*>(s.target);
  if (e.call != call || e.state != Exchange::State::waiting) return body.reset();  // its exchange has ended
  forget(e);
  e.reply = std::move(body);
  if (route_ != nullptr && state_ == State::open) {
    const Route::Reaction reaction = route_->heard(e.reply);
    if (reaction != Route::Reaction::deliver) disconnect();
    if (reaction == Route::Reaction::again) {
      e.reply.reset();
      world_.scheduler.cancel(slot);
      return begin(e);
    }
  }
  if (world_.tasks.is_stopped(world_.scheduler[slot])) {  // the process runs, this one task does not
    e.state = Exchange::State::replied;
    world_.scheduler.cancel(slot);
    return world_.timers.park(slot);
  }
  complete(e, Exchange::State::replied);
}

bool RpcChannel::take_push(Payload& message) {
  if (pushes_.empty()) return false;
  message = pushes_.pop();
  return true;
}

void RpcChannel::on_opened(ConnectionId id) {
  if (id != connection_) return;
  if (route_ != nullptr) {
    state_ = State::greeting;
    return route_->opened(*this);
  }
  admit();
}

void RpcChannel::admit() {
  state_ = State::open;
  ++opened_;
  if (in_flight_.empty() && pushed_ != nullptr) pushed_->notify();  // it was opened without a request
  for (std::size_t i = 0; i < in_flight_.size(); ++i) {
    if (in_flight_[i]->state == Exchange::State::connecting) {
      world_.scheduler.cancel(in_flight_[i]->wait);
      transmit(*in_flight_[i]);
    }
  }
}

void RpcChannel::on_closed(ConnectionId id) {
  if (id != connection_) return;
  connection_ = kNoConnection;
  if (route_ != nullptr && seeking()) return drop();
  state_ = State::closed;
  end_all();
  if (pushed_ != nullptr) pushed_->notify();
}

void RpcChannel::disconnect() {
  if (state_ == State::closed) return;
  if (route_ != nullptr && seeking()) drop();
  state_ = State::closed;
  world_.network.close(std::exchange(connection_, kNoConnection), 0);
  end_all();
}

// --- for routes ------------------------------------------------------------------------------------

void RpcChannel::connect_to(NodeId server) {
  to_ = server;
  connection_ =
      world_.network.open(host_.node(), to_, *this, world_.tasks.current_operation(), world_.tasks.next_segment());
}

void RpcChannel::submit_first(Exchange& e) {
  e.wait = world_.timers.open(SlotKind::exchange, host_.node(), &e, "reply");
  world_.scheduler[e.wait].argument = static_cast<std::uint32_t>(index_);
  remember(e);
  transmit(e);
}

// This connection is gone, or leads to the wrong server; the requests wait on.
void RpcChannel::drop() {
  state_ = State::opening;
  if (connection_ != kNoConnection) world_.network.close(std::exchange(connection_, kNoConnection), 0);
  for (std::size_t i = 0; i < in_flight_.size();) {
    Exchange* const e = in_flight_[i];
    if (e->state == Exchange::State::connecting) {
      ++i;
      continue;
    }
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(i));
    e->state = Exchange::State::disconnected;
    world_.scheduler.cancel(e->wait);
    world_.scheduler.schedule(e->wait, world_.now());
  }
  route_->lost(*this);
}

// Exchanges sent while a connection is sought belong to the route.
bool RpcChannel::nobody_waits() const {
  return std::none_of(in_flight_.begin(), in_flight_.end(),
                      [](const Exchange* e) { return e->state == Exchange::State::connecting; });
}

void RpcChannel::give_up_seeking() {
  if (route_ != nullptr) drop();
  state_ = State::closed;
  if (connection_ != kNoConnection) world_.network.close(std::exchange(connection_, kNoConnection), 0);
}

// Each waiter goes on at this instant by a separate event, because it may destroy the others.
void RpcChannel::end_all() {
  for (Exchange* const e : in_flight_) {
    e->state = e->state == Exchange::State::connecting ? Exchange::State::not_connected : Exchange::State::disconnected;
    world_.scheduler.cancel(e->wait);
    world_.scheduler.schedule(e->wait, world_.now());
  }
  in_flight_.clear();
}

void RpcChannel::forget_earlier(Exchange& e) noexcept {
  const auto found = std::find(in_flight_.begin(), in_flight_.end(), &e);
  if (found != in_flight_.end()) in_flight_.erase(found);
}

}  // namespace picklock
