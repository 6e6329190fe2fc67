// The server against a plain model of the documentation: any sequence of commands of two
// connections (and a subscriber), while the clock goes forwards and backwards.
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include "sim/core/effort_lab.hpp"
#include "sim/redis/append_only_file.hpp"
#include "sim/redis/database.hpp"
#include "sim/redis/redis_model_lab.hpp"
#include "sim/redis/scripts_lab.hpp"

namespace picklock {
namespace {

using Words = RedisModel::Words;

// Events that must occur, or the property would say nothing.
struct Seen {
  int commands = 0;
  int expired = 0;
  int exec_nil = 0;
  int exec_done = 0;
  int units = 0;
  int delivered = 0;
  int wrong_type = 0;
  int failed_scripts = 0;

  void note(const Words& words, const RedisReply& reply, const RedisOutputs& out) {
    ++commands;
    for (std::size_t i = 0; i < out.note_count(); ++i) {
      expired += out.note(i).what == KeyChange::expired;
    }
    exec_nil += words[0] == "EXEC" && reply.is_nil();
    exec_done += words[0] == "EXEC" && reply.elements().size() > 1;
    delivered += static_cast<int>(out.delivery_count());
    wrong_type += reply.text().substr(0, 9) == "WRONGTYPE";
    failed_scripts += words[0] == "EVAL" && reply.is_error();
    out.for_each_effect(EffectTarget::replica,
                        [this](const RedisCommandView& effect) { units += effect.arg(0) == "MULTI"; });
  }
};
Seen seen_in_all;

// A server, a replica that lives on its effects alone, and its log.
struct Server {
  RedisDatabase database{redis_lab_scripts()};
  RedisDatabase replica;
  RedisSession sessions[3]{RedisSession(0), RedisSession(1), RedisSession(2)};
  RedisOutputs out;
  RedisOutputs replica_out;
  std::string log;

  RedisReply execute(int session, const Words& words, std::int64_t now) {
    RedisCommand command;
    for (const std::string& word : words) command.add(word);
    out.clear();
    RedisReply reply = database.execute(sessions[session], command, now, out);
    append_to_log(out, EffectTarget::append_only_file, log);
    seen_in_all.note(words, reply, out);
    out.for_each_effect(EffectTarget::replica, [&](const RedisCommandView& effect) {
      const bool bracket = effect.arg(0) == "MULTI" || effect.arg(0) == "EXEC";
      if (!bracket) RC_ASSERT(!replica.apply(effect, now, replica_out).is_error());
    });
    return reply;
  }
};

struct Step : rc::state::Command<RedisModel, Server> {
  int session = 0;
  std::int64_t later_ms = 0;
  Words words;

  void apply(RedisModel& model) const override {
    model.now += later_ms;
    model.execute(session, words);
  }
  void run(const RedisModel& model, Server& server) const override {
    RedisModel next = model;
    next.now += later_ms;
    const RedisReply expected = next.execute(session, words);
    const RedisReply actual = server.execute(session, words, next.now);
    RC_ASSERT(actual.to_string() == expected.to_string());
    RC_ASSERT(server.database.keys().size() == next.size());
    RC_ASSERT(server.replica.fingerprint() == server.database.fingerprint());
    if (words[0] == "PUBLISH" && actual.is_integer()) {
      RC_ASSERT(static_cast<std::int64_t>(server.out.delivery_count()) == actual.integer());
    }
    server.replica_out.clear();
  }
  void show(std::ostream& os) const override {
    os << (later_ms >= 0 ? "+" : "") << later_ms << " " << session << ">";
    for (const std::string& word : words) os << " " << word;
  }
};

// --- Generation: few names and values, so that commands meet.

std::string pick(const std::vector<std::string>& words) { return *rc::gen::elementOf(words); }
std::string key() { return pick({"k", "l", "m"}); }
std::string value() { return pick({"v", "w", "1", "7", "-3", "x y", ""}); }
std::string field() { return pick({"f", "g"}); }
std::string score() { return pick({"1", "2", "2.5", "-4"}); }
std::string duration() { return pick({"1", "5", "20", "20", "50", "50", "0", "-1", "x"}); }
bool sometimes() { return *rc::gen::weightedElement<bool>({{3, false}, {1, true}}); }

void add_time(Words& words, const std::string& unit, std::int64_t now) {
  words.push_back(unit == "PXAT" || unit == "PEXPIREAT" ? std::to_string(now + *rc::gen::inRange<std::int64_t>(-20, 50))
                                                        : duration());
}

Words set_command(std::int64_t now) {
  Words words{"SET", key(), value()};
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) {
    words.push_back(pick({"NX", "XX", "GET", "KEEPTTL", "PX", "PX", "EX", "PXAT"}));
    const std::string unit = words.back();
    if (unit == "PX" || unit == "EX" || unit == "PXAT") add_time(words, unit, now);
  }
  return words;
}

Words expire_command(std::int64_t now) {
  Words words{pick({"PEXPIRE", "PEXPIRE", "EXPIRE", "PEXPIREAT"}), key()};
  add_time(words, words[0], now);
  while (sometimes()) words.push_back(pick({"NX", "XX", "GT", "LT"}));
  return words;
}

Words string_command() {
  const std::string verb =
      pick({"GET", "GET", "SETNX", "PSETEX", "GETSET", "GETDEL", "INCR", "DECR", "INCRBY", "APPEND", "STRLEN"});
  if (verb == "PSETEX") return {verb, key(), duration(), value()};
  const bool two = verb == "SETNX" || verb == "GETSET" || verb == "INCRBY" || verb == "APPEND";
  return two ? Words{verb, key(), value()} : Words{verb, key()};
}

Words container_command() {
  const std::string verb =
      pick({"HSET", "HGET",   "HDEL", "HINCRBY", "HLEN", "HGETALL", "HEXISTS", "LPUSH", "RPUSH",  "LPOP",
            "RPOP", "LRANGE", "LREM", "LLEN",    "ZADD", "ZINCRBY", "ZREM",    "ZCARD", "ZSCORE", "ZRANGEBYSCORE"});
  if (verb == "HSET" || verb == "HINCRBY") return {verb, key(), field(), value()};
  if (verb == "HGET" || verb == "HDEL" || verb == "HEXISTS") return {verb, key(), field()};
  if (verb == "LPUSH" || verb == "RPUSH") return {verb, key(), value()};
  if (verb == "LRANGE") return {verb, key(), "0", "-1"};
  if (verb == "LREM") return {verb, key(), pick({"0", "1", "-1"}), value()};
  if (verb == "ZADD" || verb == "ZINCRBY") return {verb, key(), score(), field()};
  if (verb == "ZREM" || verb == "ZSCORE") return {verb, key(), field()};
  if (verb == "ZRANGEBYSCORE") return {verb, key(), score(), score()};
  return {verb, key()};
}

Words key_command() {
  const std::string verb = pick({"DEL", "DEL", "EXISTS", "PERSIST", "PTTL", "PTTL", "TTL", "TYPE", "RENAME", "COPY"});
  const bool two = verb == "RENAME" || verb == "COPY";
  return two ? Words{verb, key(), key()} : Words{verb, key()};
}

Words session_command() {
  const std::string verb =
      pick({"MULTI", "MULTI", "EXEC", "EXEC", "EXEC", "DISCARD", "WATCH", "WATCH", "UNWATCH", "EVAL", "PUBLISH"});
  if (verb == "WATCH") return {verb, key()};
  if (verb == "PUBLISH") return {verb, "ch", value()};
  if (verb == "EVAL") return {verb, pick({"release", "set-then-fail"}), "1", key(), value()};
  return {verb};
}

Step step(const RedisModel& model) {
  Step step;
  step.session = *rc::gen::weightedElement<int>({{10, 0}, {10, 1}, {1, 2}});
  step.later_ms =
      *rc::gen::weightedElement<std::int64_t>({{12, 0}, {3, 1}, {2, 19}, {2, 20}, {2, 21}, {1, 51}, {1, -1}, {1, -20}});
  const std::int64_t now = model.now + step.later_ms;
  if (step.session == 2) {
    step.words = {pick({"SUBSCRIBE", "SUBSCRIBE", "UNSUBSCRIBE", "PING", "GET"}), "ch"};
    if (step.words[0] == "PING") step.words.pop_back();
    return step;
  }
  switch (*rc::gen::weightedElement<int>({{4, 0}, {3, 1}, {4, 2}, {4, 3}, {4, 4}, {5, 5}})) {
    case 0:
      step.words = set_command(now);
      break;
    case 1:
      step.words = expire_command(now);
      break;
    case 2:
      step.words = string_command();
      break;
    case 3:
      step.words = container_command();
      break;
    case 4:
      step.words = key_command();
      break;
    default:
      step.words = session_command();
      break;
  }
  return step;
}

constexpr int kSequencesInCi = testing::kInstrumented ? 150 : 1000;

const int kSequences = static_cast<int>(testing::effort(kSequencesInCi));

// A fixed number of sequences, whatever RC_PARAMS says of other tests; its seed is kept.
template <class Property>
void check_often(int sequences, Property&& property) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = sequences;
  params.maxSize = 150;
  rc::detail::TestMetadata metadata;
  const auto result = rc::detail::checkTestable(std::forward<Property>(property), metadata, params);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << text.str();
}

TEST(RedisModelTest, AnySequenceOfCommandsAnswersAsDocumented) {
  check_often(kSequences, [] {
    RedisModel model;
    Server server;
    rc::state::check(model, server, [](const RedisModel& state) {
      return rc::gen::exec([state]() -> std::shared_ptr<const rc::state::Command<RedisModel, Server>> {
        return std::make_shared<const Step>(step(state));
      });
    });
    RedisDatabase restarted;
    const LogLoad load = load_log(server.log, restarted);
    RC_ASSERT(load.end == LogLoad::End::complete);
    RC_ASSERT(load.valid_bytes == server.log.size());
    RC_ASSERT(restarted.fingerprint() == server.database.fingerprint());

    std::string rewritten;
    rewrite_log(server.database.keys(), rewritten);
    RedisDatabase compact;
    RC_ASSERT(load_log(rewritten, compact).end == LogLoad::End::complete);
    RC_ASSERT(compact.fingerprint() == server.database.fingerprint());
  });
  EXPECT_GT(seen_in_all.commands, 20 * kSequences);
  EXPECT_GT(seen_in_all.expired, kSequences / 2);
  EXPECT_GT(seen_in_all.exec_nil, kSequences / 30);
  EXPECT_GT(seen_in_all.exec_done, kSequences / 10);
  EXPECT_GT(seen_in_all.units, kSequences / 5);
  EXPECT_GT(seen_in_all.delivered, kSequences / 30);
  EXPECT_GT(seen_in_all.wrong_type, kSequences / 2);
  EXPECT_GT(seen_in_all.failed_scripts, kSequences / 30);
  std::printf("%d commands, %d expiries, %d/%d EXEC done/nil, %d units, %d messages\n", seen_in_all.commands,
              seen_in_all.expired, seen_in_all.exec_done, seen_in_all.exec_nil, seen_in_all.units,
              seen_in_all.delivered);
}

}  // namespace
}  // namespace picklock
