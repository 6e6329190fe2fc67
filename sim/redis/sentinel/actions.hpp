// SentinelActions keeps what a sentinel wants done, in order, until its server has done it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/sentinel/instance.hpp"
#include "sim/task/redis_values.hpp"

namespace picklock {

// Kind of a command, so that its answer is understood; travels with it.
enum class SentinelAsk : std::uint8_t { subscribe, ping, info, opinion, other };

// Events that sentinels tell their subscribers, by the name of the channel.
enum class SentinelEvent : std::uint8_t {
  sdown,
  no_sdown,
  odown,
  no_odown,
  tilt,
  no_tilt,
  new_epoch,
  try_failover,
  vote,
  elected,
  not_elected,
  no_good_replica,
  selected,
  promotion_timeout,
  promoted,
  repointed,
  repoint_done,
  failover_end,
  switch_master,
  convert,
  fix,
  found_replica,
  found_sentinel,
  config_update
};
std::string_view to_string(SentinelEvent e);

struct SentinelAction {
  enum class Kind : std::uint8_t { open, close, send, persist, announce };
  Kind kind{};
  SentinelAsk ask{};      // send
  SentinelEvent event{};  // announce
  SentinelLink link = 0;  // open, close, send
  RedisCommand command;   // send
  std::string text;       // open: the machine's name; persist: the file; announce: the message
};

class SentinelActions {
 public:
  const std::vector<SentinelAction>& all() const { return all_; }
  void clear() { all_.clear(); }

  SentinelLink open(std::string machine) {
    SentinelAction& a = add(SentinelAction::Kind::open);
    a.link = ++last_link_;
    a.text = std::move(machine);
    return a.link;
  }
  void close(SentinelLink link) { add(SentinelAction::Kind::close).link = link; }
  // Sends on the instance's link for this kind of command.
  void send(SentinelInstance& i, SentinelAsk ask, RedisCommand command) {
    SentinelAction& a = add(SentinelAction::Kind::send);
    a.ask = ask;
    a.link = ask == SentinelAsk::subscribe ? i.traffic.pubsub : i.traffic.commands;
    a.command = std::move(command);
    if (ask != SentinelAsk::subscribe) ++i.traffic.pending;
  }
  void persist(std::string file) { add(SentinelAction::Kind::persist).text = std::move(file); }
  void announce(SentinelEvent e, std::string text) {
    SentinelAction& a = add(SentinelAction::Kind::announce);
    a.event = e;
    a.text = std::move(text);
  }

 private:
  SentinelAction& add(SentinelAction::Kind kind) {
    all_.emplace_back().kind = kind;
    return all_.back();
  }

  std::vector<SentinelAction> all_;
  SentinelLink last_link_ = 0;
};

}  // namespace picklock
