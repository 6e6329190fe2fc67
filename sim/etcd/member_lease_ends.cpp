#include "sim/etcd/member_lease_ends.hpp"

#include <utility>

#include "sim/etcd/inspect.hpp"

namespace picklock {
namespace {

constexpr Duration kLessorPeriod = milliseconds(500);
constexpr std::size_t kMostRevokedAtOnce = 500, kMostRevoking = 16, kMostCheckpoints = 1000;

}  // namespace

Task<void> EtcdLeaseEnds::run(Service service) {
  const Host host = service.host();
  const Duration phase = host.draw_duration(Purpose::start, Law::uniform(Duration{}, kLessorPeriod));
  const MonoTime began = host.monotonic_now() + phase - kLessorPeriod;
  for (;;) {
    if (!lessor_.primary() || lessor_.size() == 0) {
      co_await service.wait({.bell = &news_, .messages = false, .what = "leases"});
      continue;
    }
    const MonoTime now = host.monotonic_now();
    const MonoTime next = began + kLessorPeriod * ((now - began).ns / kLessorPeriod.ns + 1);
    co_await host.sleep_until(next);
    if (lessor_.primary()) look();
    raft_.pump();
  }
}

void EtcdLeaseEnds::promote() {
  lessor_.promote(me_.now(), me_.options().election);
  for (const EtcdLeaseId id : lessor_.ids()) {
    me_.record(trace::etcd_lease_renewed, 0, static_cast<std::uint64_t>(id),
               static_cast<std::uint64_t>(*lessor_.ttl_s(id)));
  }
  news_.ring();
}

void EtcdLeaseEnds::demote() {
  lessor_.demote();
  if (me_.options().confirms_leadership) to_revoke_.clear();
}

void EtcdLeaseEnds::look() {
  const MonoTime now = me_.now();
  for (const EtcdLeaseId id : lessor_.take_expired(now, kMostRevokedAtOnce)) to_revoke_.push_back(id);
  revoke_next();
  if (!me_.options().checkpoints) return;
  EtcdLeaseCheckpoint leases{lessor_.take_checkpoints(now, kMostCheckpoints)};
  if (!leases.leases.empty()) begin(checkpoints_, std::move(leases));
}

void EtcdLeaseEnds::revoke_next() {
  while (revocations_.size() < kMostRevoking && !to_revoke_.empty()) {
    const EtcdLeaseId lease = to_revoke_.front();
    to_revoke_.pop_front();
    begin(revocations_, EtcdLeaseRevoke{lease});
  }
}

void EtcdLeaseEnds::begin(std::map<std::uint64_t, EtcdRequest>& calls, EtcdRequest request) {
  const bool asks_first = raft_.must_confirm_leadership();
  const std::uint64_t id = calls_.begin(*this);
  const EtcdRequest& kept = calls.emplace(id, std::move(request)).first->second;
  if (asks_first) return rounds_.join(id);
  proposals_.propose(id, 0, EtcdRequest(kept));
}

void EtcdLeaseEnds::confirmed(std::uint64_t id) {
  if (!leader_.is_self()) return ended(id);
  const auto revocation = revocations_.find(id);
  proposals_.propose(id, 0, EtcdRequest(revocation != revocations_.end() ? revocation->second : checkpoints_.at(id)));
}

void EtcdLeaseEnds::ended(std::uint64_t id) {
  calls_.end(id);
  if (checkpoints_.erase(id) != 0) return;
  revocations_.erase(id);
  revoke_next();
}

}  // namespace picklock
