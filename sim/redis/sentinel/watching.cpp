// Looking after each instance that a sentinel knows, ten to twenty times a second.
#include <algorithm>
#include <limits>

#include "sim/redis/sentinel/periods.hpp"
#include "sim/redis/sentinel/sentinel.hpp"

namespace picklock {

namespace period = sentinel_period;

// Nothing is due in most calls: while all is well, an instance is passed over until something may be.
void Sentinel::look_after(SentinelInstance& i) {
  const bool is_due = now_ >= i.next_look || !all_is_well(i);
  if (is_due) {
    i.next_look = std::numeric_limits<std::int64_t>::max();
    reconnect(i);
    send_periodically(i);
  }
  if (tilt_.on()) {
    i.next_look = 0;
    if (!tilt_.ends(now_)) return;
    announce(SentinelEvent::no_tilt, name_);
  }
  if (is_due) check_subjectively_down(i);
  if (!all_is_well(i)) i.next_look = 0;
  if (i.kind != Kind::master) return;
  check_objectively_down();
  if (start_if_needed()) ask_the_others(true);
  step_failover();
  ask_the_others(false);
}

bool Sentinel::is_over(SentinelInstance& i, std::int64_t since, std::int64_t period) const {
  const bool over = now_ - since > period;
  i.next_look = std::min(i.next_look, over ? now_ : since + period + 1);
  return over;
}

void Sentinel::reconnect(SentinelInstance& i) {
  if (i.traffic.connected || !is_over(i, i.traffic.last_reconnect, period::ping - 1)) return;
  i.traffic.last_reconnect = now_;
  if (i.traffic.commands == 0) {
    i.traffic.commands = actions_.open(i.name);
    i.traffic.pending = 0;
    i.traffic.commands_since = now_;
    send_ping(i);
  }
  if (i.kind != Kind::sentinel && i.traffic.pubsub == 0) {
    i.traffic.pubsub = actions_.open(i.name);
    i.traffic.pubsub_since = i.traffic.pubsub_active = now_;
    send(i, SentinelAsk::subscribe, RedisCommand("SUBSCRIBE", kSentinelHello));
  }
  i.traffic.connected = true;
}

void Sentinel::send_periodically(SentinelInstance& i) {
  if (!i.traffic.connected || i.traffic.pending >= period::most_pending) return;
  const bool closely = i.kind == Kind::replica && (odown_ || failover_.is_on() || i.info.link_down != 0);
  const std::int64_t info_period = closely ? period::info_in_trouble : period::info;
  if (i.kind != Kind::sentinel && (i.info.at == 0 || is_over(i, i.info.at, info_period))) {
    send(i, SentinelAsk::info, RedisCommand("INFO"));
  }
  const std::int64_t ping_period = std::min(options_.down_after.ms(), period::ping);
  if (is_over(i, i.traffic.last_pong, ping_period) && is_over(i, i.traffic.last_ping, ping_period / 2)) send_ping(i);
  if (is_over(i, i.traffic.last_published, period::hello)) send_hello(i);
}

void Sentinel::send_ping(SentinelInstance& i) {
  i.traffic.last_ping = now_;
  if (i.traffic.ping_pending_since == 0) i.traffic.ping_pending_since = now_;
  send(i, SentinelAsk::ping, RedisCommand("PING"));
}

// The greeting: address, epoch, and the master that this sentinel names, in the words that heard_hello reads.
void Sentinel::send_hello(SentinelInstance& i) {
  i.traffic.last_published = now_;
  const std::string hello = name_ + ",26379," + name_ + ',' + std::to_string(ballot_.epoch()) + ',' + group_name_ +
                            ',' + current_master() + ",6379," + std::to_string(ballot_.config_epoch());
  send(i, SentinelAsk::other, RedisCommand("PUBLISH", kSentinelHello, hello));
}

void Sentinel::close_commands(SentinelInstance& i) {
  if (i.traffic.commands == 0) return;
  actions_.close(i.traffic.commands);
  closed(i.traffic.commands);
}

void Sentinel::close_pubsub(SentinelInstance& i) {
  if (i.traffic.pubsub == 0) return;
  actions_.close(i.traffic.pubsub);
  closed(i.traffic.pubsub);
}

void Sentinel::check_subjectively_down(SentinelInstance& i) {
  const std::int64_t down_after = options_.down_after.ms(), pinged = i.traffic.ping_pending_since;
  const bool silent = pinged != 0 ? is_over(i, pinged, down_after)
                                  : !i.traffic.connected && is_over(i, i.traffic.last_available, down_after);
  // A link that has gone dumb is replaced: its other end may have lost its memory without a word.
  if (pinged != 0 && i.traffic.commands != 0 && is_over(i, i.traffic.commands_since, period::least_reconnect) &&
      is_over(i, pinged, down_after / 2) && is_over(i, i.traffic.last_pong, down_after / 2)) {
    close_commands(i);
  }
  if (i.traffic.pubsub != 0 && is_over(i, i.traffic.pubsub_active, 3 * period::hello) &&
      is_over(i, i.traffic.pubsub_since, period::least_reconnect)) {
    close_pubsub(i);
  }
  const bool claims_to_be_replica =
      i.kind == Kind::master && !i.info.reports_master && is_over(i, i.info.role_since, down_after + 2 * period::info);
  const bool down = silent || claims_to_be_replica;
  if (down == i.down) return;
  i.down = down;
  if (down) i.down_since = now_;
  announce(down ? SentinelEvent::sdown : SentinelEvent::no_sdown, i);
}

void Sentinel::check_objectively_down() {
  std::int64_t agree = 0;
  if (group_.master().down) {
    agree = 1 + group_.sentinels_that_find_master_down();
  }
  const bool odown = agree >= options_.quorum;
  if (odown == odown_) return;
  odown_ = odown;
  announce(odown ? SentinelEvent::odown : SentinelEvent::no_odown, group_.master());
}

// Asks for their opinions on the master; and, once a failover has begun, for their votes.
void Sentinel::ask_the_others(bool forced) {
  for (SentinelInstance& s : group_.sentinels()) {
    const std::int64_t since = now_ - s.opinion.at;
    if (since > period::opinion_valid) {
      s.opinion.finds_master_down = false;
      s.opinion.vote.clear();
    }
    if (!group_.master().down || !s.traffic.connected || (!forced && since < period::ask)) continue;
    if (s.traffic.pending >= period::most_pending) continue;
    const std::string_view candidate = failover_.is_on() ? std::string_view(name_) : "*";
    send(s, SentinelAsk::opinion,
         RedisCommand("SENTINEL", "is-master-down-by-addr", group_.master().name, "6379", ballot_.epoch(), candidate));
  }
}

}  // namespace picklock
