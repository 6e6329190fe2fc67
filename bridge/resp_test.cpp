#include "bridge/resp.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace picklock {
namespace resp_test {

using Words = std::vector<std::string>;

Words words_of(const RedisCommand& command) {
  Words words;
  for (std::size_t i = 0; i < command.argc(); ++i) words.emplace_back(command.arg(i));
  return words;
}

std::string as_request(const Words& words) {
  std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  return bytes;
}

// All commands of these bytes, which come in pieces of this size.
std::vector<Words> read(const std::string& bytes, std::size_t piece, std::string* error = nullptr) {
  RespRequests requests;
  std::vector<Words> all;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    requests.feed(std::string_view(bytes).substr(at, piece));
    while (auto command = requests.next()) all.push_back(words_of(*command));
  }
  if (error != nullptr) *error = requests.error();
  return all;
}

RC_GTEST_PROP(Resp, WhatWasWrittenIsReadHoweverItIsCut, ()) {
  const auto word = rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto commands =
      *rc::gen::container<std::vector<Words>>(rc::gen::resize(6, rc::gen::nonEmpty(rc::gen::container<Words>(word))));
  const auto piece = *rc::gen::inRange<std::size_t>(1, 40);
  std::string bytes;
  for (const Words& words : commands) bytes += as_request(words);
  RC_ASSERT(read(bytes, piece) == commands);
}

RC_GTEST_PROP(Resp, WrongBytesDependOnNoCut, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::element('*', '$', '1', '2', '-', '\r', '\n', 'a', ' '));
  std::string whole, cut;
  const std::vector<Words> at_once = read(bytes, bytes.size() + 1, &whole), byte_by_byte = read(bytes, 1, &cut);
  RC_ASSERT(at_once == byte_by_byte);
  RC_ASSERT(whole == cut);
}

TEST(Resp, ALineOfWordsIsACommand) {
  EXPECT_EQ(read("PING\r\n  SET  a b \n\r\nGET a\r\n", 3),
            (std::vector<Words>{{"PING"}, {"SET", "a", "b"}, {"GET", "a"}}));
  EXPECT_EQ(read("*0\r\n*-1\r\nPING\r\n", 100), (std::vector<Words>{{"PING"}})) << "an array of none is nothing";
}

// The words of redis-server 7.0.15, asked by hand.
TEST(Resp, WrongBytesAreToldAsARealServerDoes) {
  const auto error_of = [](const std::string& bytes) {
    std::string error;
    EXPECT_TRUE(read(bytes, 1000, &error).empty());
    return error;
  };
  EXPECT_EQ(error_of("*x\r\n"), "ERR Protocol error: invalid multibulk length");
  EXPECT_EQ(error_of("*99999999999\r\n"), "ERR Protocol error: invalid multibulk length");
  EXPECT_EQ(error_of("*1\r\n:1\r\n"), "ERR Protocol error: expected '$', got ':'");
  EXPECT_EQ(error_of("*1\r\n$-1\r\n"), "ERR Protocol error: invalid bulk length");
  EXPECT_EQ(error_of("*1\r\n$abc\r\n"), "ERR Protocol error: invalid bulk length");
  EXPECT_EQ(error_of("*1\r\n" + std::string(70'000, '$')), "ERR Protocol error: too big bulk count string");
  EXPECT_EQ(error_of(std::string(70'000, 'a')), "ERR Protocol error: too big inline request");
  EXPECT_EQ(error_of("*" + std::string(70'000, '1')), "ERR Protocol error: too big mbulk count string");
}

TEST(Resp, RepliesAreWritten) {
  EXPECT_EQ(to_resp(RedisReply::error("ERR two\r\nlines")), "-ERR two  lines\r\n") << "no line ends within";
  EXPECT_EQ(to_resp(RedisReply::nil()), "$-1\r\n");
  EXPECT_EQ(to_resp(RedisReply::integer(-3)), ":-3\r\n");
}

RedisReply text(std::string_view value) { return RedisReply::bulk(value); }
RedisReply list(std::vector<RedisReply> elements) { return RedisReply::array(std::move(elements)); }
const RedisReply kHello3 = list({text("proto"), RedisReply::integer(3)});

// The bytes of redis-server 7.0.15, asked by hand.
TEST(Resp, VersionThreeHasItsOwnKindsOfValues) {
  const auto both = [](const RedisCommand& command, const RedisReply& reply) {
    RespReplies old, current;
    (void)current.reply(RedisCommand("hello", "3"), kHello3);
    EXPECT_EQ(current.version(), 3);
    return std::pair(old.reply(command, reply), current.reply(command, reply));
  };
  using Both = std::pair<std::string, std::string>;
  const RedisReply pair = list({text("a"), text("1.5")});
  EXPECT_EQ(both(RedisCommand("GET", "none"), {}), Both("$-1\r\n", "_\r\n"));
  EXPECT_EQ(both(RedisCommand("EXEC"), {}), Both("*-1\r\n", "_\r\n"));
  EXPECT_EQ(both(RedisCommand("LPOP", "none", "2"), {}), Both("*-1\r\n", "_\r\n"));
  EXPECT_EQ(both(RedisCommand("GET", "k"), text("v")), Both("$1\r\nv\r\n", "$1\r\nv\r\n"));
  EXPECT_EQ(both(RedisCommand("HGETALL", "h"), pair),
            Both("*2\r\n$1\r\na\r\n$3\r\n1.5\r\n", "%1\r\n$1\r\na\r\n$3\r\n1.5\r\n"));
  EXPECT_EQ(both(RedisCommand("SMEMBERS", "s"), list({text("a")})), Both("*1\r\n$1\r\na\r\n", "~1\r\n$1\r\na\r\n"));
  EXPECT_EQ(both(RedisCommand("ZSCORE", "z", "a"), text("1.5")), Both("$3\r\n1.5\r\n", ",1.5\r\n"));
  EXPECT_EQ(both(RedisCommand("zrange", "z", "0", "-1", "withscores"), pair).second, "*1\r\n*2\r\n$1\r\na\r\n,1.5\r\n");
  EXPECT_EQ(both(RedisCommand("ZRANGE", "z", "0", "-1"), pair).second, "*2\r\n$1\r\na\r\n$3\r\n1.5\r\n");
  EXPECT_EQ(both(RedisCommand("ZPOPMIN", "z"), pair).second, "*2\r\n$1\r\na\r\n,1.5\r\n");
  EXPECT_EQ(both(RedisCommand("ZPOPMIN", "z", "1"), pair).second, "*1\r\n*2\r\n$1\r\na\r\n,1.5\r\n");
  EXPECT_EQ(both(RedisCommand("INFO"), text("a:1\r\n")), Both("$5\r\na:1\r\n\r\n", "=9\r\ntxt:a:1\r\n\r\n"));
  EXPECT_EQ(both(RedisCommand("SENTINEL", "masters"), list({pair})).second, "*1\r\n%1\r\n$1\r\na\r\n$3\r\n1.5\r\n");
  EXPECT_EQ(both(RedisCommand("HGETALL", "k"), RedisReply::error("WRONGTYPE x")).second, "-WRONGTYPE x\r\n");
}

TEST(Resp, HelloAndResetChangeTheVersion) {
  RespReplies replies;
  (void)replies.reply(RedisCommand("HELLO", "4"), RedisReply::error("NOPROTO unsupported protocol version"));
  EXPECT_EQ(replies.version(), 2) << "it was refused";
  EXPECT_EQ(replies.reply(RedisCommand("HELLO", "3"), kHello3), "%1\r\n$5\r\nproto\r\n:3\r\n")
      << "answered in version 3";
  (void)replies.reply(RedisCommand("HELLO"), kHello3);
  EXPECT_EQ(replies.version(), 3) << "a greeting without a version changes none";
  (void)replies.reply(RedisCommand("RESET"), RedisReply::status("RESET"));
  EXPECT_EQ(replies.version(), 2);
  EXPECT_FALSE(replies.are_over());
  EXPECT_EQ(replies.reply(RedisCommand("quit"), RedisReply::ok()), "+OK\r\n");
  EXPECT_TRUE(replies.are_over());
}

TEST(Resp, ATransactionAnswersInTheShapesOfItsCommands) {
  RespReplies replies;
  (void)replies.reply(RedisCommand("HELLO", "3"), kHello3);
  const auto queue = [&](const RedisCommand& command) { (void)replies.reply(command, RedisReply::status("QUEUED")); };
  const RedisReply members = list({text("a"), text("b")});
  queue(RedisCommand("HGETALL", "h"));
  queue(RedisCommand("SMEMBERS", "s"));
  EXPECT_EQ(replies.reply(RedisCommand("EXEC"), list({members, members})),
            "*2\r\n%1\r\n$1\r\na\r\n$1\r\nb\r\n~2\r\n$1\r\na\r\n$1\r\nb\r\n");
  queue(RedisCommand("HGETALL", "h"));
  (void)replies.reply(RedisCommand("DISCARD"), RedisReply::ok());
  queue(RedisCommand("LRANGE", "l", "0", "-1"));
  EXPECT_EQ(replies.reply(RedisCommand("EXEC"), list({members})), "*1\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n")
      << "what was discarded is forgotten";
}

TEST(Resp, SubscriptionsAreConfirmedOneByOneAndPushedInVersionThree) {
  const RedisReply first = list({text("subscribe"), text("a"), RedisReply::integer(1)}),
                   second = list({text("subscribe"), text("b"), RedisReply::integer(2)});
  const std::string a = "3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n", b = "3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n";
  RespReplies replies;
  EXPECT_EQ(replies.reply(RedisCommand("SUBSCRIBE", "a"), first), "*" + a);
  EXPECT_EQ(replies.reply(RedisCommand("SUBSCRIBE", "a", "b"), list({first, second})), "*" + a + "*" + b);
  EXPECT_EQ(replies.push(first), "*" + a);
  (void)replies.reply(RedisCommand("HELLO", "3"), kHello3);
  EXPECT_EQ(replies.reply(RedisCommand("SUBSCRIBE", "a", "b"), list({first, second})), ">" + a + ">" + b);
  EXPECT_EQ(replies.push(first), ">" + a);
}

}  // namespace resp_test
}  // namespace picklock
