#include "sim/etcd/member_process.hpp"

#include <utility>

#include "sim/etcd/inspect.hpp"

namespace picklock {
namespace {

constexpr std::uint32_t kMostLeaderless = 3;  // looks, an election timeout apart

}  // namespace

EtcdMemberProcess::EtcdMemberProcess(const EtcdMemberContext& me, EtcdMemberRun& run)
    : me_(me),
      run_(run),
      calls_(me_),
      raft_(me_, *this, leader_, run.ticks),
      applier_(me_),
      replies_(me_, raft_.raft(), applier_.state()),
      proposals_(me_, raft_, leader_, calls_),
      rounds_(me_, raft_, calls_),
      requests_(me_, applier_.state(), leader_, replies_, calls_, proposals_, rounds_),
      renewals_(me_, {raft_, applier_, leader_, replies_, calls_, proposals_, rounds_, streams_}),
      streams_(replies_, leader_, calls_, renewals_),
      lease_ends_(me_, applier_.state().lessor(), raft_, leader_, calls_, proposals_, rounds_),
      watches_(applier_.state(), replies_) {}

void EtcdMemberProcess::start() {
  const Service& service = me_.service;
  const auto begin = [&](const char* name, Task<void> task) {
    me_.world().tasks.start(service.node(), name, std::move(task));
  };
  begin("raft", raft_.run(service));
  begin("main", serve(service));
  begin("lessor", lease_ends_.run(service));
  begin("requests", calls_.expire(service));
  begin("leases", renewals_.retry(service));
  begin("watches", watches_.catch_up(service));
  begin("streams", monitor_leader(service));
  if (me_.options().initial_election_tick_advance) begin("ticks", raft_.advance_ticks(service));
}

// --- what arrives

Task<void> EtcdMemberProcess::serve(Service service) {
  Inbox inbox(service);
  for (;;) {
    Message message = co_await inbox.receive();
    if (message.direction == 1) {
      const RaftId peer = raft_.link_changed(message);
      if (peer != 0 && message.kind != SegmentKind::opened) renewals_.link_lost(peer);
    } else if (message.kind != SegmentKind::data) {
      drop(message.connection);
    } else if (message.call == 0) {
      hear_peer(message);
    } else {
      co_await service.compute();
      hear_client(message);
    }
    raft_.pump();
  }
}

void EtcdMemberProcess::hear_peer(Message& message) {
  if (auto* const raft = message.body.get<RaftMessage>()) return raft_.hear(std::move(*raft));
  if (auto* const asked = message.body.get<EtcdForwarded>()) {
    return renewals_.hear_forwarded(std::move(*asked), message.operation);
  }
  if (auto* const reply = message.body.get<EtcdForwardedReply>()) renewals_.hear_forwarded(std::move(*reply));
}

void EtcdMemberProcess::hear_client(Message& message) {
  auto* const asked = message.body.get<EtcdTimedRequest>();
  if (asked == nullptr) return replies_.reply(message, EtcdReply::failed(EtcdError::malformed));
  EtcdRequest request = std::move(asked->request);
  const Duration left = asked->left;
  message.body.reset();
  if (std::holds_alternative<EtcdPing>(request)) return replies_.reply(message, {});
  if (const auto* watch = std::get_if<EtcdWatchCreate>(&request)) {
    return watches_.create(message, *watch, leader_.known());
  }
  if (const auto* gone = std::get_if<EtcdWatchCancel>(&request)) return watches_.cancel(message, gone->id);
  if (std::holds_alternative<EtcdLockCall>(request) || std::holds_alternative<EtcdUnlockCall>(request)) {
    lock_service().handle(message, request);
    return;
  }
  if (const auto* stream = std::get_if<EtcdLeaseStream>(&request)) {
    return streams_.open(std::move(message), stream->require_leader);
  }
  const auto* renew = std::get_if<EtcdLeaseRenew>(&request);
  if (renew != nullptr && renew->streamed) return streams_.hear(std::move(message), renew->id);
  if (renew != nullptr || std::holds_alternative<EtcdLeaseQuery>(request)) {
    return renewals_.begin(std::move(message), std::move(request), left, 0);
  }
  requests_.hear(std::move(message), std::move(request), left);
}

// The connection has ended, and with it the context of every call on it.
void EtcdMemberProcess::drop(ConnectionId connection) {
  watches_.drop(connection);
  streams_.drop(connection);
  requests_.drop(connection);
  renewals_.drop(connection);
  if (locks_) locks_->closed(connection);
}

EtcdLockService& EtcdMemberProcess::lock_service() {
  const NodeId node = me_.service.node();
  if (run_.loopback == nullptr) run_.loopback = &me_.world().channels.open(node, node, etcd_channel({}));
  if (!locks_) {
    locks_.emplace(me_.service, *run_.loopback, EtcdLockServiceOptions{me_.options().rechecks_locks});
  }
  return *locks_;
}

// --- what Raft's loop has

void EtcdMemberProcess::load(const RaftSnapshot& snapshot) {
  applier_.load(snapshot);
  watches_.restored();
}

void EtcdMemberProcess::notice_leader() {
  const Raft& raft = raft_.raft();
  const EtcdLeaderView::Change change = leader_.look(raft, me_.now());
  if (change.deposed) {
    lease_ends_.demote();
    me_.record(trace::etcd_role, 0, change.former_term);
    renewals_.deposed();
  }
  if (change.elected) {
    me_.record(trace::etcd_role, 1, leader_.led_term());
    if (me_.invariants() != nullptr) me_.invariants()->leads(me_.self, leader_.led_term(), raft.log());
  }
  if (!change.other) return;
  if (!leader_.known()) return leader_.lost().ring();
  rounds_.leader_changed();
}

void EtcdMemberProcess::apply(const RaftEntry& entry) {
  EtcdApplier::Done done;
  if (!applier_.apply(entry, raft_.raft().term(), done)) {
    if (leader_.is_self() && entry.term == leader_.led_term()) lease_ends_.promote();
    return;
  }
  if (done.counts_down) lease_ends_.granted();
  watches_.changed(done.changes);
  if (const auto* revoked = std::get_if<EtcdLeaseRevoke>(&done.entry->request)) renewals_.revoked(revoked->id);
  if (done.entry->origin != me_.self) return;
  replies_.add_header(done.reply);
  calls_.apply(done.entry->id, std::move(done.reply));
}

void EtcdMemberProcess::before_sending() {
  rounds_.applied(applier_.applied());
  proposals_.retry();
}

void EtcdMemberProcess::ticked(std::uint32_t n, MonoTime now) {
  const auto progress = static_cast<std::uint32_t>(EtcdWatchHub::kProgressEvery.ns / me_.options().heartbeat.ns);
  if (n % progress == 0) watches_.report_progress();
  rounds_.ticked(now);
}

// --- streams that require a leader

// interceptor.go, monitorLeader: it looks every election timeout since the boot, and knows what Raft's loop knows.
Task<void> EtcdMemberProcess::monitor_leader(Service service) {
  const Host host = service.host();
  const Duration every = me_.options().election;
  const MonoTime booted = host.monotonic_now();
  std::uint32_t leaderless = 0;
  for (;;) {
    if (leader_.known()) {
      leaderless = 0;
      co_await service.wait({.bell = &leader_.lost(), .messages = false, .what = "the loss of a leader"});
    }
    const MonoTime now = host.monotonic_now();
    const MonoTime next = booted + every * ((now - booted).ns / every.ns + 1);
    co_await host.sleep_until(next);
    if (leader_.known() || ++leaderless < kMostLeaderless) continue;
    watches_.lose_leader();
    streams_.lose_leader();
  }
}

}  // namespace picklock
