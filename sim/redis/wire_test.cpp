#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/redis/wire.hpp"

namespace picklock {
namespace {

RedisReply arbitrary_reply(int depth) {
  const std::string text = *rc::gen::string<std::string>();
  switch (*rc::gen::inRange(0, depth > 0 ? 6 : 5)) {
    case 0:
      return RedisReply::nil();
    case 1:
      return RedisReply::integer(*rc::gen::arbitrary<std::int64_t>());
    case 2:
      return RedisReply::status(text);
    case 3:
      return RedisReply::error(text);
    case 4:
      return RedisReply::bulk(text);
    default:
      break;
  }
  RedisReply array = RedisReply::array();
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) array.push_back(arbitrary_reply(depth - 1));
  return array;
}

TEST(RedisWire, UsualCommandsNeedNoHeap) {
  const RedisCommand set("SET", "lock:a-resource-name", "5f2c1b1e-6a43-4b89-9a30-0c1d2e3f4a5b:17", "NX", "PX", 30000);
  EXPECT_LE(set.bytes().size(), RedisCommand::kInlineBytes);
  EXPECT_EQ(set.argc(), 6U);
  EXPECT_EQ(set.arg(0), "SET");
  EXPECT_EQ(set.arg(5), "30000");
  EXPECT_EQ(set.arg(6), "");
}

TEST(RedisWire, ReplyIsSmall) { EXPECT_LE(sizeof(RedisReply), 96U); }

RC_GTEST_PROP(RedisWireProperty, CommandsComeBack, (const std::vector<std::string>& words)) {
  RedisCommand command;
  for (const std::string& word : words) command.add(word);
  const RedisCommand copy = command;
  RedisCommand moved = RedisCommand(command);
  RC_ASSERT(copy == command);
  RC_ASSERT(moved == command);
  const RedisCommandView view(command);
  RC_ASSERT(view.valid() == !words.empty());
  RC_ASSERT(view.argc() == words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    RC_ASSERT(view.arg(i) == words[i]);
    RC_ASSERT(command.arg(i) == words[i]);
  }
}

RC_GTEST_PROP(RedisWireProperty, RepliesComeBack, ()) {
  const RedisReply reply = *rc::gen::exec([] { return arbitrary_reply(3); });
  const std::string bytes = encode(reply);
  RedisReply back;
  RC_ASSERT(decode(bytes, back));
  RC_ASSERT(back == reply);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    RC_ASSERT(!decode(std::string_view(bytes).substr(0, cut), back));
    RC_ASSERT(back.is_nil());
  }
  RC_ASSERT(!decode(bytes + 'x', back));
}

TEST(RedisWire, ARequestIsReadWhereItLies) {
  Arena arena;
  const Mark set = command_mark("SET");
  const Payload request =
      Payload::make<RedisCommand>(arena, set, "SET", "key", std::string(40, 'v'), "NX", "PX", 30000);
  const RedisCommandView view(request), copy = view;
  for (const RedisCommandView* each : {&view, &copy}) {
    EXPECT_EQ(each->argc(), 6U);
    EXPECT_EQ(each->verb(), set);
    EXPECT_EQ(each->arg(5), "30000");
  }
  EXPECT_EQ(request.bytes(), RedisCommand("SET", "key", std::string(40, 'v'), "NX", "PX", 30000).bytes());
  EXPECT_EQ(RedisCommandView(view.bytes()).verb(), mark::none) << "bytes alone say it by name";
  EXPECT_FALSE(RedisCommandView(Payload(arena, view.bytes())).valid()) << "a text is no command";
  EXPECT_FALSE(RedisCommandView(Payload::of(arena, RedisReply::ok())).valid());
}

// Under the sanitizers: whatever the bytes, nothing is read that is not there.
RC_GTEST_PROP(RedisWireProperty, ForgedBytesAreRefusedOrWellFormed, (std::string bytes)) {
  if (!bytes.empty()) bytes[0] = static_cast<char>(*rc::gen::inRange(0, 8));
  if (bytes.size() > 1) bytes[1] = static_cast<char>(*rc::gen::inRange(0, 3));
  RedisReply reply;
  decode(bytes, reply);
  const RedisCommandView view{std::string_view(bytes)};
  std::size_t total = 0;
  for (std::size_t i = 0; i < view.argc(); ++i) total += view.arg(i).size();
  RC_ASSERT(total <= bytes.size());
}

TEST(RedisWire, MalformedBytesGiveNoCommand) {
  for (const std::string& bytes :
       {std::string(), std::string("\x01", 1), std::string("\0\0", 2), std::string("\x01\0", 2),
        std::string("\x01\0\x05"
                    "abc",
                    6),
        std::string("\x01\0\x01"
                    "ab",
                    5),
        std::string("\x02\0\x01"
                    "a",
                    4),
        std::string("\x01\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12)}) {
    const RedisCommandView view{std::string_view(bytes)};
    EXPECT_FALSE(view.valid());
    EXPECT_EQ(view.argc(), 0U);
    EXPECT_EQ(view.arg(0), "");
  }
}

TEST(RedisWire, DeepNestingIsRefused) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += "\x05\x01";
  bytes += '\0';
  RedisReply reply;
  EXPECT_FALSE(decode(bytes, reply));
}

TEST(RedisWire, ArgumentsBeyondTheIndexedOnesAreFound) {
  RedisCommand command("HSET", "key");
  for (int i = 0; i < 300; ++i) command.add(i);
  const RedisCommandView view(command);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(view.arg(i + 2), std::to_string(i));
  EXPECT_EQ(view.arg(302), "");
}

TEST(RedisWire, ScriptsAreCalledByNameAndWithoutABodyByText) {
  const RedisScript text{"answer", "return 42"};
  EXPECT_EQ(text.call({"k"}).to_string(), "EVAL \"return 42\" 1 k");
  const RedisScript script{"release", "return 0", [](ScriptContext&) -> ScriptResult { return 0; }};
  EXPECT_EQ(script.call({"k"}, {"v", "w"}).to_string(), "EVAL release 1 k v w");
  EXPECT_EQ(script.call({}).to_string(), "EVAL release 0");
}

TEST(RedisWire, ScriptResultsFollowLua) {
  EXPECT_EQ(ScriptResult(true).reply().to_string(), "1");
  EXPECT_EQ(ScriptResult(false).reply().to_string(), "nil");
  EXPECT_EQ(ScriptResult::number(3.99).reply().to_string(), "3");
  EXPECT_EQ(ScriptResult::array({1, false, ScriptResult::nil(), 2}).reply().to_string(), "[1, nil]");
}

}  // namespace
}  // namespace picklock
