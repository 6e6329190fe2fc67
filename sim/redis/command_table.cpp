#include "sim/redis/command_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/small_bytes.hpp"
#include "sim/redis/commands.hpp"

namespace picklock {
namespace {

using Spec = RedisCommandSpec;
constexpr auto kWrite = Spec::kWrite;
constexpr auto kRead = Spec::kReadonly;
constexpr auto kSession = static_cast<Spec::Flags>(static_cast<unsigned>(Spec::kNoScript) | Spec::kImmediate);
constexpr auto kPubSub = static_cast<Spec::Flags>(static_cast<unsigned>(Spec::kNoScript) | Spec::kWhileSubscribed);

constexpr auto kAlways = static_cast<Spec::Flags>(static_cast<unsigned>(kSession) | Spec::kWhileSubscribed);

constexpr Spec kClientCommands[] = {
    {"client|getname", 2, Spec::kNoScript, redis_client_getname},
    {"client|id", 2, Spec::kNoScript, redis_client_id},
    {"client|kill", -3, Spec::kNoScript, redis_client_kill},
    {"client|no-evict", 3, Spec::kNoScript, redis_client_no_evict},
    {"client|setname", 3, Spec::kNoScript, redis_client_setname},
};
constexpr Spec kCommandCommands[] = {
    {"command|count", 2, Spec::kNone, redis_command_count},
    {"command|docs", -2, Spec::kNone, redis_command_docs},
    {"command|info", -2, Spec::kNone, redis_command_info},
    {"command|list", -2, Spec::kNone, redis_command_list},
};
constexpr Spec kScriptCommands[] = {
    {"script|exists", -3, Spec::kNoScript, redis_script_exists},
    {"script|flush", -2, Spec::kNoScript, redis_script_flush},
    {"script|kill", 2, Spec::kNoScript, redis_script_kill},
    {"script|load", 3, Spec::kNoScript, redis_script_load},
};

constexpr Spec kCommands[] = {
    {"append", 3, kWrite, redis_append},
    {"asking", 1, Spec::kNone, redis_asking},
    {"auth", -2, kSession, redis_auth},
    {"client", -2, Spec::kNoScript, nullptr, kClientCommands},
    {"cluster", -2, Spec::kNone, redis_cluster},
    {"command", -1, Spec::kNone, redis_command, kCommandCommands},
    {"config", -2, Spec::kNoScript, redis_config},
    {"copy", -3, kWrite, redis_copy},
    {"dbsize", 1, kRead, redis_dbsize},
    {"decr", 2, kWrite, redis_decr},
    {"decrby", 3, kWrite, redis_decrby},
    {"del", -2, kWrite, redis_del},
    {"discard", 1, kSession, redis_discard},
    {"echo", 2, Spec::kNone, redis_echo},
    {"eval", -3, Spec::kNoScript, redis_eval},
    {"eval_ro", -3, Spec::kNoScript, redis_eval_ro},
    {"evalsha", -3, Spec::kNoScript, redis_evalsha},
    {"evalsha_ro", -3, Spec::kNoScript, redis_evalsha_ro},
    {"exec", 1, kSession, redis_exec},
    {"exists", -2, kRead, redis_exists},
    {"expire", -3, kWrite, redis_expire},
    {"expireat", -3, kWrite, redis_expireat},
    {"expiretime", 2, kRead, redis_expiretime},
    {"flushall", -1, kWrite, redis_flushall},
    {"get", 2, kRead, redis_get},
    {"getdel", 2, kWrite, redis_getdel},
    {"getex", -2, kWrite, redis_getex},
    {"getset", 3, kWrite, redis_getset},
    {"hdel", -3, kWrite, redis_hdel},
    {"hello", -1, Spec::kNoScript, redis_hello},
    {"hexists", 3, kRead, redis_hexists},
    {"hget", 3, kRead, redis_hget},
    {"hgetall", 2, kRead, redis_hgetall},
    {"hincrby", 4, kWrite, redis_hincrby},
    {"hkeys", 2, kRead, redis_hkeys},
    {"hlen", 2, kRead, redis_hlen},
    {"hmget", -3, kRead, redis_hmget},
    {"hmset", -4, kWrite, redis_hmset},
    {"hset", -4, kWrite, redis_hset},
    {"hsetnx", 4, kWrite, redis_hsetnx},
    {"hvals", 2, kRead, redis_hvals},
    {"incr", 2, kWrite, redis_incr},
    {"incrby", 3, kWrite, redis_incrby},
    {"info", -1, Spec::kNone, redis_info},
    {"keys", 2, kRead, redis_keys},
    {"lindex", 3, kRead, redis_lindex},
    {"llen", 2, kRead, redis_llen},
    {"lpop", -2, kWrite, redis_lpop},
    {"lpush", -3, kWrite, redis_lpush},
    {"lrange", 4, kRead, redis_lrange},
    {"lrem", 4, kWrite, redis_lrem},
    {"mget", -2, kRead, redis_mget},
    {"mset", -3, kWrite, redis_mset},
    {"msetnx", -3, kWrite, redis_msetnx},
    {"multi", 1, kSession, redis_multi},
    {"persist", 2, kWrite, redis_persist},
    {"pexpire", -3, kWrite, redis_pexpire},
    {"pexpireat", -3, kWrite, redis_pexpireat},
    {"pexpiretime", 2, kRead, redis_pexpiretime},
    {"ping", -1, Spec::kWhileSubscribed, redis_ping},
    {"psetex", 4, kWrite, redis_psetex},
    {"psubscribe", -2, kPubSub, redis_psubscribe},
    {"psync", -3, Spec::kNoScript, redis_psync},
    {"pttl", 2, kRead, redis_pttl},
    {"publish", 3, Spec::kNone, redis_publish},
    {"punsubscribe", -1, kPubSub, redis_punsubscribe},
    {"quit", -1, kAlways, redis_quit},
    {"readonly", 1, Spec::kNone, redis_readonly},
    {"readwrite", 1, Spec::kNone, redis_readwrite},
    {"rename", 3, kWrite, redis_rename},
    {"replconf", -1, Spec::kNoScript, redis_replconf},
    {"replicaof", 3, Spec::kNoScript, redis_replicaof},
    {"reset", 1, kAlways, redis_reset},
    {"role", 1, Spec::kNone, redis_role},
    {"rpop", -2, kWrite, redis_rpop},
    {"rpush", -3, kWrite, redis_rpush},
    {"sadd", -3, kWrite, redis_sadd},
    {"scard", 2, kRead, redis_scard},
    {"script", -2, Spec::kNoScript, nullptr, kScriptCommands},
    {"select", 2, Spec::kNone, redis_select},
    {"set", -3, kWrite, redis_set},
    {"setex", 4, kWrite, redis_setex},
    {"setnx", 3, kWrite, redis_setnx},
    {"setrange", 4, kWrite, redis_setrange},
    {"sismember", 3, kRead, redis_sismember},
    {"slaveof", 3, Spec::kNoScript, redis_replicaof},
    {"smembers", 2, kRead, redis_smembers},
    {"spublish", 3, Spec::kNone, redis_spublish},
    {"srem", -3, kWrite, redis_srem},
    {"ssubscribe", -2, kPubSub, redis_ssubscribe},
    {"strlen", 2, kRead, redis_strlen},
    {"subscribe", -2, kPubSub, redis_subscribe},
    {"sunsubscribe", -1, kPubSub, redis_sunsubscribe},
    {"time", 1, Spec::kNone, redis_time},
    {"touch", -2, kRead, redis_touch},
    {"ttl", 2, kRead, redis_ttl},
    {"type", 2, kRead, redis_type},
    {"unlink", -2, kWrite, redis_del},
    {"unsubscribe", -1, kPubSub, redis_unsubscribe},
    {"unwatch", 1, Spec::kNoScript, redis_unwatch},
    {"wait", 3, Spec::kNoScript, redis_wait},
    {"watch", -2, kSession, redis_watch},
    {"zadd", -4, kWrite, redis_zadd},
    {"zcard", 2, kRead, redis_zcard},
    {"zcount", 4, kRead, redis_zcount},
    {"zincrby", 4, kWrite, redis_zincrby},
    {"zpopmin", -2, kWrite, redis_zpopmin},
    {"zrange", -4, kRead, redis_zrange},
    {"zrangebyscore", -4, kRead, redis_zrangebyscore},
    {"zrank", 3, kRead, redis_zrank},
    {"zrem", -3, kWrite, redis_zrem},
    {"zremrangebyrank", 4, kWrite, redis_zremrangebyrank},
    {"zremrangebyscore", 4, kWrite, redis_zremrangebyscore},
    {"zrevrange", -4, kRead, redis_zrevrange},
    {"zrevrangebyscore", -4, kRead, redis_zrevrangebyscore},
    {"zscore", 3, kRead, redis_zscore},
};
constexpr std::size_t kCount = std::size(kCommands);

// A name in lower case, in two words.  Setting one bit lowers a letter and makes no letter of anything else.
struct Word {
  std::uint64_t first = 0, second = 0;
  bool operator==(const Word&) const = default;
  std::size_t slot() const { return ((first ^ second * 0x9fb21c651e98df25) * kFactor) >> (64 - kSlotBits); }

  static constexpr std::size_t kMostLetters = 16;
  static constexpr std::size_t kSlotBits = 8;

 private:
  static constexpr std::uint64_t kFactor = 0xd6e8feb86659fd93;
};

Word word_of(std::string_view name) {
  constexpr std::uint64_t kLower = 0x2020202020202020;
  Word word;
  char letters[Word::kMostLetters] = {};
  copy_short(letters, name.data(), std::min(name.size(), sizeof letters));
  std::memcpy(&word.first, letters, sizeof word.first);
  std::memcpy(&word.second, letters + sizeof word.first, sizeof word.second);
  word.first |= kLower;
  word.second |= kLower;
  return word;
}

// Open addressing: slot -> index into kCommands, or kCount.
class Index {
 public:
  Index() {
    slots_.fill(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      words_[i] = word_of(kCommands[i].name);
      std::size_t at = words_[i].slot();
      while (slots_[at] != kCount) at = (at + 1) % slots_.size();
      slots_[at] = static_cast<std::uint8_t>(i);
    }
  }

  const Spec* find(std::string_view name) const {
    if (name.size() > Word::kMostLetters) return nullptr;
    const Word word = word_of(name);
    for (std::size_t at = word.slot(); slots_[at] != kCount; at = (at + 1) % slots_.size()) {
      const std::size_t i = slots_[at];
      if (words_[i] == word && kCommands[i].name.size() == name.size()) return &kCommands[i];
    }
    return nullptr;
  }

 private:
  std::array<std::uint8_t, std::size_t{1} << Word::kSlotBits> slots_;
  std::array<Word, kCount> words_;
};

}  // namespace

std::span<const RedisCommandSpec> redis_commands() { return kCommands; }

bool counts_its_keys(const RedisCommandSpec& spec) { return spec.name.starts_with("eval"); }

// A command on data has one key, which comes first, but for these.
RedisKeyPlaces key_places_of(const RedisCommandSpec& spec) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), spec.name) != names.end();
  };
  if (is_one_of({"dbsize", "flushall", "keys"})) return {};
  if (is_one_of({"mset", "msetnx"})) return {1, -1, 2};
  if (is_one_of({"copy", "rename"})) return {1, 2, 1};
  if (is_one_of({"del", "exists", "mget", "ssubscribe", "sunsubscribe", "touch", "unlink", "watch"})) return {1, -1, 1};
  const bool has_one = spec.has(Spec::kWrite) || spec.has(Spec::kReadonly) || spec.name == "spublish";
  return has_one ? RedisKeyPlaces{1, 1, 1} : RedisKeyPlaces{};
}

const RedisCommandSpec* find_redis_command(std::string_view name) {
  static const Index index;
  return index.find(name);
}

const RedisCommandSpec* subcommand_of(const RedisCommandSpec& spec, const RedisCommandView& command) {
  if (spec.subcommands.empty() || command.argc() < 2) return &spec;
  std::string wanted = std::string(spec.name) + "|";
  for (const char c : command.arg(1)) wanted += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  for (const RedisCommandSpec& sub : spec.subcommands) {
    if (sub.name == wanted) return &sub;
  }
  return nullptr;
}

const RedisCommandsByVerb& redis_commands_by_verb() {
  static const auto by_verb = [] {
    RedisCommandsByVerb all{};
    for (const std::string_view name : mark_names()) {
      const Mark verb = command_mark(name);
      if (verb.id < all.size()) all[verb.id] = find_redis_command(name);
    }
    return all;
  }();
  return by_verb;
}

}  // namespace picklock
