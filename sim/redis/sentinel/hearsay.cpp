// What a sentinel makes of INFO, of other sentinels' greetings, and of their opinions.
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

// What follows `key` if the line begins with it.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  if (line.substr(0, key.size()) != key) return std::nullopt;
  return line.substr(key.size());
}

}  // namespace

void Sentinel::heard_info(SentinelInstance& i, std::string_view text) {
  bool master = i.reports_master;
  i.link_down = 0;
  std::vector<std::string_view> found;
  while (!text.empty()) {
    std::string_view line = next(text, '\n');
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (const auto v = value_of(line, "run_id:")) i.run_id = *v;
    if (const auto v = value_of(line, "role:")) master = *v == "master";
    if (const auto v = value_of(line, "master_link_down_since_seconds:"))
      i.link_down = std::max<std::int64_t>(number(*v), 0) * 1000;
    if (const auto v = value_of(line, "master_link_status:")) i.link_up = *v == "up";
    if (const auto v = value_of(line, "slave_priority:")) i.priority = number(*v);
    if (const auto v = value_of(line, "slave_repl_offset:")) i.offset = number(*v);
    if (const auto v = value_of(line, "master_host:")) {
      if (*v != i.follows) i.follows_since = now_;
      i.follows = *v;
    }
    // slave0:ip=redis-replica1,port=6379,state=online,offset=14,lag=0
    const std::size_t address = line.substr(0, 5) == "slave" ? line.find(":ip=") : std::string_view::npos;
    if (i.kind == Kind::master && address != std::string_view::npos) {
      std::string_view rest = line.substr(address + 4);
      found.push_back(next(rest, ','));
    }
  }
  i.info_at = now_;
  if (master != i.reports_master) {
    i.reports_master = master;
    i.role_since = now_;
    if (!master) i.follows_since = now_;
  }
  if (!tilt_ && i.kind == Kind::replica) act_on_role(i);
  // Last, since it moves the instances.
  for (const std::string_view name : found) {
    const bool known =
        std::any_of(replicas_.begin(), replicas_.end(), [name](const SentinelInstance& r) { return r.name == name; });
    if (known || name == master_.name) continue;
    replicas_.emplace_back(Kind::replica, std::string(name), now_);
    persist();
    announce(SentinelEvent::found_replica, std::string(name));
  }
}

void Sentinel::act_on_role(SentinelInstance& i) {
  if (i.reports_master) {
    if (i.promoted && stage_ == Stage::wait_promotion) {
      config_epoch_ = failover_epoch_;  // outranks what the other sentinels think
      stage_ = Stage::repoint;
      stage_since_ = now_;
      persist();
      announce(SentinelEvent::promoted, i);
      const auto greet_soon = [this](SentinelInstance& x) { x.last_published = now_ - period::hello - 1; };
      greet_soon(master_);
      for (SentinelInstance& r : replicas_) greet_soon(r);
      for (SentinelInstance& s : sentinels_) greet_soon(s);
    } else if (!i.promoted && master_looks_sane() && no_trouble_for(i, period::before_demotion) &&
               now_ - i.role_since > period::before_demotion) {
      // An old master that has come back.  It was given time in which newer news would have come.
      send_replicaof(i, master_.name);
      announce(SentinelEvent::convert, i);
    }
    return;
  }
  if (i.follows != master_.name && master_looks_sane() && no_trouble_for(i, options_.failover_timeout.ms()) &&
      now_ - i.follows_since > options_.failover_timeout.ms()) {
    send_replicaof(i, master_.name);
    announce(SentinelEvent::fix, i);
  }
  const SentinelInstance* const p = promoted();
  if (i.repointing == Repointing::sent && p != nullptr && i.follows == p->name) i.repointing = Repointing::in_progress;
  if (i.repointing == Repointing::in_progress && i.link_up) {
    i.repointing = Repointing::done;
    announce(SentinelEvent::repoint_done, i);
  }
}

bool Sentinel::master_looks_sane() const {
  return master_.reports_master && !master_.down && !odown_ && now_ - master_.info_at < 2 * period::info;
}

bool Sentinel::no_trouble_for(const SentinelInstance& i, std::int64_t ms) const {
  return i.down_since == 0 || now_ - i.down_since > ms;
}

// The one that a client shall use: during a failover the promoted one, once it has been seen to be master.
const std::string& Sentinel::current_master() const {
  if (stage_ == Stage::repoint || stage_ == Stage::update) {
    for (const SentinelInstance& r : replicas_) {
      if (r.promoted) return r.name;
    }
  }
  return master_.name;
}

// name,port,id,epoch,group,master,port,config epoch
void Sentinel::heard_hello(std::string_view message) {
  std::array<std::string_view, 8> word;
  for (std::string_view& w : word) w = next(message, ',');
  if (word[7].empty() || word[2] == name_ || word[4] != group_) return;
  const bool known = std::any_of(sentinels_.begin(), sentinels_.end(),
                                 [&word](const SentinelInstance& s) { return s.name == word[0]; });
  if (!known) {
    sentinels_.emplace_back(Kind::sentinel, std::string(word[0]), now_);
    persist();
    announce(SentinelEvent::found_sentinel, std::string(word[0]));
  }
  const auto epoch = static_cast<SentinelEpoch>(number(word[3]));
  if (epoch > epoch_) raise_epoch(epoch);
  const auto config_epoch = static_cast<SentinelEpoch>(number(word[7]));
  if (config_epoch <= config_epoch_) return;
  config_epoch_ = config_epoch;
  if (word[5] == master_.name) return;
  announce(SentinelEvent::config_update, std::string(word[0]));
  switch_to(std::string(word[5]));
}

void Sentinel::heard_opinion(SentinelInstance& i, const RedisReply& reply) {
  const auto parts = reply.elements();
  if (parts.size() != 3 || !parts[0].is_integer() || !parts[2].is_integer()) return;
  i.last_opinion = now_;
  i.finds_master_down = parts[0].integer() == 1;
  if (parts[1].text() == "*") return;
  i.vote = parts[1].text();
  i.vote_epoch = static_cast<SentinelEpoch>(parts[2].integer());
}

}  // namespace picklock
