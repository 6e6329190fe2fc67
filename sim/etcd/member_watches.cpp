#include "sim/etcd/member_watches.hpp"

#include <utility>

namespace picklock {

void EtcdMemberWatches::create(const Message& message, const EtcdWatchCreate& what, bool leader_known) {
  EtcdReply reply = what.require_leader && !leader_known ? EtcdReply::failed(EtcdError::no_leader)
                                                         : hub_.create(state_.store(), message.connection, what);
  replies_.reply(message, std::move(reply));
  deliver();
  if (hub_.unsynced()) behind_.ring();
}

void EtcdMemberWatches::cancel(const Message& message, std::int64_t id) {
  hub_.cancel(message.connection, id);
  replies_.reply(message, {});
}

void EtcdMemberWatches::changed(std::span<const EtcdChange> changes) {
  hub_.notify(state_.store(), changes);
  deliver();
}

void EtcdMemberWatches::restored() {
  hub_.restored();
  behind_.ring();
}

void EtcdMemberWatches::report_progress() {
  hub_.progress(state_.store());
  deliver();
}

void EtcdMemberWatches::lose_leader() {
  hub_.lose_leader(state_.store());
  deliver();
}

// watchable_store.go, syncWatchersLoop: of no concern to Raft's loop, and as little delayed by the disk.
Task<void> EtcdMemberWatches::catch_up(Service service) {
  const Host host = service.host();
  constexpr Duration kEvery = EtcdWatchHub::kCatchUpEvery;
  const Duration phase = host.draw_duration(Purpose::start, Law::uniform(Duration{}, kEvery));
  const MonoTime began = host.monotonic_now() + phase - kEvery;
  for (;;) {
    while (!hub_.unsynced()) {
      co_await service.wait({.bell = &behind_, .messages = false, .what = "watchers"});
    }
    const MonoTime now = host.monotonic_now();
    const MonoTime next = began + kEvery * ((now - began).ns / kEvery.ns + 1);
    co_await host.sleep_until(next);
    hub_.catch_up(state_.store());
    deliver();
  }
}

void EtcdMemberWatches::deliver_all() {
  for (EtcdWatchDelivery& d : hub_.deliveries()) {
    EtcdReply event;
    event.body = std::move(d.reply);
    replies_.push(static_cast<ConnectionId>(d.stream), std::move(event));
  }
  hub_.deliveries().clear();
}

}  // namespace picklock
