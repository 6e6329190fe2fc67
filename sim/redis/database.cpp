#include "sim/redis/database.hpp"

#include <algorithm>

#include "sim/redis/errors.hpp"
#include "sim/redis/transactions.hpp"

namespace picklock {
namespace {

// Ends a unit of effects once the reply is made.
struct EndOfUnit {
  RedisOutputs& out;
  ~EndOfUnit() { out.end_unit(); }
};

}  // namespace

RedisCall RedisDatabase::call(RedisSession& session, const RedisCommandView& command, std::int64_t now_ms,
                              RedisExpiry expiry, RedisOutputs& out) {
  return {*this, session, command, keys_, watches_, out, now_ms, expiry};
}

// EXEC writes if a queued command does.
bool RedisDatabase::is_write(const RedisSession& session, const RedisCommandSpec& spec) {
  return spec.has(RedisCommandSpec::kWrite) || (session.has_queued_write() && spec.name == "exec");
}

RedisReply RedisDatabase::refusal() const {
  return role_ == RedisRole::master ? redis_error::not_enough_replicas() : redis_error::read_only();
}

RedisReply RedisDatabase::execute(RedisSession& session, const RedisCommandView& command, std::int64_t now_ms,
                                  RedisOutputs& out) {
  const RedisCommandSpec* const spec = spec_of(command);
  if (spec == nullptr || !spec->takes(command.argc()) || refuses(session, *spec) ||
      (session.is_limited_to_subscriptions() && !spec->has(RedisCommandSpec::kWhileSubscribed))) {
    return rejected(session, command, spec);
  }
  const bool writes = spec->has(RedisCommandSpec::kWrite);
  if (session.in_transaction() && !spec->has(RedisCommandSpec::kImmediate)) {
    return RedisTransactions::queue(session, command, writes);
  }
  RedisCall call = this->call(session, command, now_ms, expiry_for(writes), out);
  const EndOfUnit end{out};
  return spec->handler(call);
}

// The order of these checks is that of a real server: it decides which error a command gets.
RedisReply RedisDatabase::rejected(RedisSession& session, const RedisCommandView& command,
                                   const RedisCommandSpec* spec) {
  const RedisCommandSpec* const container = spec == nullptr ? find_redis_command(command.arg(0)) : nullptr;
  const RedisReply error = !command.valid()       ? RedisReply::error("ERR Protocol error: malformed command")
                           : container != nullptr ? redis_error::unknown_subcommand(container->name, command.arg(1))
                           : spec == nullptr      ? redis_error::unknown_command(command)
                           : !spec->takes(command.argc()) ? redis_error::wrong_arity(spec->name)
                           : refuses(session, *spec)      ? refusal()
                                                          : redis_error::only_while_subscribed(spec->name);
  if (spec != nullptr && spec->name == "exec") {
    RedisTransactions::end(session, watches_);
    return redis_error::transaction_discarded(error.text());
  }
  RedisTransactions::spoil(session);
  return error;
}

RedisReply RedisDatabase::execute_nested(RedisCall& outer, const RedisCommandView& command,
                                         const RedisCommandSpec& spec) {
  if (refuses(outer.session, spec)) return refusal();
  RedisCall call = nested_call(outer, command, spec.has(RedisCommandSpec::kWrite));
  return spec.handler(call);
}

RedisCall RedisDatabase::nested_call(RedisCall& outer, const RedisCommandView& command, bool writes) {
  const RedisExpiry expiry = outer.expiry == RedisExpiry::ignore ? outer.expiry : expiry_for(writes);
  RedisCall call = this->call(outer.session, command, outer.now_ms, expiry, outer.out);
  call.nested = true;
  return call;
}

RedisReply RedisDatabase::execute_within(RedisCall& outer, const RedisCommandView& command) {
  return execute_nested(outer, command, *spec_of(command));  // the command was known when it was queued
}

RedisReply RedisDatabase::execute_in_script(RedisCall& outer, const RedisCommandView& command, bool may_write) {
  const RedisCommandSpec* spec = spec_of(command);
  if (spec == nullptr) return RedisReply::error("ERR Unknown Redis command called from script");
  if (!spec->takes(command.argc())) {
    return RedisReply::error("ERR Wrong number of args calling Redis command from script");
  }
  if (spec->has(RedisCommandSpec::kNoScript)) {
    return RedisReply::error("ERR This Redis command is not allowed from script");
  }
  if (!may_write && spec->has(RedisCommandSpec::kWrite)) {
    return RedisReply::error("ERR Write commands are not allowed from read-only scripts.");
  }
  return execute_nested(outer, command, *spec);
}

RedisReply RedisDatabase::apply(const RedisCommandView& effect, std::int64_t now_ms, RedisOutputs& out,
                                RedisEffectKind kind) {
  RedisCall call = this->call(effects_session_, effect, now_ms, RedisExpiry::ignore, out);
  if (kind == RedisEffectKind::expiry) {
    RedisEntry* const entry = keys_.find(effect.arg(1));
    if (entry != nullptr) call.erase(*entry, KeyChange::expired);
    return RedisReply::integer(entry != nullptr);
  }
  const RedisCommandSpec* spec = find_redis_command(effect.arg(0));
  if (spec == nullptr) return redis_error::unknown_command(effect);
  if (!spec->takes(effect.argc())) return redis_error::wrong_arity(spec->name);
  return spec->handler(call);
}

void RedisDatabase::drop_keys() {
  for (std::size_t i = 0; i < keys_.size(); ++i) watches_.touch(keys_.at(i).key.view());
  keys_.clear();
}

void RedisDatabase::disconnect(RedisSession& session) {
  RedisTransactions::end(session, watches_);
  session.set_protocol(2);
  session.set_name("");
  if (!session.subscribes()) return;
  for (const RedisTopic kind : kRedisTopics) {
    for (const RedisText& topic : topics_of(session, kind)) unsubscribe(session, kind, topic.view());
  }
}

void RedisDatabase::clear() {
  keys_.clear();
  watches_.clear();
  subscribers_.clear();
  texts_.clear();
}

std::int64_t RedisDatabase::next_deadline() const {
  std::int64_t earliest = kNoExpiry;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const std::int64_t deadline = keys_.at(i).expires_at_ms;
    if (deadline != kNoExpiry && (earliest == kNoExpiry || deadline < earliest)) {
      earliest = deadline;
    }
  }
  return earliest;
}

void RedisDatabase::collect_expiring() {
  candidates_.clear();
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_.at(i).expires_at_ms != kNoExpiry) candidates_.push_back(&keys_.at(i));
  }
}

bool RedisDatabase::expire_actively(RedisEntry& entry, std::int64_t now_ms, ActiveExpiry rule, RedisOutputs& out) {
  const bool due = rule == ActiveExpiry::at_deadline ? now_ms >= entry.expires_at_ms : now_ms > entry.expires_at_ms;
  if (!due) return false;
  const RedisCommand del("DEL", entry.key.view());
  if (out.wants_effects()) {
    out.add_effect(del.bytes(), RedisEffectKind::expiry);
    out.end_unit();
  }
  RedisCall call = this->call(effects_session_, del, now_ms, RedisExpiry::remove, out);
  call.erase(entry, KeyChange::expired);
  return true;
}

const RedisScript* RedisDatabase::script(std::string_view name) const {
  for (const RedisScript* script : scripts_) {
    if (script->name == name) return script;
  }
  return nullptr;
}

void RedisDatabase::subscribe(RedisSession& session, RedisTopic kind, std::string_view topic) {
  std::vector<RedisText>& topics = session.topics(kind);
  for (const RedisText& known : topics) {
    if (known.view() == topic) return;
  }
  topics.emplace_back(topic);
  subscribers_.add(kind, topic, session.id());
}

void RedisDatabase::unsubscribe(RedisSession& session, RedisTopic kind, std::string_view topic) {
  subscribers_.remove(kind, topic, session.id());
  std::erase_if(session.topics(kind), [topic](const RedisText& t) { return t.view() == topic; });
}

std::vector<RedisText> RedisDatabase::topics_of(RedisSession& session, RedisTopic kind) const {
  std::vector<RedisText> topics = session.topics(kind);
  std::sort(topics.begin(), topics.end(), [](const RedisText& a, const RedisText& b) { return a.view() < b.view(); });
  return topics;
}

std::int64_t RedisDatabase::deliver(std::string_view channel, std::string_view message, RedisOutputs& out) const {
  std::int64_t receivers = 0;
  for (const RedisSubscribers::Subscriber& s : subscribers_.all()) {
    if (s.kind != RedisTopic::channel || s.topic.view() != channel) continue;
    out.add_delivery({.session = s.session, .channel = channel, .message = message});
    ++receivers;
  }
  for (const RedisSubscribers::Subscriber& s : subscribers_.all()) {
    if (s.kind != RedisTopic::pattern || !matches_redis_pattern(channel, s.topic.view())) continue;
    out.add_delivery({.session = s.session, .pattern = s.topic.view(), .channel = channel, .message = message});
    ++receivers;
  }
  return receivers;
}

std::int64_t RedisDatabase::deliver_in_shard(std::string_view channel, std::string_view message,
                                             RedisOutputs& out) const {
  std::int64_t receivers = 0;
  for (const RedisSubscribers::Subscriber& s : subscribers_.all()) {
    if (s.kind != RedisTopic::shard_channel || s.topic.view() != channel) continue;
    out.add_delivery({.session = s.session, .channel = channel, .message = message, .of_shard = true});
    ++receivers;
  }
  return receivers;
}

}  // namespace picklock
