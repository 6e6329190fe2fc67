// A Redis server as pure logic: commands in, replies and outputs out.  No world, no threads; the
// wall clock is a parameter, in milliseconds, and may step in either direction.
//
//   RedisDatabase database(scripts);
//   RedisSession session(1);
//   RedisOutputs out;
//   RedisReply reply = database.execute(session, RedisCommandView(bytes), now_ms, out);
//
// Not modelled: several databases, functions, memory limits, blocking commands.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/redis/call.hpp"
#include "sim/redis/command_table.hpp"
#include "sim/redis/keyspace.hpp"
#include "sim/redis/outputs.hpp"
#include "sim/redis/registries.hpp"
#include "sim/redis/script_cache.hpp"
#include "sim/redis/session.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

class RedisControl;

enum class RedisRole : std::uint8_t { master, replica };

// Time of deletion by the active cycle: at a key's deadline or, as by every access, only after it.
// Servers of the 7.0 line do the latter, those from 7.4 on the former.
enum class ActiveExpiry : std::uint8_t { at_deadline, after_deadline };

class RedisDatabase {
 public:
  // The scripts that EVAL finds by name; they must outlive the database.
  explicit RedisDatabase(std::span<const RedisScript* const> scripts = {}) : scripts_(scripts) {}

  // Runs one command of a client. `out` is added to, not cleared.
  RedisReply execute(RedisSession& session, const RedisCommandView& command, std::int64_t now_ms, RedisOutputs& out);

  // Runs one effect, as the log or a master's stream gives it: nothing expires, no effects come out.
  // MULTI and EXEC are the caller's business: see append_only_file.hpp.
  // The note of an expiry says so; other deletions are a DEL.
  RedisReply apply(const RedisCommandView& effect, std::int64_t now_ms, RedisOutputs& out,
                   RedisEffectKind kind = RedisEffectKind::plain);

  // The connection has ended: forgets its transaction, watches and subscriptions.
  void disconnect(RedisSession& session);

  // Ten times a second on a master (hz 10): looks at 20 keys with a deadline, deletes the expired,
  // and repeats while more than 10 % of them were.  draw(n) gives a number in 0..n-1; it is asked
  // only if there is a choice and something has expired.  Returns how many keys were deleted.
  template <class Draw>
  std::size_t active_expire_cycle(std::int64_t now_ms, Draw&& draw, RedisOutputs& out, ActiveExpiry rule);
  // The earliest deadline of all keys; kNoExpiry if none has one.
  std::int64_t next_deadline() const;

  // A replica hides expired keys and, unless it is writable, refuses writes.
  void set_role(RedisRole role, bool writable = false) { role_ = role, writable_ = writable; }
  // A master of which too few replicas have been heard of refuses writes, too.
  void set_enough_replicas(bool yes) { enough_replicas_ = yes; }
  // True if an expiry counts as a modification of a watched key; redis/redis#7920.
  void set_watch_sees_expiry(bool yes) { watch_sees_expiry_ = yes; }
  bool watch_sees_expiry() const { return watch_sees_expiry_; }
  void set_control(RedisControl* control) { control_ = control; }  // must outlive the database
  RedisControl* control() const { return control_; }
  RedisRole role() const { return role_; }

  const RedisKeyspace& keys() const { return keys_; }
  void replace_keys(const RedisKeyspace& keys) { keys_ = keys; }  // a snapshot replaces them
  void drop_keys();  // all, as a snapshot that is loaded next demands; their watchers notice
  std::uint64_t fingerprint() const { return keys_.fingerprint(); }  // fingerprint of the data
  // Starts anew like a process: no data, connections or script texts. The role and the scripts with a name stay.
  void clear();

  // Handlers of commands call these.
  RedisReply execute_within(RedisCall& call, const RedisCommandView& command);  // EXEC
  // redis.call; a script of EVAL_RO may not write
  RedisReply execute_in_script(RedisCall& call, const RedisCommandView& command, bool may_write);
  RedisCall nested_call(RedisCall& outer, const RedisCommandView& command, bool writes);
  bool refuses_writes() const { return !(role_ == RedisRole::master ? enough_replicas_ : writable_); }
  RedisReply refusal() const;  // the error with which a client's write is refused
  const RedisScript* script(std::string_view name) const;
  RedisScriptCache& texts() { return texts_; }  // scripts that clients have sent
  const RedisScriptCache& texts() const { return texts_; }
  void subscribe(RedisSession& session, RedisTopic kind, std::string_view topic);
  void unsubscribe(RedisSession& session, RedisTopic kind, std::string_view topic);
  std::vector<RedisText> topics_of(RedisSession& session, RedisTopic kind) const;  // sorted by name
  std::int64_t deliver(std::string_view channel, std::string_view message, RedisOutputs& out) const;
  std::int64_t deliver_in_shard(std::string_view channel, std::string_view message, RedisOutputs& out) const;

 private:
  static constexpr std::size_t kSampled = 20;
  static constexpr std::size_t kStalePercent = 10;

  RedisCall call(RedisSession& session, const RedisCommandView& command, std::int64_t now_ms, RedisExpiry expiry,
                 RedisOutputs& out);
  RedisExpiry expiry_for(bool writes) const {
    if (role_ == RedisRole::master) return RedisExpiry::remove;
    return writable_ && writes ? RedisExpiry::drop : RedisExpiry::hide;
  }
  bool refuses(const RedisSession& session, const RedisCommandSpec& spec) const {
    return refuses_writes() && is_write(session, spec);
  }
  static bool is_write(const RedisSession& session, const RedisCommandSpec& spec);
  const RedisCommandSpec* spec_of(
      const RedisCommandView& command) const {  // null: there is no such command, or subcommand
    const Mark verb = command.verb();
    if (verb != mark::none && verb.id < by_verb_->size()) return (*by_verb_)[verb.id];
    const RedisCommandSpec* const spec = find_redis_command(command.arg(0));
    return spec != nullptr ? subcommand_of(*spec, command) : nullptr;
  }
  // Reason why it is not executed.  No spec: there is no such command.
  RedisReply rejected(RedisSession& session, const RedisCommandView& command, const RedisCommandSpec* spec);
  RedisReply execute_nested(RedisCall& outer, const RedisCommandView& command, const RedisCommandSpec& spec);
  void collect_expiring();  // fills candidates_
  bool expire_actively(RedisEntry& entry, std::int64_t now_ms, ActiveExpiry rule, RedisOutputs& out);

  std::span<const RedisScript* const> scripts_;
  const RedisCommandsByVerb* by_verb_ = &redis_commands_by_verb();
  RedisRole role_ = RedisRole::master;
  bool writable_ = false, enough_replicas_ = true, watch_sees_expiry_ = true;
  RedisControl* control_ = nullptr;
  RedisKeyspace keys_;
  RedisWatches watches_;
  RedisSubscribers subscribers_;
  RedisScriptCache texts_;
  RedisSession effects_session_;         // session that applies effects
  std::vector<RedisEntry*> candidates_;  // scratch of the active cycle, kept for its capacity
};

template <class Draw>
std::size_t RedisDatabase::active_expire_cycle(std::int64_t now_ms, Draw&& draw, RedisOutputs& out, ActiveExpiry rule) {
  std::size_t deleted = 0;
  if (role_ != RedisRole::master) return deleted;
  const std::int64_t first = next_deadline();
  if (first == kNoExpiry || first > now_ms) return deleted;
  for (;;) {
    collect_expiring();
    const std::size_t sampled = candidates_.size() < kSampled ? candidates_.size() : kSampled;
    std::size_t stale = 0;
    for (std::size_t i = 0; i < sampled; ++i) {
      if (candidates_.size() > kSampled) {
        const auto left = static_cast<std::uint32_t>(candidates_.size() - i);
        std::swap(candidates_[i], candidates_[i + static_cast<std::size_t>(draw(left))]);
      }
      stale += expire_actively(*candidates_[i], now_ms, rule, out);
    }
    deleted += stale;
    if (stale * 100 <= sampled * kStalePercent) return deleted;
  }
}

}  // namespace picklock
