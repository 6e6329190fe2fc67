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

}  // namespace resp_test
}  // namespace picklock
