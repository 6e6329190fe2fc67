#include "checker/io/edn.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace picklock {
namespace {

struct Case {
  std::string text;
  std::string canonical;
};

TEST(Edn, HasOneCanonicalForm) {
  const Case cases[] = {
      {"nil", "nil"},
      {" , true ; comment\n", "true"},
      {"+5", "5"},
      {"-0", "0"},
      {"0x7f8f9200e100", "140254606582016"},
      {"-0X1f", "-31"},
      {"+0x0N", "0"},
      {"0xffffffffffffffff", "18446744073709551615"},
      {"5N", "5"},
      {"123456789012345678901234567890N", "123456789012345678901234567890"},
      {"-7/3", "-7/3"},
      {"1.50", "1.5"},
      {"1.", "1.0"},
      {"1e3", "1000.0"},
      {"1E+25", "1e+25"},
      {"2.50M", "2.50M"},
      {"##Inf", "##Inf"},
      {":a.b/c-d?", ":a.b/c-d?"},
      {"sym/bol", "sym/bol"},
      {"-", "-"},
      {"\"a\\tb\\u0041\\\"\"", "\"a\\tbA\\\"\""},
      {"\"\\uD83D\\uDE00\"", "\"😀\""},
      {"\"\\101\\7\"", "\"A\\u0007\""},
      {"\"line\nbreak\"", "\"line\\nbreak\""},
      {"\\a", "\\a"},
      {"\\newline", "\\newline"},
      {"\\u000a", "\\newline"},
      {"\\o101", "\\A"},
      {"\\é", "\\é"},
      {"[\\( \\) \\\"]", "[\\( \\) \\\"]"},
      {"( 1,2  3 )", "(1 2 3)"},
      {"[[] () {} #{}]", "[[] () {} #{}]"},
      {"{:b 1, :a {:d 2 :c 3}}", "{:a {:c 3 :d 2} :b 1}"},
      {"#{3 1 2}", "#{1 2 3}"},
      {"#inst\"2020-01-01\"", "#inst \"2020-01-01\""},
      {"#a/b [#_#_1 2 3]", "#a/b [3]"},
      {"#:n{:a 1 :_/b 2 :c/d 3 \"e\" 4}", "{\"e\" 4 :b 2 :c/d 3 :n/a 1}"},
      {"[1 #_ {:gone [\"x\"]} 2]", "[1 2]"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(canonical_edn(c.text), c.canonical) << c.text;
    EXPECT_EQ(canonical_edn(c.canonical), c.canonical) << c.text;
  }
}

// Sets of small natural numbers are read by a way of their own, which a + keeps a number from.
RC_GTEST_PROP(Edn, SetsOfNumbersAreReadAlikeInBothWays, ()) {
  const auto bits = *rc::gen::inRange(1, 40);
  const auto numbers =
      *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << bits));
  std::string plain, other;
  for (const std::uint64_t number : numbers) {
    plain += fmt::format("{},", number);
    other += fmt::format("+{} ", number);
  }
  const auto read = [](const std::string& elements) {
    try {
      return canonical_edn("#{" + elements + "}");
    } catch (const SyntaxError& error) {
      return error.found;  // twice
    }
  };
  RC_ASSERT(read(plain) == read(other));
}

TEST(Edn, RefusesWhatIsNone) {
  for (const std::string text : {"",
                                 "[",
                                 "[1",
                                 "]",
                                 "[1}",
                                 "{:a}",
                                 "{:a 1 :a 2}",
                                 "#{1 1}",
                                 "\"abc",
                                 "\"\\x\"",
                                 "\"\\ud800\"",
                                 "\"\\udc00\"",
                                 "\"\\u12g4\"",
                                 "\"\\777\"",
                                 "\\",
                                 "\\ ",
                                 "\\abc",
                                 "\\ud800",
                                 "01",
                                 "1a",
                                 "1/0",
                                 "1/",
                                 "1e",
                                 "1e999",
                                 ":",
                                 "::a",
                                 "#",
                                 "#_",
                                 "#_ #_ 1",
                                 "##foo",
                                 "#\"regex\"",
                                 "#tag",
                                 "^{} 1",
                                 "@a",
                                 "1 2",
                                 "a\x01z",
                                 "\"\xff\"",
                                 ":\xc3(",
                                 "#:{}",
                                 "0x",
                                 "0xg",
                                 "0x1_",
                                 "0x10000000000000000"}) {
    EXPECT_THROW(canonical_edn(text), SyntaxError) << text;
  }
}

TEST(Edn, BoundsNestingAndLength) {
  const ReadLimits limits;
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_NO_THROW(canonical_edn(nested(limits.depth)));
  EXPECT_THROW(canonical_edn(nested(limits.depth + 2)), SyntaxError);
  EXPECT_THROW(canonical_edn(std::string(10'000'000, '[')), SyntaxError);
  std::string discards;
  for (int i = 0; i < 1'000'000; ++i) discards += "#_";
  EXPECT_THROW(canonical_edn(discards), SyntaxError);
  std::string tags;
  for (int i = 0; i < 1'000'000; ++i) tags += "#a ";
  EXPECT_THROW(canonical_edn(tags), SyntaxError);
  EXPECT_NO_THROW(canonical_edn('"' + std::string(limits.token - 1, 'a') + '"'));
  EXPECT_THROW(canonical_edn('"' + std::string(limits.token + 1, 'a') + '"'), SyntaxError);
  EXPECT_THROW(canonical_edn(std::string(limits.token + 1, '7')), SyntaxError);
}

TEST(Edn, KnowsWhichNamesMayBeKeywords) {
  for (const char* name : {"a", "read-version", "a/b", "*x*", "a1", "<=>"}) {
    EXPECT_TRUE(is_keyword_name(name)) << name;
    EXPECT_EQ(canonical_edn(std::string(":") + name), std::string(":") + name);
  }
  for (const char* name : {"", "1a", "a b", "a/b/c", "/", "a/", ":a", "ä", "a\"", "a;b"}) {
    EXPECT_FALSE(is_keyword_name(name)) << name;
  }
}

TEST(Edn, AppendsTheCharactersOfAString) {
  std::string out;
  append_characters(out, canonical_edn("\"q\\\" b\\\\ n\\n u\\u0001 é\""));
  EXPECT_EQ(out, "q\" b\\ n\n u\x01 é");
}

}  // namespace
}  // namespace picklock
