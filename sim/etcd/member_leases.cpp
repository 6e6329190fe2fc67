// The ends of leases, which the leader's lessor finds and the log brings about.

#include "sim/etcd/member.hpp"

namespace picklock {
namespace {

constexpr Duration kLessorPeriod = milliseconds(500);
constexpr std::size_t kMostRevokedAtOnce = 500, kMostRevoking = 16, kMostCheckpoints = 1000;

}  // namespace

Task<void> EtcdMember::run_lessor(Service service) {
  const Host host = service.host();
  const Duration phase = host.draw_duration(Purpose::start, Law::uniform(Duration{}, kLessorPeriod));
  const MonoTime began = host.monotonic_now() + phase - kLessorPeriod;
  for (;;) {
    if (!state_->lessor().primary() || state_->lessor().size() == 0) {
      co_await leases_to_watch_->wait();
      continue;
    }
    const MonoTime now = host.monotonic_now();
    const MonoTime next = began + kLessorPeriod * ((now - began).ns / kLessorPeriod.ns + 1);
    co_await host.sleep_until(next);
    if (state_->lessor().primary()) look_for_ends();
    pump();
  }
}

void EtcdMember::look_for_ends() {
  const MonoTime now = service_->host().monotonic_now();
  for (const EtcdLeaseId id : state_->lessor().take_expired(now, kMostRevokedAtOnce)) to_revoke_.push_back(id);
  revoke_next();
  if (!setup_.options.checkpoints) return;
  Pending checkpoint;
  checkpoint.errand = Errand::checkpoint;
  EtcdLeaseCheckpoint leases{state_->lessor().take_checkpoints(now, kMostCheckpoints)};
  if (leases.leases.empty()) return;
  checkpoint.request = std::move(leases);
  const bool asks_first = must_confirm(checkpoint);
  const std::uint64_t id = await_answer(std::move(checkpoint));
  if (asks_first) return join_round(id);
  propose(id, 0);
}

void EtcdMember::revoke_next() {
  while (revoking_ < kMostRevoking && !to_revoke_.empty()) {
    Pending pending;
    pending.errand = Errand::revocation;
    pending.request = EtcdLeaseRevoke{to_revoke_.front()};
    to_revoke_.pop_front();
    ++revoking_;
    const bool asks_first = must_confirm(pending);
    const std::uint64_t id = await_answer(std::move(pending));
    if (asks_first) {
      join_round(id);
    } else {
      propose(id, 0);
    }
  }
}

bool EtcdMember::loop_is_alive() const {
  return service_->host().monotonic_now() - last_tick_ <= setup_.options.heartbeat * 3;
}

// server.go, ensureLeadership.
bool EtcdMember::must_confirm(const Pending& pending) const {
  return setup_.options.confirms_leadership && !pending.confirmed && !loop_is_alive();
}

}  // namespace picklock
