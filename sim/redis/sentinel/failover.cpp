// Electing a leader, and what the leader does.
#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "sim/redis/sentinel/periods.hpp"
#include "sim/redis/sentinel/sentinel.hpp"

namespace picklock {

namespace period = sentinel_period;

bool Sentinel::start_if_needed() {
  if (!odown_ || failover_.is_on()) return false;
  if (failover_.since_start(now_) < 2 * options_.failover_timeout.ms()) return false;
  raise_epoch(epoch() + 1);
  announce(SentinelEvent::try_failover, group_.master());
  failover_.begin(epoch(), now_, dice_.below(period::desynchronisation));
  return true;
}

// Takes one stage a tick.
void Sentinel::step_failover() {
  switch (failover_.stage()) {
    case Stage::none:
      return;
    case Stage::wait_start:
      return wait_start();
    case Stage::select:
      return select();
    case Stage::send_promotion:
      return send_promotion();
    case Stage::wait_promotion:  // INFO will tell
      if (failover_.in_stage_for(now_) <= options_.failover_timeout.ms()) return;
      announce(SentinelEvent::promotion_timeout, group_.master());
      return abort_failover();
    case Stage::repoint:
      return repoint_next();
    case Stage::update:
      return;
  }
}

void Sentinel::abort_failover() {
  failover_.enter(Stage::none, now_);
  if (SentinelInstance* const p = group_.promoted()) p->failover.promoted = false;
}

// --- the election ------------------------------------------------------------------------------------

// Gives at most one vote an epoch, on disk before any other process hears of it.
void Sentinel::vote(SentinelEpoch of, std::string_view candidate) {
  if (of > epoch()) raise_epoch(of);
  const bool again = flaw_ == SentinelFlaw::votes_twice && ballot_.voted_in() == of && candidate != ballot_.voted_for();
  if (!ballot_.can_vote_in(of) && (!again || epoch() > of)) return;
  PICKLOCK_CHECK(flaw_ != SentinelFlaw::none || ballot_.voted_in() < epoch());
  ballot_.vote_for(candidate);
  persist();
  announce(SentinelEvent::vote, ballot_.voted_for() + ' ' + std::to_string(ballot_.voted_in()));
  if (candidate != name_) failover_.postpone(now_, dice_.below(period::desynchronisation));
}

// The winner of this epoch, as far as this sentinel has heard; empty: none.  Casts its own vote first.
std::string Sentinel::leader(SentinelEpoch epoch) {
  const auto votes_for = [this](std::string_view candidate) { return group_.votes_for(candidate, ballot_.epoch()); };
  std::string winner;
  std::int64_t most = 0;
  for (const SentinelInstance& s : group_.sentinels()) {
    if (s.opinion.vote.empty() || s.opinion.vote_epoch != ballot_.epoch()) continue;
    if (const std::int64_t votes = votes_for(s.opinion.vote); votes > most) {
      most = votes;
      winner = s.opinion.vote;
    }
  }
  vote(epoch, winner.empty() ? std::string_view(name_) : winner);
  if (!ballot_.voted_for().empty() && ballot_.voted_in() == epoch) {
    if (const std::int64_t votes = votes_for(ballot_.voted_for()) + 1; votes > most) {
      most = votes;
      winner = ballot_.voted_for();
    }
  }
  const auto known = static_cast<std::int64_t>(group_.sentinels().size()) + 1;
  const bool majority = most >= known / 2 + 1 || flaw_ == SentinelFlaw::needs_no_majority;
  return majority && most >= options_.quorum ? winner : std::string();
}

void Sentinel::wait_start() {
  if (leader(failover_.epoch()) != name_) {
    if (failover_.since_start(now_) <= std::min(period::election, options_.failover_timeout.ms())) return;
    announce(SentinelEvent::not_elected, group_.master());
    return abort_failover();
  }
  ballot_.lead_in(failover_.epoch());
  announce(SentinelEvent::elected, std::to_string(failover_.epoch()));
  failover_.enter(Stage::select, now_);
}

// --- the promotion -----------------------------------------------------------------------------------

void Sentinel::select() {
  SentinelInstance* const chosen = group_.best_replica(now_, options_.down_after.ms());
  if (chosen == nullptr) {
    announce(SentinelEvent::no_good_replica, group_.master());
    return abort_failover();
  }
  announce(SentinelEvent::selected, *chosen);
  chosen->failover.promoted = true;
  failover_.enter(Stage::send_promotion, now_);
}

void Sentinel::send_promotion() {
  SentinelInstance* const p = group_.promoted();
  if (p == nullptr || !p->traffic.connected) {
    if (failover_.in_stage_for(now_) <= options_.failover_timeout.ms()) return;
    announce(SentinelEvent::promotion_timeout, group_.master());
    return abort_failover();
  }
  send_replicaof(*p, {});
  failover_.enter(Stage::wait_promotion, now_);
}

// One transaction does it, so that no client meets a server whose role has changed under its connection.
void Sentinel::send_replicaof(SentinelInstance& i, std::string_view master) {
  send(i, SentinelAsk::other, RedisCommand("MULTI"));
  send(i, SentinelAsk::other,
       master.empty() ? RedisCommand("SLAVEOF", "NO", "ONE") : RedisCommand("SLAVEOF", master, "6379"));
  send(i, SentinelAsk::other, RedisCommand("CONFIG", "REWRITE"));
  send(i, SentinelAsk::other, RedisCommand("CLIENT", "KILL", "TYPE", "normal"));
  send(i, SentinelAsk::other, RedisCommand("CLIENT", "KILL", "TYPE", "pubsub"));
  send(i, SentinelAsk::other, RedisCommand("EXEC"));
}

// --- afterwards --------------------------------------------------------------------------------------

void Sentinel::repoint_next() {
  const SentinelInstance* const p = group_.promoted();
  auto busy = std::count_if(group_.replicas().begin(), group_.replicas().end(), [](const SentinelInstance& r) {
    return r.failover.repointing == Repointing::sent || r.failover.repointing == Repointing::in_progress;
  });
  for (SentinelInstance& r : group_.replicas()) {
    if (busy >= options_.parallel_syncs || p == nullptr) break;
    if (r.failover.promoted) continue;
    if (r.failover.repointing == Repointing::sent && now_ - r.failover.repointed_at > period::repointing)
      r.failover.repointing = Repointing::done;
    if (r.failover.repointing != Repointing::none || !r.traffic.connected) continue;
    send_replicaof(r, p->name);
    r.failover.repointing = Repointing::sent;
    r.failover.repointed_at = now_;
    announce(SentinelEvent::repointed, r);
    ++busy;
  }
  detect_end();
}

void Sentinel::detect_end() {
  const SentinelInstance* const p = group_.promoted();
  if (p == nullptr || p->down) return;
  const bool all = std::all_of(group_.replicas().begin(), group_.replicas().end(), [](const SentinelInstance& r) {
    return r.failover.promoted || r.down || r.failover.repointing == Repointing::done;
  });
  const bool timeout = failover_.in_stage_for(now_) > options_.failover_timeout.ms();
  if (!all && !timeout) return;
  announce(SentinelEvent::failover_end, group_.master());
  failover_.enter(Stage::update, now_);
  if (!timeout) return;
  for (SentinelInstance& r : group_.replicas()) {
    if (!r.failover.promoted && r.failover.repointing == Repointing::none && r.traffic.connected)
      send_replicaof(r, p->name);
  }
}

void Sentinel::switch_to(std::string master) {
  SentinelInstance& old = group_.master();
  announce(SentinelEvent::switch_master, group_name_ + ' ' + old.name + " 6379 " + master + " 6379");
  for (SentinelInstance& r : group_.replicas()) {
    close_commands(r);
    close_pubsub(r);
  }
  close_commands(old);
  close_pubsub(old);
  group_.switch_to(std::move(master), now_);
  odown_ = false;
  failover_.forget();
  persist();
}

}  // namespace picklock
