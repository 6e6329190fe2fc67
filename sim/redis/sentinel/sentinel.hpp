// A sentinel as a pure state machine: messages and its wall clock go in, actions come out.
//
//   Sentinel s("sentinel1", "mymaster", options, dice);
//   s.boot(config_or_empty, "redis", now_ms);
//   s.tick(now_ms);
//   for (const SentinelAction& a : s.actions()) …      // keep this order; a `persist` is durable
//   s.clear_actions();                                 // call it before later requests leave
//
// Sentinel keeps its parts, the time of the present input, and whether the quorum finds the master down; each part
// keeps its own state: SentinelGroup (the watched instances), SentinelBallot (epochs and the vote), SentinelFailover
// (its stage), SentinelTilt (the clock), SentinelActions (what is to be done).
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
#include <utility>
#include <vector>

#include "sim/redis/sentinel/actions.hpp"
#include "sim/redis/sentinel/ballot.hpp"
#include "sim/redis/sentinel/failover.hpp"
#include "sim/redis/sentinel/group.hpp"
#include "sim/redis/sentinel/instance.hpp"
#include "sim/redis/sentinel/options.hpp"
#include "sim/redis/sentinel/tilt.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

inline constexpr std::string_view kSentinelHello = "__sentinel__:hello";

class SentinelDice {
 public:
  virtual std::int64_t below(std::int64_t n) = 0;  // 0 .. n-1

 protected:
  ~SentinelDice() = default;
};

// Mistakes on purpose: broken twins, which tests must catch.
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
  // INFO, PING, PUBLISH, ROLE, SENTINEL … of a client or of another sentinel; what is about connections is the server's business.
  RedisReply command(const RedisCommandView& command, std::int64_t now_ms);

  // --- outputs
  const std::vector<SentinelAction>& actions() const { return actions_.all(); }
  void clear_actions() { actions_.clear(); }

  // --- its opinion
  const std::string& name() const { return name_; }
  const std::string& master() const { return group_.master().name; }
  const std::string& current_master() const;  // the server that it tells clients to use
  bool objectively_down() const { return odown_; }
  bool tilted() const { return tilt_.on(); }
  bool failing_over() const { return failover_.is_on(); }
  SentinelEpoch epoch() const { return ballot_.epoch(); }
  SentinelEpoch config_epoch() const { return ballot_.config_epoch(); }
  SentinelEpoch leads_in() const { return ballot_.leads_in(); }  // the last epoch it was elected in; 0: none
  const SentinelInstance& master_instance() const { return group_.master(); }
  const std::vector<SentinelInstance>& replicas() const { return group_.replicas(); }
  const std::vector<SentinelInstance>& sentinels() const { return group_.sentinels(); }
  std::string config() const;

 private:
  using Stage = SentinelFailover::Stage;
  using Kind = SentinelInstance::Kind;
  using Repointing = SentinelInstance::Repointing;

  // watching.cpp: links, periodic commands, instances that are down
  void look_after(SentinelInstance& i);
  // True if more than `period` has gone by.  If not, the instance must be looked at again when it has.
  bool is_over(SentinelInstance& i, std::int64_t since, std::int64_t period) const;
  bool all_is_well(const SentinelInstance& i) const { return !i.down && !odown_ && !failover_.is_on() && !tilt_.on(); }
  void reconnect(SentinelInstance& i);
  void send_periodically(SentinelInstance& i);
  void send_ping(SentinelInstance& i);
  void send_hello(SentinelInstance& i);
  void check_subjectively_down(SentinelInstance& i);
  void check_objectively_down();
  void ask_the_others(bool forced);
  void close_commands(SentinelInstance& i);
  void close_pubsub(SentinelInstance& i);

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
  void send_replicaof(SentinelInstance& i, std::string_view master);  // empty: no one
  void switch_to(std::string master);

  // gossip.cpp: INFO of the instances, and what other sentinels say
  void heard_info(SentinelInstance& i, std::string_view text);
  void act_on_role(SentinelInstance& i);
  void heard_hello(std::string_view message);
  void heard_opinion(SentinelInstance& i, const RedisReply& reply);
  bool master_looks_sane() const;
  bool no_trouble_for(const SentinelInstance& i, std::int64_t ms) const;

  // answers.cpp: what clients and other sentinels ask
  RedisReply about_group(std::string_view subcommand) const;
  RedisReply is_master_down(const RedisCommandView& command);
  RedisReply describe(const SentinelInstance& i) const;
  RedisReply check_quorum() const;
  std::string info() const;

  void load(std::string_view config, std::string_view master);
  void send(SentinelInstance& i, SentinelAsk ask, RedisCommand command) {
    i.next_look = 0;
    actions_.send(i, ask, std::move(command));
  }
  void announce(SentinelEvent e, std::string text) { actions_.announce(e, std::move(text)); }
  void announce(SentinelEvent e, const SentinelInstance& i) { announce(e, i.name); }
  void persist() { actions_.persist(config()); }
  void raise_epoch(SentinelEpoch epoch);

  std::string name_, group_name_;
  SentinelOptions options_;
  SentinelDice& dice_;
  SentinelFlaw flaw_;
  std::int64_t now_ = 0;
  bool odown_ = false;
  SentinelGroup group_;
  SentinelBallot ballot_;
  SentinelFailover failover_;
  SentinelTilt tilt_;
  SentinelActions actions_;
};

}  // namespace picklock
