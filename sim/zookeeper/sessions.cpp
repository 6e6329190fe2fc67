#include "sim/zookeeper/sessions.hpp"

#include <algorithm>

namespace picklock {

std::int64_t zoo_negotiated_timeout_ms(std::int64_t asked_ms, std::int64_t tick_ms) {
  return std::clamp(asked_ms, 2 * tick_ms, 20 * tick_ms);
}

ZooSessionTracker::ZooSessionTracker(std::int64_t tick_ms, std::int64_t now_ms, const ZooTree& tree)
    : tick_ms_(tick_ms), next_look_ms_(round_up(now_ms)) {
  for (const auto& [session, entry] : tree.sessions()) track(session, entry.timeout_ms, now_ms);
}

void ZooSessionTracker::put(std::int64_t id, Session& s, std::int64_t bucket) {
  if (s.bucket == bucket) return;
  const auto old = buckets_.find(s.bucket);
  if (old != buckets_.end()) {
    old->second.erase(id);
    if (old->second.empty()) buckets_.erase(old);
  }
  s.bucket = bucket;
  buckets_[bucket].insert(id);
}

void ZooSessionTracker::track(std::int64_t session, std::int64_t timeout_ms, std::int64_t now_ms) {
  Session& s = sessions_[session];
  if (!s.closing) put(session, s, round_up(now_ms + timeout_ms));
}

bool ZooSessionTracker::touch(std::int64_t session, std::int64_t timeout_ms, std::int64_t now_ms) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end() || found->second.closing) return false;
  put(session, found->second, round_up(now_ms + timeout_ms));
  return true;
}

void ZooSessionTracker::set_closing(std::int64_t session) {
  const auto found = sessions_.find(session);
  if (found != sessions_.end()) found->second.closing = true;
}

void ZooSessionTracker::remove(std::int64_t session) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  const auto bucket = buckets_.find(found->second.bucket);
  if (bucket != buckets_.end()) {
    bucket->second.erase(session);
    if (bucket->second.empty()) buckets_.erase(bucket);
  }
  sessions_.erase(found);
}

void ZooSessionTracker::set_owner(std::int64_t session, std::uint64_t owner) {
  const auto found = sessions_.find(session);
  if (found != sessions_.end() && !found->second.closing) found->second.owner = owner;
}

ZooCode ZooSessionTracker::check(std::int64_t session, std::uint64_t owner) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end() || found->second.closing) return ZooCode::session_expired;
  if (!found->second.owner) found->second.owner = owner;
  return *found->second.owner == owner ? ZooCode::ok : ZooCode::session_moved;
}

std::vector<std::int64_t> ZooSessionTracker::expire(std::int64_t now_ms) {
  if (now_ms < next_look_ms_) return {};
  const std::int64_t bucket = next_look_ms_;
  next_look_ms_ += tick_ms_;
  const auto found = buckets_.find(bucket);
  if (found == buckets_.end()) return {};
  std::vector<std::int64_t> expired;
  for (const std::int64_t session : found->second) {
    if (!std::exchange(sessions_[session].closing, true)) expired.push_back(session);
  }
  buckets_.erase(found);
  return expired;
}

std::optional<std::int64_t> ZooSessionTracker::expiry_ms(std::int64_t session) const {
  const auto found = sessions_.find(session);
  if (found == sessions_.end() || found->second.closing) return std::nullopt;
  return found->second.bucket;
}

bool ZooSessionTracker::closing(std::int64_t session) const {
  const auto found = sessions_.find(session);
  return found != sessions_.end() && found->second.closing;
}

void ZooTouchTable::touch(std::int64_t session, std::int64_t timeout_ms) {
  const auto at = std::lower_bound(touched_.begin(), touched_.end(), session,
                                   [](const auto& entry, std::int64_t s) { return entry.first < s; });
  if (at != touched_.end() && at->first == session) {
    at->second = timeout_ms;
  } else {
    touched_.insert(at, {session, timeout_ms});
  }
}

void ZooTouchTable::take(std::vector<std::pair<std::int64_t, std::int64_t>>& to) {
  to.clear();
  std::swap(to, touched_);
}

}  // namespace picklock
