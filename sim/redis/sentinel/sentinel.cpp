#include "sim/redis/sentinel/sentinel.hpp"

#include <algorithm>
#include <array>
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

}  // namespace

std::string_view to_string(SentinelEvent e) { return kEvents[static_cast<std::size_t>(e)]; }

Sentinel::Sentinel(std::string name, std::string group, const SentinelOptions& options, SentinelDice& dice,
                   SentinelFlaw flaw)
    : name_(std::move(name)), group_name_(std::move(group)), options_(options), dice_(dice), flaw_(flaw) {}

void Sentinel::boot(std::string_view config, std::string_view master, std::int64_t now_ms) {
  now_ = now_ms;
  actions_.clear();
  tilt_.boot(now_);
  load(config, master);
}

void Sentinel::tick(std::int64_t now_ms) {
  now_ = now_ms;
  if (tilt_.begins(now_)) announce(SentinelEvent::tilt, name_);
  group_.for_each([this](SentinelInstance& i) { look_after(i); });
  if (failover_.stage() == Stage::update) {
    const SentinelInstance* const p = group_.promoted();
    switch_to(p != nullptr ? p->name : master());
  }
}

void Sentinel::replied(SentinelLink link, SentinelAsk ask, const RedisReply& reply, std::int64_t now_ms) {
  now_ = now_ms;
  SentinelInstance* const i = group_.of(link);
  if (i == nullptr) return;
  i->next_look = 0;
  if (ask != SentinelAsk::subscribe && i->traffic.pending > 0) --i->traffic.pending;
  switch (ask) {
    case SentinelAsk::subscribe:
      i->traffic.pubsub_active = now_;
      break;
    case SentinelAsk::ping: {
      const std::string_view t = reply.text();
      if (t == "PONG" || t.substr(0, 7) == "LOADING" || t.substr(0, 10) == "MASTERDOWN") {
        i->traffic.last_available = now_;
        i->traffic.ping_pending_since = 0;
      }
      i->traffic.last_pong = now_;
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
  SentinelInstance* const i = group_.of(link);
  if (i == nullptr) return;
  i->traffic.pubsub_active = now_;
  heard_hello(message);
}

void Sentinel::closed(SentinelLink link) {
  SentinelInstance* const i = group_.of(link);
  if (i == nullptr) return;
  i->next_look = 0;
  if (i->traffic.commands == link) {
    i->traffic.commands = 0;
    i->traffic.pending = 0;
  } else {
    i->traffic.pubsub = 0;
  }
  i->traffic.connected = false;
}

// --- the file ----------------------------------------------------------------------------------------

// A leader that dies between a promotion and its end comes back with the promoted one as its master: its
// configuration epoch is the new one already, so no other sentinel could teach it better.
std::string Sentinel::config() const {
  const std::string& current = current_master();
  std::string text = "monitor " + current + '\n' + ballot_.epoch_lines();
  if (flaw_ != SentinelFlaw::forgets_votes) text += ballot_.vote_lines();
  for (const SentinelInstance& r : replicas()) {
    text += "known-replica " + (r.name == current ? master() : r.name) + '\n';
  }
  for (const SentinelInstance& s : sentinels()) text += "known-sentinel " + s.name + '\n';
  return text;
}

void Sentinel::load(std::string_view config, std::string_view master) {
  group_.watch(std::string(master), now_);
  ballot_ = {};
  failover_ = {};
  odown_ = false;
  while (!config.empty()) {
    const std::string_view line = config.substr(0, config.find('\n'));
    config.remove_prefix(std::min(config.size(), line.size() + 1));
    const std::size_t space = line.find(' ');
    const std::string_view key = line.substr(0, space);
    const std::string value(space == std::string_view::npos ? "" : line.substr(space + 1));
    ballot_.read(key, value);
    if (key == "monitor") group_.master().name = value;
    if (key == "known-replica") group_.add_replica(value, now_);
    if (key == "known-sentinel") group_.add_sentinel(value, now_);
  }
}

void Sentinel::raise_epoch(SentinelEpoch epoch) {
  ballot_.raise_epoch(epoch);
  persist();
  announce(SentinelEvent::new_epoch, std::to_string(epoch));
}

}  // namespace picklock
