#include "sim/etcd/lessor.hpp"

#include <algorithm>

namespace picklock {

EtcdError EtcdLessor::grant(EtcdLeaseId id, std::int64_t ttl_s, MonoTime now) {
  if (id == 0) return EtcdError::lease_not_found;
  if (ttl_s > kMostTtl) return EtcdError::lease_ttl_too_large;
  const auto [it, is_new] = leases_.try_emplace(id);
  if (!is_new) return EtcdError::lease_exists;
  it->second.ttl_s = std::max(ttl_s, options_.least_ttl_s);
  if (primary_) {
    refresh(id, it->second, now, {});
    schedule_checkpoint(id, it->second, now);
  }
  return EtcdError::none;
}

std::optional<std::vector<std::string>> EtcdLessor::revoke(EtcdLeaseId id) {
  const auto found = leases_.find(id);
  if (found == leases_.end()) return std::nullopt;
  Lease& lease = found->second;
  place(ends_, lease.watched, id, std::nullopt);
  place(checkpoints_, lease.checkpoint, id, std::nullopt);
  std::vector<std::string> keys = std::move(lease.keys);
  leases_.erase(found);
  return keys;
}

void EtcdLessor::checkpoint(EtcdLeaseId id, std::int64_t remaining_s, MonoTime now) {
  const auto found = leases_.find(id);
  if (found == leases_.end()) return;
  found->second.remaining_s = remaining_s;
  if (primary_) schedule_checkpoint(id, found->second, now);
}

void EtcdLessor::attach(EtcdLeaseId id, const std::string& key) {
  const auto found = leases_.find(id);
  if (found == leases_.end()) return;
  std::vector<std::string>& keys = found->second.keys;
  const auto place = std::lower_bound(keys.begin(), keys.end(), key);
  if (place == keys.end() || *place != key) keys.insert(place, key);
}

void EtcdLessor::detach(EtcdLeaseId id, const std::string& key) {
  const auto found = leases_.find(id);
  if (found != leases_.end()) std::erase(found->second.keys, key);
}

// --- the leader's memory -----------------------------------------------------------------------------

void EtcdLessor::place(Queue& queue, std::optional<MonoTime>& at, EtcdLeaseId id, std::optional<MonoTime> when) {
  if (at) queue.erase({*at, id});
  at = when;
  if (at) queue.insert({*at, id});
}

void EtcdLessor::refresh(EtcdLeaseId id, Lease& lease, MonoTime now, Duration extend) {
  const std::int64_t left_s = lease.remaining_s > 0 ? lease.remaining_s : lease.ttl_s;
  lease.expiry = now + extend + seconds(left_s);
  place(ends_, lease.watched, id, lease.expiry);
}

void EtcdLessor::schedule_checkpoint(EtcdLeaseId id, Lease& lease, MonoTime now) {
  if (options_.checkpoint_every.ns == 0) return;
  const std::int64_t left_s = lease.remaining_s > 0 ? lease.remaining_s : lease.ttl_s;
  if (seconds(left_s) > options_.checkpoint_every) {
    place(checkpoints_, lease.checkpoint, id, now + options_.checkpoint_every);
  }
}

void EtcdLessor::promote(MonoTime now, Duration extend) {
  primary_ = true;
  for (auto& [id, lease] : leases_) {
    refresh(id, lease, now, extend);
    schedule_checkpoint(id, lease, now);
  }
  if (leases_.size() >= kPiledUp) spread_ends(now, extend);
}

// Ends that fall into one second beyond what can be revoked in it move back, by as much as they are too many.
void EtcdLessor::spread_ends(MonoTime now, Duration extend) {
  const std::vector<std::pair<MonoTime, EtcdLeaseId>> by_end(ends_.begin(), ends_.end());
  Duration window = by_end.front().first - now;
  Duration next_window = window + seconds(1);
  std::int64_t ends = 0;
  for (const auto& [end, id] : by_end) {
    const Duration remaining = end - now;
    if (remaining > next_window) {
      window = remaining;
      next_window = window + seconds(1);
      ends = 1;
      continue;
    }
    if (++ends <= kEndsPerSecond) continue;
    // A lease that ends n seconds into the window needs that much less.
    const Duration delay = Duration{seconds(1).ns * ends / kEndsPerSecond} - (remaining - window);
    next_window = window + delay;
    refresh(id, leases_.at(id), now, delay + extend);
  }
}

void EtcdLessor::demote() {
  primary_ = false;
  ends_.clear();
  checkpoints_.clear();
  for (auto& [id, lease] : leases_) {
    lease.watched.reset();
    lease.checkpoint.reset();
  }
}

EtcdRenewal EtcdLessor::renew(EtcdLeaseId id, MonoTime now) {
  if (!primary_) return EtcdRenewal::not_primary;
  const auto found = leases_.find(id);
  if (found == leases_.end()) return EtcdRenewal::not_found;
  if (found->second.expiry <= now) return EtcdRenewal::expired;
  if (options_.checkpoint_every.ns != 0 && found->second.remaining_s > 0) return EtcdRenewal::checkpointed;
  refresh(id, found->second, now, {});
  return EtcdRenewal::renewed;
}

bool EtcdLessor::refresh(EtcdLeaseId id, MonoTime now) {
  const auto found = leases_.find(id);
  if (found == leases_.end() || !primary_) return false;
  refresh(id, found->second, now, {});
  return true;
}

std::vector<EtcdLeaseId> EtcdLessor::take_expired(MonoTime now, std::size_t most) {
  std::vector<EtcdLeaseId> expired;
  while (!ends_.empty() && ends_.begin()->first <= now && expired.size() < most) {
    const EtcdLeaseId id = ends_.begin()->second;
    Lease& lease = leases_.at(id);
    place(ends_, lease.watched, id, now + options_.expired_retry);
    if (lease.expiry <= now) expired.push_back(id);
  }
  return expired;
}

std::vector<EtcdLeaseCheckpoint::One> EtcdLessor::take_checkpoints(MonoTime now, std::size_t most) {
  std::vector<EtcdLeaseCheckpoint::One> due;
  while (!checkpoints_.empty() && checkpoints_.begin()->first <= now && due.size() < most) {
    const EtcdLeaseId id = checkpoints_.begin()->second;
    Lease& lease = leases_.at(id);
    place(checkpoints_, lease.checkpoint, id, std::nullopt);
    if (lease.expiry <= now) continue;
    const Duration left = lease.expiry - now;
    const std::int64_t left_s = (left.ns + seconds(1).ns - 1) / seconds(1).ns;
    if (left_s < lease.ttl_s) due.push_back({id, left_s});  // otherwise it has barely been granted
  }
  return due;
}

std::optional<MonoTime> EtcdLessor::next_due() const {
  std::optional<MonoTime> next;
  for (const Queue* queue : {&ends_, &checkpoints_}) {
    if (!queue->empty() && (!next || queue->begin()->first < *next)) next = queue->begin()->first;
  }
  return next;
}

// --- what is known -----------------------------------------------------------------------------------

std::optional<std::int64_t> EtcdLessor::ttl_s(EtcdLeaseId id) const {
  const auto found = leases_.find(id);
  return found == leases_.end() ? std::nullopt : std::optional(found->second.ttl_s);
}

std::optional<Duration> EtcdLessor::remaining(EtcdLeaseId id, MonoTime now) const {
  const auto found = leases_.find(id);
  if (found == leases_.end()) return std::nullopt;
  return primary_ ? found->second.expiry - now : kForeverMore;
}

std::vector<std::string> EtcdLessor::keys(EtcdLeaseId id) const {
  const auto found = leases_.find(id);
  if (found == leases_.end()) return {};
  return found->second.keys;
}

std::vector<EtcdLeaseId> EtcdLessor::ids() const {
  std::vector<EtcdLeaseId> all;
  for (const auto& [id, lease] : leases_) all.push_back(id);
  return all;
}

void EtcdLessor::save(Packer& to) const {
  to.number(leases_.size());
  for (const auto& [id, lease] : leases_) {
    to.integer(id), to.integer(lease.ttl_s);
    to.integer(options_.checkpoints_survive_restart ? lease.remaining_s : 0);
  }
}

bool EtcdLessor::load(Unpacker& from) {
  leases_.clear();
  demote();
  for (std::uint64_t n = from.number(); n > 0 && from.good(); --n) {
    const EtcdLeaseId id = from.integer();
    Lease& lease = leases_[id];
    lease.ttl_s = from.integer();
    lease.remaining_s = from.integer();
  }
  return from.good();
}

}  // namespace picklock
