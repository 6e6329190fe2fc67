#include "sim/redis/sentinel/sentinel.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/check.hpp"
#include "sim/redis/sentinel/periods.hpp"

namespace picklock {
namespace {

constexpr std::array<std::string_view, 24> kEvents = {"+sdown",
                                                      "-sdown",
                                                      "+odown",
                                                      "-odown",
                                                      "+tilt",
                                                      "-tilt",
                                                      "+new-epoch",
                                                      "+try-failover",
                                                      "+vote-for-leader",
                                                      "+elected-leader",
                                                      "-failover-abort-not-elected",
                                                      "-failover-abort-no-good-slave",
                                                      "+selected-slave",
                                                      "-failover-abort-slave-timeout",
                                                      "+promoted-slave",
                                                      "+slave-reconf-sent",
                                                      "+slave-reconf-done",
                                                      "+failover-end",
                                                      "+switch-master",
                                                      "+convert-to-slave",
                                                      "+fix-slave-config",
                                                      "+slave",
                                                      "+sentinel",
                                                      "+config-update-from"};

SentinelEpoch number(std::string_view text) {
  SentinelEpoch n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

}  // namespace

std::string_view to_string(SentinelEvent e) { return kEvents[static_cast<std::size_t>(e)]; }

Sentinel::Sentinel(std::string name, std::string group, const SentinelOptions& options, SentinelDice& dice,
                   SentinelFlaw flaw)
    : name_(std::move(name)), group_(std::move(group)), options_(options), dice_(dice), flaw_(flaw) {}

void Sentinel::boot(std::string_view config, std::string_view master, std::int64_t now_ms) {
  now_ = last_tick_ = now_ms;
  actions_.clear();
  load(config, master);
}

void Sentinel::tick(std::int64_t now_ms) {
  now_ = now_ms;
  check_tilt();
  look_after(master_);
  for (SentinelInstance& i : replicas_) look_after(i);
  for (SentinelInstance& i : sentinels_) look_after(i);
  if (stage_ == Stage::update) {
    const SentinelInstance* const p = promoted();
    switch_to(p != nullptr ? p->name : master_.name);
  }
}

void Sentinel::replied(SentinelLink link, SentinelAsk ask, const RedisReply& reply, std::int64_t now_ms) {
  now_ = now_ms;
  SentinelInstance* const i = find(link);
  if (i == nullptr) return;
  if (ask != SentinelAsk::subscribe && i->pending > 0) --i->pending;
  switch (ask) {
    case SentinelAsk::subscribe:
      i->pubsub_active = now_;
      break;
    case SentinelAsk::ping: {
      const std::string_view t = reply.text();
      if (t == "PONG" || t.substr(0, 7) == "LOADING" || t.substr(0, 10) == "MASTERDOWN") {
        i->last_available = now_;
        i->ping_pending_since = 0;
      }
      i->last_pong = now_;
      break;
    }
    case SentinelAsk::info:
      if (reply.is_bulk()) heard_info(*i, reply.text());
      break;
    case SentinelAsk::opinion:
      heard_opinion(*i, reply);
      break;
    case SentinelAsk::other:
      break;
  }
}

void Sentinel::published(SentinelLink link, std::string_view message, std::int64_t now_ms) {
  now_ = now_ms;
  SentinelInstance* const i = find(link);
  if (i == nullptr) return;
  i->pubsub_active = now_;
  heard_hello(message);
}

void Sentinel::closed(SentinelLink link) {
  SentinelInstance* const i = find(link);
  if (i == nullptr) return;
  if (i->commands == link) {
    i->commands = 0;
    i->pending = 0;
  } else {
    i->pubsub = 0;
  }
  i->connected = false;
}

RedisReply Sentinel::command(const RedisCommandView& c, std::int64_t now_ms) {
  now_ = now_ms;
  if (c.arg(0) == "PING") return RedisReply::status("PONG");
  if (c.arg(0) == "PUBLISH" && c.argc() == 3) {
    if (c.arg(1) != kSentinelHello)
      return RedisReply::error("ERR Only HELLO messages are accepted by Sentinel instances.");
    heard_hello(c.arg(2));
    return RedisReply::integer(1);
  }
  if (c.arg(0) == "ROLE") {
    return RedisReply::array({RedisReply::bulk("sentinel"), RedisReply::array({RedisReply::bulk(group_)})});
  }
  if (c.arg(0) != "SENTINEL") return RedisReply::error("ERR unknown command '" + std::string(c.arg(0)) + "'");
  if (c.arg(1) == "get-master-addr-by-name" && c.argc() == 3) {
    if (c.arg(2) != group_) return RedisReply::nil();
    return RedisReply::array({RedisReply::bulk(current_master()), RedisReply::bulk("6379")});
  }
  if (c.arg(1) == "is-master-down-by-addr" && c.argc() == 6) {
    const bool known = c.arg(2) == master_.name;
    bool votes = false;
    if (known && c.arg(5) != "*") {
      vote(number(c.arg(4)), c.arg(5));
      votes = !voted_for_.empty();
    }
    return RedisReply::array({RedisReply::integer(known && !tilt_ && master_.down ? 1 : 0),
                              RedisReply::bulk(votes ? std::string_view(voted_for_) : "*"),
                              RedisReply::integer(votes ? static_cast<std::int64_t>(voted_in_) : 0)});
  }
  return RedisReply::error("ERR Unknown sentinel subcommand '" + std::string(c.arg(1)) + "'");
}

// --- the file ----------------------------------------------------------------------------------------

// A leader that dies between a promotion and its end comes back with the promoted one as its master: its
// configuration epoch is the new one already, and nobody could teach it better.
std::string Sentinel::config() const {
  const std::string& master = current_master();
  std::string text = "monitor " + master + "\ncurrent-epoch " + std::to_string(epoch_) + "\nconfig-epoch " +
                     std::to_string(config_epoch_) + '\n';
  if (flaw_ != SentinelFlaw::forgets_votes && !voted_for_.empty()) {
    text += "leader-epoch " + std::to_string(voted_in_) + "\nleader " + voted_for_ + '\n';
  }
  for (const SentinelInstance& r : replicas_)
    text += "known-replica " + (r.name == master ? master_.name : r.name) + '\n';
  for (const SentinelInstance& s : sentinels_) text += "known-sentinel " + s.name + '\n';
  return text;
}

void Sentinel::load(std::string_view config, std::string_view master) {
  master_ = SentinelInstance(Kind::master, std::string(master), now_);
  replicas_.clear();
  sentinels_.clear();
  tilt_ = odown_ = false;
  epoch_ = config_epoch_ = voted_in_ = leads_in_ = failover_epoch_ = 0;
  voted_for_.clear();
  stage_ = Stage::none;
  failover_start_ = stage_since_ = 0;
  while (!config.empty()) {
    const std::string_view line = config.substr(0, config.find('\n'));
    config.remove_prefix(std::min(config.size(), line.size() + 1));
    const std::size_t space = line.find(' ');
    const std::string_view key = line.substr(0, space);
    const std::string value(space == std::string_view::npos ? "" : line.substr(space + 1));
    if (key == "monitor") master_.name = value;
    if (key == "current-epoch") epoch_ = number(value);
    if (key == "config-epoch") config_epoch_ = number(value);
    if (key == "leader-epoch") voted_in_ = number(value);
    if (key == "leader") voted_for_ = value;
    if (key == "known-replica") replicas_.emplace_back(Kind::replica, value, now_);
    if (key == "known-sentinel") sentinels_.emplace_back(Kind::sentinel, value, now_);
  }
}

// --- actions -----------------------------------------------------------------------------------------

SentinelInstance* Sentinel::find(SentinelLink link) {
  const auto has = [link](const SentinelInstance& i) { return i.commands == link || i.pubsub == link; };
  if (link == 0) return nullptr;
  if (has(master_)) return &master_;
  for (std::vector<SentinelInstance>* all : {&replicas_, &sentinels_}) {
    const auto found = std::find_if(all->begin(), all->end(), has);
    if (found != all->end()) return &*found;
  }
  return nullptr;
}

SentinelInstance* Sentinel::promoted() {
  const auto found =
      std::find_if(replicas_.begin(), replicas_.end(), [](const SentinelInstance& i) { return i.promoted; });
  return found == replicas_.end() ? nullptr : &*found;
}

void Sentinel::send(SentinelInstance& i, SentinelAsk ask, RedisCommand command) {
  SentinelAction& a = actions_.emplace_back();
  a.kind = SentinelAction::Kind::send;
  a.ask = ask;
  a.link = ask == SentinelAsk::subscribe ? i.pubsub : i.commands;
  a.command = std::move(command);
  if (ask != SentinelAsk::subscribe) ++i.pending;
}

void Sentinel::announce(SentinelEvent e, std::string text) {
  SentinelAction& a = actions_.emplace_back();
  a.kind = SentinelAction::Kind::announce;
  a.event = e;
  a.text = std::move(text);
}

void Sentinel::persist() {
  SentinelAction& a = actions_.emplace_back();
  a.kind = SentinelAction::Kind::persist;
  a.text = config();
}

void Sentinel::raise_epoch(SentinelEpoch epoch) {
  epoch_ = epoch;
  persist();
  announce(SentinelEvent::new_epoch, std::to_string(epoch_));
}

}  // namespace picklock
