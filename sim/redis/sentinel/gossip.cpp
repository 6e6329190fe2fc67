// INFO, the greetings of other sentinels, and their opinions: how a sentinel learns from them.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "sim/redis/sentinel/periods.hpp"
#include "sim/redis/sentinel/sentinel.hpp"

namespace picklock {

namespace period = sentinel_period;

namespace {

std::int64_t number(std::string_view text) {
  std::int64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

// Takes the part before `end` off the front of `text`.
std::string_view next(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

// Text behind `key`, if the line begins with it.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  if (line.empty() || line[0] != key[0] || !line.starts_with(key)) return std::nullopt;
  return line.substr(key.size());
}

}  // namespace

void Sentinel::heard_info(SentinelInstance& i, std::string_view text) {
  bool master = i.info.reports_master;
  i.info.link_down = 0;
  std::vector<std::string_view> found;
  while (!text.empty()) {
    std::string_view line = next(text, '\n');
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (const auto v = value_of(line, "run_id:")) i.run_id = *v;
    if (const auto v = value_of(line, "role:")) master = *v == "master";
    if (const auto v = value_of(line, "master_link_down_since_seconds:"))
      i.info.link_down = std::max<std::int64_t>(number(*v), 0) * 1000;
    if (const auto v = value_of(line, "master_link_status:")) i.info.link_up = *v == "up";
    if (const auto v = value_of(line, "slave_priority:")) i.info.priority = number(*v);
    if (const auto v = value_of(line, "slave_repl_offset:")) i.info.offset = number(*v);
    if (const auto v = value_of(line, "master_host:")) {
      if (*v != i.info.follows) i.info.follows_since = now_;
      i.info.follows = *v;
    }
    // slave0:ip=redis-replica1,port=6379,state=online,offset=14,lag=0
    const std::size_t address = line.substr(0, 5) == "slave" ? line.find(":ip=") : std::string_view::npos;
    if (i.kind == Kind::master && address != std::string_view::npos) {
      std::string_view rest = line.substr(address + 4);
      found.push_back(next(rest, ','));
    }
  }
  i.info.at = now_;
  if (master != i.info.reports_master) {
    i.info.reports_master = master;
    i.info.role_since = now_;
    if (!master) i.info.follows_since = now_;
  }
  if (!tilt_.on() && i.kind == Kind::replica) act_on_role(i);
  // Last, since it moves the instances.
  for (const std::string_view name : found) {
    if (group_.knows_replica(name) || name == group_.master().name) continue;
    group_.add_replica(std::string(name), now_);
    persist();
    announce(SentinelEvent::found_replica, std::string(name));
  }
}

void Sentinel::act_on_role(SentinelInstance& i) {
  if (i.info.reports_master) {
    if (i.failover.promoted && failover_.stage() == Stage::wait_promotion) {
      ballot_.raise_config_epoch(failover_.epoch());  // outranks what the other sentinels think
      failover_.enter(Stage::repoint, now_);
      persist();
      announce(SentinelEvent::promoted, i);
      const auto greet_soon = [this](SentinelInstance& x) { x.traffic.last_published = now_ - period::hello - 1; };
      group_.for_each(greet_soon);
    } else if (!i.failover.promoted && master_looks_sane() && no_trouble_for(i, period::before_demotion) &&
               now_ - i.info.role_since > period::before_demotion) {
      // An old master that has come back.  It was given time in which newer news would have come.
      send_replicaof(i, group_.master().name);
      announce(SentinelEvent::convert, i);
    }
    return;
  }
  if (i.info.follows != group_.master().name && master_looks_sane() &&
      no_trouble_for(i, options_.failover_timeout.ms()) &&
      now_ - i.info.follows_since > options_.failover_timeout.ms()) {
    send_replicaof(i, group_.master().name);
    announce(SentinelEvent::fix, i);
  }
  const SentinelInstance* const p = group_.promoted();
  if (i.failover.repointing == Repointing::sent && p != nullptr && i.info.follows == p->name)
    i.failover.repointing = Repointing::in_progress;
  if (i.failover.repointing == Repointing::in_progress && i.info.link_up) {
    i.failover.repointing = Repointing::done;
    announce(SentinelEvent::repoint_done, i);
  }
}

bool Sentinel::master_looks_sane() const {
  return group_.master().info.reports_master && !group_.master().down && !odown_ &&
         now_ - group_.master().info.at < 2 * period::info;
}

bool Sentinel::no_trouble_for(const SentinelInstance& i, std::int64_t ms) const {
  return i.down_since == 0 || now_ - i.down_since > ms;
}

// The master for clients: during a failover the promoted one, once it has been seen to be master.
const std::string& Sentinel::current_master() const {
  const SentinelInstance* const p = failover_.has_promoted() ? group_.promoted() : nullptr;
  return p != nullptr ? p->name : master();
}

// name,port,id,epoch,group,master,port,config epoch
void Sentinel::heard_hello(std::string_view message) {
  std::array<std::string_view, 8> word;
  for (std::string_view& w : word) w = next(message, ',');
  if (word[7].empty() || word[2] == name_ || word[4] != group_name_) return;
  if (!group_.knows_sentinel(word[0])) {
    group_.add_sentinel(std::string(word[0]), now_);
    persist();
    announce(SentinelEvent::found_sentinel, std::string(word[0]));
  }
  const auto epoch = static_cast<SentinelEpoch>(number(word[3]));
  if (epoch > ballot_.epoch()) raise_epoch(epoch);
  const auto config_epoch = static_cast<SentinelEpoch>(number(word[7]));
  if (config_epoch <= ballot_.config_epoch()) return;
  ballot_.raise_config_epoch(config_epoch);
  if (word[5] == group_.master().name) return;
  announce(SentinelEvent::config_update, std::string(word[0]));
  switch_to(std::string(word[5]));
}

void Sentinel::heard_opinion(SentinelInstance& i, const RedisReply& reply) {
  const auto parts = reply.elements();
  if (parts.size() != 3 || !parts[0].is_integer() || !parts[2].is_integer()) return;
  i.opinion.at = now_;
  i.opinion.finds_master_down = parts[0].integer() == 1;
  if (parts[1].text() == "*") return;
  i.opinion.vote = parts[1].text();
  i.opinion.vote_epoch = static_cast<SentinelEpoch>(parts[2].integer());
}

}  // namespace picklock
