// Looking after each instance that a sentinel knows, ten to twenty times a second.
#include <algorithm>

#include "sim/redis/sentinel/periods.hpp"
#include "sim/redis/sentinel/sentinel.hpp"

namespace picklock {

namespace period = sentinel_period;

void Sentinel::look_after(SentinelInstance& i) {
  reconnect(i);
  send_periodically(i);
  if (tilt_.on()) {
    if (!tilt_.ends(now_)) return;
    announce(SentinelEvent::no_tilt, name_);
  }
  check_subjectively_down(i);
  if (i.kind != Kind::master) return;
  check_objectively_down();
  if (start_if_needed()) ask_the_others(true);
  step_failover();
  ask_the_others(false);
}

void Sentinel::reconnect(SentinelInstance& i) {
  if (i.traffic.connected || now_ - i.traffic.last_reconnect < period::ping) return;
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
  if (i.kind != Kind::sentinel && (i.info.at == 0 || now_ - i.info.at > info_period)) {
    send(i, SentinelAsk::info, RedisCommand("INFO"));
  }
  const std::int64_t ping_period = std::min(options_.down_after.ms(), period::ping);
  if (now_ - i.traffic.last_pong > ping_period && now_ - i.traffic.last_ping > ping_period / 2) send_ping(i);
  if (now_ - i.traffic.last_published > period::hello) send_hello(i);
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
  std::int64_t silent = 0;
  if (i.traffic.ping_pending_since != 0) {
    silent = now_ - i.traffic.ping_pending_since;
  } else if (!i.traffic.connected) {
    silent = now_ - i.traffic.last_available;
  }
  const std::int64_t down_after = options_.down_after.ms();
  // A link that has gone dumb is replaced: its other end may have lost its memory without a word.
  if (i.traffic.commands != 0 && now_ - i.traffic.commands_since > period::least_reconnect &&
      i.traffic.ping_pending_since != 0 && now_ - i.traffic.ping_pending_since > down_after / 2 &&
      now_ - i.traffic.last_pong > down_after / 2) {
    close_commands(i);
  }
  if (i.traffic.pubsub != 0 && now_ - i.traffic.pubsub_since > period::least_reconnect &&
      now_ - i.traffic.pubsub_active > 3 * period::hello) {
    close_pubsub(i);
  }
  const bool claims_to_be_replica =
      i.kind == Kind::master && !i.info.reports_master && now_ - i.info.role_since > down_after + 2 * period::info;
  const bool down = silent > down_after || claims_to_be_replica;
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

// For their opinion on the master; and, once a failover has begun, for their votes.
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
