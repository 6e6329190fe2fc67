#include "sim/zookeeper/server_sessions.hpp"

#include <utility>

#include "base/packing.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock {

void ZooServerSessions::lead() {
  tracker_.emplace(context_.setup.options.tick.ms(), context_.now_ms(), tree_);
  for (const auto& [session, entry] : tree_.sessions()) (void)heard_by_leader(session, entry.timeout_ms);
}

void ZooServerSessions::follow() {
  touches_.clear();
  if (context_.setup.flaw != ZooFlaw::follower_expires) return;
  tracker_.emplace(context_.setup.options.tick.ms(), context_.now_ms(), tree_);
}

void ZooServerSessions::clear() {
  touches_.clear();
  tracker_.reset();
}

// --- of every server

bool ZooServerSessions::touch(std::int64_t session, std::int64_t timeout_ms) {
  if (zab_.leads()) {
    return heard_by_leader(session, timeout_ms) || context_.setup.flaw == ZooFlaw::closing_may_create;
  }
  touches_.touch(session, timeout_ms);
  if (tracker_) tracker_->touch(session, timeout_ms, context_.now_ms());
  return true;
}

void ZooServerSessions::attached(std::int64_t session, std::int64_t timeout_ms) {
  if (tracker_ && !zab_.leads()) tracker_->track(session, timeout_ms, context_.now_ms());
}

// Every learner that sees a session begin reports it, not only the one that has its client: a second touch, up to half
// a tick after the first (LearnerSessionTracker.commitSession).
void ZooServerSessions::begun(std::int64_t session, std::int64_t timeout_ms) {
  if (!zab_.leads()) touches_.touch(session, timeout_ms);
}

void ZooServerSessions::ended(std::int64_t session) {
  if (tracker_) tracker_->remove(session);
}

// --- of a leader

void ZooServerSessions::begin(std::int64_t session, std::int64_t timeout_ms, ZooOwner owner) {
  tracker_->track(session, timeout_ms, context_.now_ms());
  tracker_->set_owner(session, owner);
  context_.judge.touched(session, zab_.epoch(), timeout_ms, context_.now_ms());
}

void ZooServerSessions::begin_closing(std::int64_t session) {
  if (context_.setup.flaw != ZooFlaw::closing_may_create) tracker_->set_closing(session);
}

std::int64_t ZooServerSessions::reattach(ZooOwner owner, std::int64_t session, std::int64_t timeout_ms) {
  if (timeout_ms == 0) {
    const ZooSessionEntry* const entry = tree_.find_session(session);
    if (entry == nullptr) return 0;
    timeout_ms = entry->timeout_ms;
  }
  if (!tracker_->touch(session, timeout_ms, context_.now_ms())) return 0;
  tracker_->set_owner(session, owner);
  (void)heard_by_leader(session, timeout_ms);
  return timeout_ms;
}

bool ZooServerSessions::heard_by_leader(std::int64_t session, std::int64_t timeout_ms) {
  const ZabMs now = context_.now_ms();
  if (!tracker_->touch(session, timeout_ms, now)) return false;
  context_.judge.touched(session, zab_.epoch(), timeout_ms, now);
  context_.record(trace::zoo_session_touched, 0, static_cast<std::uint64_t>(session),
                  static_cast<std::uint64_t>(timeout_ms));
  return true;
}

void ZooServerSessions::hear_touches(std::string_view body) {
  if (!tracker_ || !zab_.leads()) return;
  Unpacker u(body);
  while (u.good() && !u.rest().empty()) {
    const auto session = static_cast<std::int64_t>(u.word());
    const std::int64_t timeout = u.integer();
    if (u.good()) (void)heard_by_leader(session, timeout);
  }
}

// --- of a learner

std::string ZooServerSessions::touches() {
  if (touches_.empty()) return {};
  std::vector<std::pair<std::int64_t, std::int64_t>> sessions;
  touches_.take(sessions);
  std::string body;
  Packer p(body);
  for (const auto& [session, timeout] : sessions) {
    p.word(static_cast<std::uint64_t>(session));
    p.integer(timeout);
  }
  p.finish();
  return body;
}

// --- by the clock

ZabMs ZooServerSessions::due() const {
  return tracker_ && tracker_->size() != 0 ? tracker_->next_look_ms() : kZabNever;
}

std::vector<std::int64_t> ZooServerSessions::expire(ZabMs now) {
  std::vector<std::int64_t> sessions = tracker_->expire(now);
  for (const std::int64_t session : sessions) context_.judge.expired(session, zab_.epoch(), now);
  return sessions;
}

}  // namespace picklock
