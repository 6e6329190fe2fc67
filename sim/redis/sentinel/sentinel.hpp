// A sentinel as a pure state machine: what it hears and its wall clock in, what it does out.
//
//   Sentinel s("sentinel1", "mymaster", options, dice);
//   s.boot(config_or_empty, "redis", now_ms);
//   s.tick(now_ms);
//   for (const SentinelAction& a : s.actions()) …      // in this order; a `persist` is durable
//   s.clear_actions();                                 // before what comes after it leaves
//
// From:      Redis 7.0, sentinel.c: periods, conditions and their order are those of that file, and
//            docs/management/sentinel.md.  An instance is named by its machine; ports are constant.
// Checks:    that it never votes for two in one epoch.
// Left out:  several masters, authentication, scripts, SENTINEL SET / RESET / FAILOVER, host names that
//            resolve anew, replica-announced.  A machine's name stands for a sentinel's random id, so two
//            sentinels can never share one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/sentinel/instance.hpp"
#include "sim/redis/sentinel/options.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

inline constexpr std::string_view kSentinelHello = "__sentinel__:hello";

// What a command was, so that its answer is understood; travels with it.
enum class SentinelAsk : std::uint8_t { subscribe, ping, info, opinion, other };

// What sentinels tell those who subscribe, by the name of the channel.
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

class SentinelDice {
 public:
  virtual std::int64_t below(std::int64_t n) = 0;  // 0 .. n-1

 protected:
  ~SentinelDice() = default;
};

// Wrong on purpose: broken twins, which tests must catch.
enum class SentinelFlaw : std::uint8_t { none, votes_twice, forgets_votes, needs_no_majority };

class Sentinel {
 public:
  Sentinel(std::string name, std::string group, const SentinelOptions& options, SentinelDice& dice,
           SentinelFlaw flaw = SentinelFlaw::none);

  // --- inputs
  void boot(std::string_view config, std::string_view master, std::int64_t now_ms);
  void tick(std::int64_t now_ms);
  void replied(SentinelLink link, SentinelAsk ask, const RedisReply& reply, std::int64_t now_ms);
  void published(SentinelLink link, std::string_view message, std::int64_t now_ms);
  void closed(SentinelLink link);
  // A command of a client or of another sentinel; SUBSCRIBE and its like are the server's business.
  RedisReply command(const RedisCommandView& command, std::int64_t now_ms);

  // --- outputs
  const std::vector<SentinelAction>& actions() const { return actions_; }
  void clear_actions() { actions_.clear(); }

  // --- what it thinks
  const std::string& name() const { return name_; }
  const std::string& master() const { return master_.name; }
  const std::string& current_master() const;  // the one it tells clients to use
  bool objectively_down() const { return odown_; }
  bool tilted() const { return tilt_; }
  bool failing_over() const { return stage_ != Stage::none; }
  SentinelEpoch epoch() const { return epoch_; }
  SentinelEpoch config_epoch() const { return config_epoch_; }
  SentinelEpoch leads_in() const { return leads_in_; }  // the last epoch it was elected in; 0: none
  const SentinelInstance& master_instance() const { return master_; }
  const std::vector<SentinelInstance>& replicas() const { return replicas_; }
  const std::vector<SentinelInstance>& sentinels() const { return sentinels_; }
  std::string config() const;

 private:
  enum class Stage : std::uint8_t { none, wait_start, select, send_promotion, wait_promotion, repoint, update };
  using Kind = SentinelInstance::Kind;
  using Repointing = SentinelInstance::Repointing;

  // watching.cpp: links, periodic commands, who is down
  void look_after(SentinelInstance& i);
  void reconnect(SentinelInstance& i);
  void send_periodically(SentinelInstance& i);
  void send_ping(SentinelInstance& i);
  void send_hello(SentinelInstance& i);
  void check_subjectively_down(SentinelInstance& i);
  void check_objectively_down();
  void ask_the_others(bool forced);
  void close_commands(SentinelInstance& i);
  void close_pubsub(SentinelInstance& i);
  void check_tilt();

  // failover.cpp
  bool start_if_needed();
  void step_failover();
  void wait_start();
  void select();
  void send_promotion();
  void repoint_next();
  void detect_end();
  void abort_failover();
  void vote(SentinelEpoch epoch, std::string_view candidate);
  std::string leader(SentinelEpoch epoch);
  SentinelInstance* best_replica();
  void send_replicaof(SentinelInstance& i, std::string_view master);  // empty: no one
  void switch_to(std::string master);

  // hearsay.cpp: what others say
  void heard_info(SentinelInstance& i, std::string_view text);
  void act_on_role(SentinelInstance& i);
  void heard_hello(std::string_view message);
  void heard_opinion(SentinelInstance& i, const RedisReply& reply);
  bool master_looks_sane() const;
  bool no_trouble_for(const SentinelInstance& i, std::int64_t ms) const;

  void load(std::string_view config, std::string_view master);
  SentinelInstance* find(SentinelLink link);
  SentinelInstance* promoted();
  void send(SentinelInstance& i, SentinelAsk ask, RedisCommand command);
  void announce(SentinelEvent e, std::string text);
  void announce(SentinelEvent e, const SentinelInstance& i) { announce(e, i.name); }
  void persist();
  void raise_epoch(SentinelEpoch epoch);

  std::string name_, group_;
  SentinelOptions options_;
  SentinelDice& dice_;
  SentinelFlaw flaw_;
  std::int64_t now_ = 0;
  SentinelLink last_link_ = 0;
  std::vector<SentinelAction> actions_;

  SentinelInstance master_;
  std::vector<SentinelInstance> replicas_, sentinels_;

  bool tilt_ = false;
  std::int64_t tilt_since_ = 0, last_tick_ = 0;
  bool odown_ = false;

  SentinelEpoch epoch_ = 0, config_epoch_ = 0;
  std::string voted_for_;
  SentinelEpoch voted_in_ = 0, leads_in_ = 0;

  Stage stage_ = Stage::none;
  SentinelEpoch failover_epoch_ = 0;
  std::int64_t failover_start_ = 0, stage_since_ = 0;
};

}  // namespace picklock
