// The server over the wire: verbs, errors, sessions, messages, records.
#include "sim/redis/server.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <array>

#include "base/hash.hpp"
#include "sim/redis/redis_lab.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {
namespace {

TEST(RedisServer, AnswersEveryVerb) {
  RedisLab lab;
  RpcChannel& channel = lab.client("a");
  bool finished = false;
  const auto all = [](Host, RpcChannel* to, bool* end) -> Task<void> {
    const Redis redis(*to);
    const auto set = co_await redis.set_nx_px("k", "v", seconds(1));
    EXPECT_TRUE(set.yes());
    const auto again = co_await redis.set_nx_px("k", "w", seconds(1));
    EXPECT_TRUE(again.refused());
    const auto setnx = co_await redis.setnx("other", "1");
    EXPECT_TRUE(setnx.yes());
    const auto not_set = co_await redis.setnx("other", "1");
    EXPECT_TRUE(not_set.refused());
    const auto value = co_await redis.get("k");
    EXPECT_EQ(value.value_or("none"), "v");
    const auto nothing = co_await redis.get("nothing");
    EXPECT_TRUE(nothing.refused());
    const auto left = co_await redis.pttl("k");
    EXPECT_EQ(left.value_or(0), 1000);
    const auto longer = co_await redis.pexpire("k", seconds(2));
    EXPECT_TRUE(longer.yes());
    const auto whole = co_await redis.expire("k", milliseconds(3'900));
    EXPECT_TRUE(whole.yes());
    const auto three = co_await redis.pttl("k");
    EXPECT_EQ(three.value_or(0), 3000);
    const auto no_key = co_await redis.expire("nothing", seconds(1));
    EXPECT_TRUE(no_key.refused());
    const auto old = co_await redis.getset("k", "new");
    EXPECT_EQ(old.value_or(std::nullopt), "v");
    const auto forever = co_await redis.pttl("k");
    EXPECT_EQ(forever.value_or(0), -1);
    const auto none = co_await redis.getset("fresh", "1");
    EXPECT_TRUE(none.yes() && !none.value().has_value());
    const RedisScript& release = *redis_lab_scripts()[0];
    const std::array<std::string_view, 1> key = {"k"}, old_value = {"v"}, new_value = {"new"};
    const auto wrong = co_await redis.command(release.call(key, old_value));
    EXPECT_EQ(wrong.value().integer(), 0);
    const auto right = co_await redis.command(release.call(key, new_value));
    EXPECT_EQ(right.value().integer(), 1);
    const auto gone = co_await redis.del("k");
    EXPECT_TRUE(gone.refused());
    const auto incr = co_await redis.command(RedisCommand("INCR", "n"));
    EXPECT_EQ(incr.value().integer(), 1);
    const auto wrong_type = co_await redis.command(RedisCommand("HGET", "n", "f"));
    EXPECT_EQ(wrong_type.why(), Why::error);
    *end = true;
  };
  lab.world.tasks.start(channel.host().node(), "main", all(channel.host(), &channel, &finished));
  EXPECT_EQ(lab.world.run(), RunEnd::quiescent);
  EXPECT_TRUE(finished);
}

TEST(RedisServer, ErrorsComeInItsOwnWords) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  EXPECT_EQ(lab.ask(a, "SET", "k", "v"), "OK");
  EXPECT_EQ(lab.ask(a, "HSET", "k", "f", "v"), "!WRONGTYPE Operation against a key holding the wrong kind of value");
  EXPECT_EQ(lab.ask(a, "GET"), "!ERR wrong number of arguments for 'get' command");
  EXPECT_EQ(lab.ask(a, "LOCK", "k"), "!ERR unknown command 'LOCK', with args beginning with: 'k' ");
  EXPECT_EQ(lab.ask(a, "SET", "k", "v", "PX", 0), "!ERR invalid expire time in 'set' command");
  EXPECT_EQ(lab.ask(a, "EVAL", "nobody-knows-it", 0),
            "!ERR Error compiling script (new function): user_script:1: '=' expected near '-'");
  EXPECT_EQ(lab.ask(a, "GET", "k"), "\"v\"");
}

// Bytes that are no command: the server must survive them.
TEST(RedisServer, MalformedBytesAreAnError) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  class Raw : public ExchangeAwaiter {
   public:
    Raw(Channel& channel, std::string_view bytes) : ExchangeAwaiter(channel, mark::none), bytes_(bytes) {}
    void await_suspend(std::coroutine_handle<> me) { send(bytes_, me); }
    std::string await_resume() { return exchange_.reply.get<RedisReply>()->to_string(); }

   private:
    std::string_view bytes_;
  };
  const auto shout = [](Host, RpcChannel* to, std::string* out) -> Task<void> {
    const std::array<std::string_view, 4> all = {"", "\x01", "\xff\xff\xff", "GET key\r\n"};
    for (const std::string_view bytes : all) {
      const std::string answer = co_await Raw(*to, bytes);
      *out += answer.substr(0, 19) + "\n";
    }
  };
  std::string answers;
  lab.world.tasks.start(a.host().node(), "main", shout(a.host(), &a, &answers));
  lab.world.run();
  EXPECT_EQ(answers, "!ERR Protocol error\n!ERR Protocol error\n!ERR Protocol error\n!ERR Protocol error\n");
  EXPECT_EQ(lab.ask(a, "PING"), "PONG");
}

TEST(RedisServer, LongAndNestedReplies) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  const std::string large(10'000, 'x');
  EXPECT_EQ(lab.ask(a, "SET", "k", large), "OK");
  EXPECT_EQ(lab.ask(a, "GET", "k"), '"' + large + '"');
  EXPECT_EQ(lab.ask(a, "HSET", "h", "f", "1", "g", "2"), "2");
  EXPECT_EQ(lab.ask(a, "HGETALL", "h"), "[\"f\", \"1\", \"g\", \"2\"]");
}

// --- sessions --------------------------------------------------------------------------------------

TEST(RedisServer, TransactionsBelongToTheirConnection) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b");
  EXPECT_EQ(lab.ask(a, "MULTI"), "OK");
  EXPECT_EQ(lab.ask(a, "INCR", "n"), "QUEUED");
  EXPECT_EQ(lab.ask(b, "INCR", "n"), "1");
  EXPECT_EQ(lab.ask(b, "EXEC"), "!ERR EXEC without MULTI");
  EXPECT_EQ(lab.ask(a, "HGET", "n", "f"), "QUEUED");
  EXPECT_EQ(lab.ask(a, "INCR", "n"), "QUEUED");
  EXPECT_EQ(lab.ask(a, "EXEC"), "[2, !WRONGTYPE Operation against a key holding the wrong kind of value, 3]");
  EXPECT_EQ(lab.ask(a, "MULTI"), "OK");
  EXPECT_EQ(lab.ask(a, "GET"), "!ERR wrong number of arguments for 'get' command");
  EXPECT_EQ(lab.ask(a, "EXEC"), "!EXECABORT Transaction discarded because of previous errors.");
}

TEST(RedisServer, WatchSeesOtherConnections) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b");
  const auto attempt = [&](bool meddle) {
    lab.ask(a, "WATCH", "k");
    if (meddle) lab.ask(b, "SET", "k", "other");
    lab.ask(a, "MULTI");
    lab.ask(a, "SET", "k", "mine");
    return lab.ask(a, "EXEC");
  };
  EXPECT_EQ(attempt(false), "[OK]");
  EXPECT_EQ(attempt(true), "nil");
  EXPECT_EQ(attempt(false), "[OK]");
}

TEST(RedisServer, AClosedConnectionIsForgotten) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b");
  lab.ask(a, "WATCH", "k");
  lab.ask(a, "MULTI");
  EXPECT_EQ(lab.ask(a, "SET", "k", "queued"), "QUEUED");
  a.disconnect();
  lab.pass(seconds(1));
  EXPECT_EQ(lab.ask(a, "GET", "k"), "nil") << "a new connection, outside any transaction";
  EXPECT_EQ(lab.ask(a, "EXEC"), "!ERR EXEC without MULTI");
  lab.ask(b, "SET", "k", "other");
  lab.ask(a, "MULTI");
  lab.ask(a, "SET", "k", "mine");
  EXPECT_EQ(lab.ask(a, "EXEC"), "[OK]") << "the old WATCH would have made it nil";
}

TEST(RedisServer, ADeadClientIsForgottenToo) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b");
  EXPECT_EQ(lab.ask(a, "SUBSCRIBE", "news"), "[\"subscribe\", \"news\", 1]");
  EXPECT_EQ(lab.ask(b, "PUBLISH", "news", "1"), "1");
  lab.world.faults.kill(a.host().node());
  lab.pass(seconds(1));
  EXPECT_EQ(lab.ask(b, "PUBLISH", "news", "2"), "0");
}

TEST(RedisServer, ARestartForgetsSessionsAndData) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b");
  lab.ask(a, "SET", "k", "v");
  lab.ask(a, "WATCH", "k");
  lab.ask(a, "MULTI");
  lab.ask(b, "SUBSCRIBE", "news");
  lab.world.faults.kill(lab.redis);
  EXPECT_FALSE(lab.has("k")) << "a dead server holds nothing";
  EXPECT_EQ(lab.ask(a, "GET", "k"), "not connected");
  lab.reboot();
  EXPECT_EQ(lab.ask(a, "GET", "k"), "nil");
  EXPECT_EQ(lab.ask(a, "PUBLISH", "news", "x"), "0");
}

// The same object in another run, in which connections have the same names.
TEST(RedisServer, AnotherRunFindsNothingOfTheOneBefore) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.ask(a, "SET", "k", "v");
  lab.ask(a, "SUBSCRIBE", "news");
  lab.ask(a, "UNSUBSCRIBE");
  lab.ask(a, "WATCH", "k");
  lab.ask(a, "MULTI");
  lab.begin(2);
  RpcChannel& again = lab.client("a");
  EXPECT_EQ(lab.ask(again, "GET", "k"), "nil") << "neither queued, nor there";
  EXPECT_EQ(lab.ask(again, "EXEC"), "!ERR EXEC without MULTI");
  lab.ask(again, "SUBSCRIBE", "news");
  lab.begin(3);
  RpcChannel& third = lab.client("a");
  EXPECT_EQ(lab.ask(third, "GET", "k"), "nil") << "not subscribed";
}

// --- publish and subscribe -------------------------------------------------------------------------

std::string pushes_of(RpcChannel& channel) {
  std::string all;
  for (Payload push; channel.take_push(push);) all += push.get<RedisReply>()->to_string() + "\n";
  return all;
}

TEST(RedisServer, MessagesReachThoseWhoAreSubscribedNow) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b"), &c = lab.client("c");
  EXPECT_EQ(lab.ask(c, "PUBLISH", "news", "nobody hears it"), "0");
  lab.ask(a, "SUBSCRIBE", "news");
  lab.ask(b, "SUBSCRIBE", "news", "other");
  EXPECT_EQ(lab.ask(a, "GET", "k").substr(0, 22), "!ERR Can't execute 'ge");
  EXPECT_EQ(lab.ask(c, "PUBLISH", "news", "1"), "2");
  EXPECT_EQ(lab.ask(c, "PUBLISH", "other", "2"), "1");
  EXPECT_EQ(lab.ask(c, "PUBLISH", "news", "3"), "2");
  lab.pass(seconds(1));
  EXPECT_EQ(pushes_of(a), "[\"message\", \"news\", \"1\"]\n[\"message\", \"news\", \"3\"]\n");
  EXPECT_EQ(pushes_of(b),
            "[\"message\", \"news\", \"1\"]\n[\"message\", \"other\", \"2\"]\n[\"message\", \"news\", \"3\"]\n");
  EXPECT_EQ(pushes_of(c), "");
  lab.ask(a, "UNSUBSCRIBE");
  EXPECT_EQ(lab.ask(c, "PUBLISH", "news", "4"), "1");
  EXPECT_EQ(lab.ask(a, "GET", "k"), "nil");
  EXPECT_EQ(pushes_of(a), "");
}

// At most once: what is published while a subscriber's connection is broken is lost for it, although
// the server counted it as a receiver.
TEST(RedisServer, AMessageForADeadConnectionIsLost) {
  RedisLab lab;
  RpcChannel &a = lab.client("a"), &b = lab.client("b");
  lab.ask(a, "SUBSCRIBE", "news");
  NetworkRule cut;
  cut.from.set(lab.redis);
  cut.to.set(a.host().node());
  const std::uint32_t rule = lab.world.network.install(cut);
  EXPECT_EQ(lab.ask(b, "PUBLISH", "news", "1"), "1");
  a.disconnect();
  lab.pass(seconds(1));
  lab.world.network.uninstall(rule);
  EXPECT_EQ(lab.ask(b, "PUBLISH", "news", "2"), "0");
  lab.ask(a, "SUBSCRIBE", "news");
  EXPECT_EQ(lab.ask(b, "PUBLISH", "news", "3"), "1");
  lab.pass(seconds(10));
  EXPECT_EQ(pushes_of(a), "[\"message\", \"news\", \"3\"]\n");
}

// --- records ---------------------------------------------------------------------------------------

std::string journal_of(const World& world) {
  std::string all;
  for (const TraceRecord& r : world.trace.journal()) {
    if (r.kind == trace::redis_key_value) {
      all += fmt::format("value {} {} {}\n", r.a, r.b == hash_of("k") ? "k" : "other", r.c);
    } else if (r.kind == trace::redis_key_changed) {
      all += fmt::format("{} {} {} {}\n", to_string(static_cast<KeyChange>(trace::redis_change_what(r.c))), r.a,
                         r.b == hash_of("k") ? "k" : "other", trace::redis_change_ttl_ms(r.c));
    }
  }
  return all;
}

TEST(RedisServer, TheJournalSaysWhoChangedWhat) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.ask_for(7, a, "SET", "k", "v", "NX", "PX", 1000);
  lab.ask_for(8, a, "SET", "k", "w", "NX", "PX", 1000);  // refused: no record
  lab.ask_for(8, a, "GET", "k");
  lab.ask_for(7, a, "PEXPIRE", "k", 500);
  lab.ask_for(9, a, "DEL", "k");
  lab.ask_for(9, a, "INCR", "n");
  lab.ask_for(9, a, "SET", "k", "-42", "PX", 10);
  lab.pass(milliseconds(11));
  lab.ask_for(3, a, "GET", "k");  // reader 3 does not end it
  EXPECT_EQ(journal_of(lab.world),
            "set 7 k 1000\nttl set 7 k 500\ndeleted 9 k -1\nvalue 9 other 1\nset 9 other -1\n"
            "value 9 k 18446744073709551574\nset 9 k 10\nexpired 0 k -1\n");
}

TEST(RedisServer, TheActiveCycleActsForNoHold) {
  RedisLab lab;
  RpcChannel& a = lab.client("a");
  lab.ask_for(7, a, "SET", "k", "v", "PX", 100);
  lab.pass(seconds(1));
  EXPECT_FALSE(lab.has("k"));
  EXPECT_EQ(journal_of(lab.world), "set 7 k 100\nexpired 0 k -1\n");
}

// Whatever the server draws and sends for a request bears the request's name.
TEST(RedisServer, ActsOnBehalfOfTheRequest) {
  RedisLab lab;
  lab.world.network.set_latency(Law::uniform(microseconds(50), microseconds(150)));
  lab.world.nodes.set_cpu_cost(lab.redis, Law::uniform(microseconds(1), microseconds(9)));
  lab.world.draws.log(true);
  RpcChannel &a = lab.client("a"), &b = lab.client("b");
  lab.ask(b, "SUBSCRIBE", "news");
  lab.ask(a, "PUBLISH", "news", "1");
  std::string names;
  for (const DrawRecord& r : lab.world.draws.logged()) {
    const std::string name = lab.world.tasks.draw_name(r);
    if (name.starts_with("redis")) names += name.substr(0, name.find('.', name.find('#'))) + "\n";
  }
  EXPECT_EQ(names,
            "redis/cpu@b.command#1\nredis>b/latency@b.command#1\n"
            "redis/cpu@a.command#2\nredis>b/latency@a.command#2\nredis>a/latency@a.command#2\n");
}

TEST(RedisServer, KindsAreDescribed) {
  for (const TraceKindInfo& info : trace::redis_kinds()) {
    const TraceKind number = info.kind & ~kJournal;
    EXPECT_TRUE(number >= 96 && number <= 127);
    EXPECT_EQ(info.name.substr(0, 6), "redis-");
  }
}

// --- against the pure database -----------------------------------------------------------------------

RedisCommand any_command(int what, int key, int value) {
  const std::string k(1, static_cast<char>('a' + key)), v = std::to_string(value);
  switch (what) {
    case 0:
      return RedisCommand("SET", k, v);
    case 1:
      return RedisCommand("SET", k, v, "NX", "PX", value + 1);
    case 2:
      return RedisCommand("GET", k);
    case 3:
      return RedisCommand("DEL", k);
    case 4:
      return RedisCommand("PTTL", k);
    case 5:
      return RedisCommand("INCR", k);
    case 6:
      return RedisCommand("MULTI");
    case 7:
      return RedisCommand("EXEC");
    case 8:
      return RedisCommand("WATCH", k);
    case 9:
      return RedisCommand("HSET", k, "f", v);
    case 10:
      return RedisCommand("PEXPIRE", k, value);
    default:
      return redis_lab_scripts()[0]->call({k}, {v});
  }
}

// Whatever two clients do, the answers are those of the database alone, asked in the same order and
// at the same wall-clock milliseconds: the server adds time and transport, and no behaviour.
RC_GTEST_PROP(RedisServer, AddsNothingToTheDatabase, ()) {
  RedisLab lab;
  RedisDatabase alone(redis_lab_scripts());
  RedisSession sessions[] = {RedisSession(1), RedisSession(2)};
  RpcChannel* clients[] = {&lab.client("a"), &lab.client("b")};
  RedisOutputs ignored;
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    const auto who = static_cast<std::size_t>(*rc::gen::inRange(0, 2));
    const RedisCommand command =
        any_command(*rc::gen::inRange(0, 12), *rc::gen::inRange(0, 3), *rc::gen::inRange(0, 100));
    const std::int64_t now_ms = lab.world.tasks.wall_now(lab.redis).ns / 1'000'000;
    std::string answer;
    lab.send(*clients[who], command, answer);
    lab.world.run();
    const RedisReply expected = alone.execute(sessions[who], command, now_ms, ignored);
    RC_ASSERT(answer == expected.to_string());
    lab.pass(milliseconds(*rc::gen::inRange(0, 30)));
  }
}

}  // namespace
}  // namespace picklock
