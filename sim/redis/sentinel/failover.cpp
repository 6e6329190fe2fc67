// Electing a leader, and what the leader does.
#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "sim/redis/sentinel/periods.hpp"
#include "sim/redis/sentinel/sentinel.hpp"

namespace picklock {

namespace period = sentinel_period;

bool Sentinel::start_if_needed() {
  if (!odown_ || stage_ != Stage::none) return false;
  if (now_ - failover_start_ < 2 * options_.failover_timeout.ms()) return false;
  stage_ = Stage::wait_start;
  raise_epoch(epoch_ + 1);
  failover_epoch_ = epoch_;
  announce(SentinelEvent::try_failover, master_);
  failover_start_ = now_ + dice_.below(period::desynchronisation);
  stage_since_ = now_;
  return true;
}

// One stage a tick.
void Sentinel::step_failover() {
  switch (stage_) {
    case Stage::none:
      return;
    case Stage::wait_start:
      return wait_start();
    case Stage::select:
      return select();
    case Stage::send_promotion:
      return send_promotion();
    case Stage::wait_promotion:  // INFO will tell
      if (now_ - stage_since_ <= options_.failover_timeout.ms()) return;
      announce(SentinelEvent::promotion_timeout, master_);
      return abort_failover();
    case Stage::repoint:
      return repoint_next();
    case Stage::update:
      return;
  }
}

void Sentinel::abort_failover() {
  stage_ = Stage::none;
  stage_since_ = now_;
  if (SentinelInstance* const p = promoted()) p->promoted = false;
}

// --- the election ------------------------------------------------------------------------------------

// At most one vote an epoch, on disk before anybody hears of it.
void Sentinel::vote(SentinelEpoch epoch, std::string_view candidate) {
  if (epoch > epoch_) raise_epoch(epoch);
  const bool again = flaw_ == SentinelFlaw::votes_twice && voted_in_ == epoch && candidate != voted_for_;
  if ((voted_in_ >= epoch && !again) || epoch_ > epoch) return;
  PICKLOCK_CHECK(flaw_ != SentinelFlaw::none || voted_in_ < epoch_);
  voted_for_ = candidate;
  voted_in_ = epoch_;
  persist();
  announce(SentinelEvent::vote, voted_for_ + ' ' + std::to_string(voted_in_));
  if (voted_for_ != name_) failover_start_ = now_ + dice_.below(period::desynchronisation);
}

// Who has won this epoch, as far as I have heard; empty: nobody.  Casts my own vote first.
std::string Sentinel::leader(SentinelEpoch epoch) {
  const auto votes_for = [&](std::string_view candidate) {
    return std::count_if(sentinels_.begin(), sentinels_.end(),
                         [&](const SentinelInstance& s) { return s.vote == candidate && s.vote_epoch == epoch_; });
  };
  std::string winner;
  std::int64_t most = 0;
  for (const SentinelInstance& s : sentinels_) {
    if (s.vote.empty() || s.vote_epoch != epoch_) continue;
    if (const std::int64_t votes = votes_for(s.vote); votes > most) {
      most = votes;
      winner = s.vote;
    }
  }
  vote(epoch, winner.empty() ? std::string_view(name_) : winner);
  if (!voted_for_.empty() && voted_in_ == epoch) {
    if (const std::int64_t votes = votes_for(voted_for_) + 1; votes > most) {
      most = votes;
      winner = voted_for_;
    }
  }
  const auto known = static_cast<std::int64_t>(sentinels_.size()) + 1;
  const bool majority = most >= known / 2 + 1 || flaw_ == SentinelFlaw::needs_no_majority;
  return majority && most >= options_.quorum ? winner : std::string();
}

void Sentinel::wait_start() {
  if (leader(failover_epoch_) != name_) {
    if (now_ - failover_start_ <= std::min(period::election, options_.failover_timeout.ms())) return;
    announce(SentinelEvent::not_elected, master_);
    return abort_failover();
  }
  leads_in_ = failover_epoch_;
  announce(SentinelEvent::elected, std::to_string(failover_epoch_));
  stage_ = Stage::select;
  stage_since_ = now_;
}

// --- the promotion -----------------------------------------------------------------------------------

SentinelInstance* Sentinel::best_replica() {
  const std::int64_t longest_cut = (master_.down ? now_ - master_.down_since : 0) + 10 * options_.down_after.ms();
  const std::int64_t info_valid = master_.down ? period::opinion_valid : 3 * period::info;
  SentinelInstance* best = nullptr;
  for (SentinelInstance& r : replicas_) {
    if (r.down || !r.connected || now_ - r.last_available > 5 * period::ping || r.priority == 0) continue;
    if (now_ - r.info_at > info_valid || r.link_down > longest_cut) continue;
    const auto rank = [](const SentinelInstance& i) {
      return std::make_tuple(i.priority, -i.offset, i.run_id.empty(), std::string_view(i.run_id));
    };
    if (best == nullptr || rank(r) < rank(*best)) best = &r;
  }
  return best;
}

void Sentinel::select() {
  SentinelInstance* const chosen = best_replica();
  if (chosen == nullptr) {
    announce(SentinelEvent::no_good_replica, master_);
    return abort_failover();
  }
  announce(SentinelEvent::selected, *chosen);
  chosen->promoted = true;
  stage_ = Stage::send_promotion;
  stage_since_ = now_;
}

void Sentinel::send_promotion() {
  SentinelInstance* const p = promoted();
  if (p == nullptr || !p->connected) {
    if (now_ - stage_since_ <= options_.failover_timeout.ms()) return;
    announce(SentinelEvent::promotion_timeout, master_);
    return abort_failover();
  }
  send_replicaof(*p, {});
  stage_ = Stage::wait_promotion;
  stage_since_ = now_;
}

// In one transaction, so that nobody meets a server whose role has changed under its connection.
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
  const SentinelInstance* const p = promoted();
  auto busy = std::count_if(replicas_.begin(), replicas_.end(), [](const SentinelInstance& r) {
    return r.repointing == Repointing::sent || r.repointing == Repointing::in_progress;
  });
  for (SentinelInstance& r : replicas_) {
    if (busy >= options_.parallel_syncs || p == nullptr) break;
    if (r.promoted) continue;
    if (r.repointing == Repointing::sent && now_ - r.repointed_at > period::repointing) r.repointing = Repointing::done;
    if (r.repointing != Repointing::none || !r.connected) continue;
    send_replicaof(r, p->name);
    r.repointing = Repointing::sent;
    r.repointed_at = now_;
    announce(SentinelEvent::repointed, r);
    ++busy;
  }
  detect_end();
}

void Sentinel::detect_end() {
  const SentinelInstance* const p = promoted();
  if (p == nullptr || p->down) return;
  const bool all = std::all_of(replicas_.begin(), replicas_.end(), [](const SentinelInstance& r) {
    return r.promoted || r.down || r.repointing == Repointing::done;
  });
  const bool timeout = now_ - stage_since_ > options_.failover_timeout.ms();
  if (!all && !timeout) return;
  announce(SentinelEvent::failover_end, master_);
  stage_ = Stage::update;
  stage_since_ = now_;
  if (!timeout) return;
  for (SentinelInstance& r : replicas_) {
    if (!r.promoted && r.repointing == Repointing::none && r.connected) send_replicaof(r, p->name);
  }
}

// From here on `master` is watched, and all the others, the old master among them, as its replicas.
void Sentinel::switch_to(std::string master) {
  announce(SentinelEvent::switch_master, group_ + ' ' + master_.name + " 6379 " + master + " 6379");
  std::vector<std::string> others;
  if (master_.name != master) others.push_back(master_.name);
  for (SentinelInstance& r : replicas_) {
    if (r.name != master) others.push_back(r.name);
    close_commands(r);
    close_pubsub(r);
  }
  close_commands(master_);
  close_pubsub(master_);
  SentinelInstance next(Kind::master, std::move(master), now_);
  next.last_reconnect = master_.last_reconnect;  // the one record lives on under another address
  next.last_published = master_.last_published;
  next.info_at = master_.info_at;
  master_ = std::move(next);
  replicas_.clear();
  for (std::string& name : others) replicas_.emplace_back(Kind::replica, std::move(name), now_);
  odown_ = false;
  stage_ = Stage::none;
  stage_since_ = failover_start_ = 0;
  persist();
}

}  // namespace picklock
