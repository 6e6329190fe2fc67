#include "app/playground/link.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <string_view>
#include <variant>

namespace picklock {
namespace {

PlayLink read(const std::string& text) { return std::get<PlayLink>(read_link(text)); }
std::string wrong(const std::string& text) {
  const auto read = read_link(text);
  return std::holds_alternative<std::string>(read) ? std::get<std::string>(read) : "nothing is wrong";
}

// The fragment of any JSON: what a stranger may write.
std::string fragment_of(std::string_view json) {
  std::string packed(json.size() + 1000, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(json.data()));
  stream.avail_in = static_cast<uInt>(json.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string bits, text = "#run=";
  for (const char c : packed) {
    for (int i = 7; i >= 0; --i) bits += (static_cast<unsigned char>(c) >> i & 1) != 0 ? '1' : '0';
  }
  while (bits.size() % 6 != 0) bits += '0';
  for (std::size_t i = 0; i < bits.size(); i += 6) text += kDigits[std::stoul(bits.substr(i, 6), nullptr, 2)];
  return text;
}

TEST(Link, ReadsBackWhatWasWritten) {
  const PlayLink of_library{
      "paused_holder/fenced", "", "", {"redlock", {"lock.ttl=1s", "clients.b.locks=x, y"}, {"fault[0]"}}, {}, 17};
  EXPECT_EQ(read(link_fragment(of_library)), of_library);
  const PlayLink text{"own", "# é\nlock = \"setnx\"\n", "fenced", {}, {}, kMostLinkSeed};
  EXPECT_EQ(read("file:///usr/share/picklock/playground/index.html" + link_fragment(text)), text);
}

TEST(Link, BringsTheTextsOfLocksInLua) {
  const PlayLink link{"paused_holder", "", "", {"own.lua", {}, {}}, {{"own.lua", "lock = { é = 1 }\n"}}, 4};
  EXPECT_EQ(read(link_fragment(link)), link);
  const PlayLink many = read(fragment_of(
      R"({"v":1,"runs":[{"name":"x","locks":{"a.lua":"1","b.lua":2,"c.lua":"3","d.lua":"4","e.lua":"5","f.lua":"6"}}]})"));
  EXPECT_EQ(many.locks,
            (std::map<std::string, std::string>{{"a.lua", "1"}, {"c.lua", "3"}, {"d.lua", "4"}, {"e.lua", "5"}}));
}

TEST(Link, HasCharactersOfAnAddressAlone) {
  const std::string link = link_fragment({"paused_holder", "", "", {"", {"lock.ttl=1s"}, {}}, {}, 3});
  EXPECT_EQ(link.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 5),
            std::string::npos);
  EXPECT_LT(link.size(), 200u);
  EXPECT_TRUE(is_link(link));
  EXPECT_TRUE(is_link("https://example.org/#run=AAAA"));
  EXPECT_FALSE(is_link("paused_holder/fenced"));
}

TEST(Link, OfStrangersIsBounded) {
  EXPECT_NE(wrong(fragment_of(std::string(1 << 22, ' '))).find("cut off"), std::string::npos) << "unpacks to 4 MiB";
  EXPECT_NE(wrong("#run=" + std::string(1 << 19, 'A')).find("more than"), std::string::npos);
  const std::string link = link_fragment({"paused_holder", "", "", {}, {}, 3});
  for (std::size_t size = 5; size + 2 < link.size(); ++size)
    EXPECT_NE(wrong(link.substr(0, size)), "nothing is wrong") << size;
  EXPECT_NE(wrong("#run=<script>").find("characters"), std::string::npos);
  EXPECT_NE(wrong(fragment_of(std::string(200'000, '['))), "nothing is wrong");
}

TEST(Link, TakesMembersOfOtherTypesAsAbsent) {
  EXPECT_EQ(read(fragment_of(
                R"({"v":1,"runs":[{"name":"paused_holder","set":[1,"a=b",null],"without":{},"lock":7,"seed":-1}]})")),
            (PlayLink{"paused_holder", "", "", {"", {"a=b"}, {}}, {}, 1}));
  for (const char* json : {"null", "7", "[]", "{}", R"({"v":2,"runs":[{"name":"x"}]})", R"({"v":1,"runs":[]})",
                           R"({"v":1,"runs":[7]})", R"({"v":"1","runs":[{"name":"x"}]})"}) {
    EXPECT_NE(wrong(fragment_of(json)).find("another version"), std::string::npos) << json;
  }
}

TEST(Link, NamesNothingOutsideOfTheLibrary) {
  for (const char* name : {"/etc/passwd", "../own", "a/b/c", "own.toml", "", "a b"}) {
    EXPECT_NE(wrong(link_fragment({name, "", "", {}, {}, 1})).find("no scenario of the library"), std::string::npos)
        << name;
  }
}

}  // namespace
}  // namespace picklock
