#include "sim/etcd/lone_member_lab.hpp"

namespace picklock::testing {

void LoneEtcdMember::begin() {
  state = EtcdState();
  hub.clear();
  waiting_.clear();
  log.clear();
  refusals.clear();
  last_lease_ = 1000;
}

void LoneEtcdMember::boot(World& world, NodeId node) {
  hub.clear();
  waiting_.clear();
  const Service service(world, node);
  if (loopback != nullptr) locks_ = std::make_unique<EtcdLockService>(service, *loopback, lock_options);
  state.lessor().promote(world.tasks.monotonic_now(node), seconds(1));
  world.tasks.start(node, "main", serve(service, this));
  world.tasks.start(node, "leases", expire(service, this));
  world.tasks.start(node, "watches", catch_up(service, this));
}

EtcdReply LoneEtcdMember::run(World& world, NodeId node, const EtcdRequest& request) {
  const Service service(world, node);
  return apply(service, request, 0);
}

Task<void> LoneEtcdMember::serve(Service service, LoneEtcdMember* self) {
  for (;;) {
    Message message = co_await service.receive();
    if (message.kind != SegmentKind::data) {
      self->hub.close(message.connection);
      if (self->locks_) self->locks_->closed(message.connection);
      continue;
    }
    auto* const asked = message.body.get<EtcdTimedRequest>();
    if (asked == nullptr) continue;
    EtcdRequest request = std::move(asked->request);
    self->handle(service, std::move(message), std::move(request));
  }
}

Task<void> LoneEtcdMember::expire(Service service, LoneEtcdMember* self) {
  for (;;) {
    co_await service.host().sleep(milliseconds(500));
    for (const EtcdLeaseId id : self->state.lessor().take_expired(service.host().monotonic_now(), 500)) {
      (void)self->apply(service, EtcdLeaseRevoke{id}, 0);
    }
  }
}

Task<void> LoneEtcdMember::catch_up(Service service, LoneEtcdMember* self) {
  for (;;) {
    co_await service.host().sleep(EtcdWatchHub::kCatchUpEvery);
    self->hub.catch_up(self->state.store());
    self->send_deliveries(service);
  }
}

void LoneEtcdMember::handle(const Service& service, Message message, EtcdRequest request) {
  if (std::holds_alternative<EtcdLeaseStream>(request)) return;  // ends with its connection
  if (std::holds_alternative<EtcdPing>(request)) return reply(service, message, {});
  log.push_back(to_string(request));
  if (locks_ && locks_->handle(message, request)) return;
  if (auto* grant = std::get_if<EtcdLeaseGrant>(&request); grant != nullptr && grant->id == 0) {
    grant->id = ++last_lease_;
  }
  if (!refusals.empty() && refusals.front().kind == request.index()) {
    const Refusal refusal = refusals.front();
    refusals.pop_front();
    if (refusal.takes_effect) (void)apply(service, request, message.operation.hold);
    return reply(service, message, EtcdReply::failed(refusal.error));
  }
  if (const auto* renew = std::get_if<EtcdLeaseRenew>(&request)) {
    return answer_renewal(service, std::move(message), renew->id);
  }
  EtcdReply answer;
  if (const auto* watch = std::get_if<EtcdWatchCreate>(&request)) {
    answer = hub.create(state.store(), message.connection, *watch);
  } else if (const auto* cancel = std::get_if<EtcdWatchCancel>(&request)) {
    (void)hub.cancel(message.connection, cancel->id);
  } else if (const auto* query = std::get_if<EtcdLeaseQuery>(&request)) {
    const auto left = state.lessor().remaining(query->id, service.host().monotonic_now());
    answer.body = EtcdLeaseReply{{},
                                 query->id,
                                 left ? left->ns / seconds(1).ns : -1,
                                 state.lessor().ttl_s(query->id).value_or(0),
                                 state.lessor().keys(query->id)};
  } else if (goes_through_log(request)) {
    answer = apply(service, request, message.operation.hold);
  } else {
    answer = state.read(request);
  }
  reply(service, message, std::move(answer));
}

void LoneEtcdMember::answer_renewal(const Service& service, Message message, EtcdLeaseId id) {
  const EtcdRenewal how = state.lessor().renew(id, service.host().monotonic_now());
  if (how == EtcdRenewal::expired) {
    waiting_.emplace_back(std::move(message), id);
    return;
  }
  const std::int64_t ttl_s = how == EtcdRenewal::renewed ? *state.lessor().ttl_s(id) : 0;
  reply(service, message, {EtcdError::none, EtcdLeaseReply{{}, id, ttl_s, 0, {}}});
}

EtcdReply LoneEtcdMember::apply(const Service& service, const EtcdRequest& request, std::uint32_t hold) {
  const EtcdApplied done = state.apply(request, service.host().monotonic_now());
  record_etcd_changes(service.world(), service.node(), hold, done.changes);
  hub.notify(state.store(), done.changes);
  send_deliveries(service);
  if (const auto* revoke = std::get_if<EtcdLeaseRevoke>(&request)) {
    for (auto& [message, id] : waiting_) {
      if (id == revoke->id) reply(service, message, {EtcdError::none, EtcdLeaseReply{{}, id, 0, 0, {}}});
    }
    std::erase_if(waiting_, [&](const auto& w) { return w.second == revoke->id; });
  }
  return done.reply;
}

void LoneEtcdMember::send_deliveries(const Service& service) {
  for (EtcdWatchDelivery& d : hub.deliveries()) {
    service.push(static_cast<ConnectionId>(d.stream),
                 Payload::of(service.world().tasks.arena(), EtcdReply{EtcdError::none, std::move(d.reply)}));
  }
  hub.deliveries().clear();
}

void LoneEtcdMember::reply(const Service& service, const Message& message, EtcdReply answer) {
  if (answer.error == EtcdError::none) answer.header().revision = state.store().revision();
  service.reply(message, Payload::of(service.world().tasks.arena(), std::move(answer)));
}
}  // namespace picklock::testing
